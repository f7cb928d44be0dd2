% setup: puts the package on the path. `source /where/it/is/octave/setup.m` (MATLAB: run), then `help tendril.load`.
% Octave minds that functions of a package are called as its own are (load, set, time), which packages are there for.
if exist('OCTAVE_VERSION', 'builtin')
  warning('off', 'Octave:shadowed-function');
end
addpath(fileparts(mfilename('fullpath')));
