% setup: puts the functions beside it on the path; `pkg load tendril` does so by itself. Octave would warn, at each start, that three
% functions of the package are called as its own are (load, set, time), which packages are there for.
if exist('OCTAVE_VERSION', 'builtin')
  warning('off', 'Octave:shadowed-function');
end
addpath(fileparts(mfilename('fullpath')));
