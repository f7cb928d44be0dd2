function m = modes(robot, n)
  % m = tendril.modes(robot, n)
  % The n slowest modes about the present equilibrium (all of them without n): struct with columns frequency (Hz),
  % damping (ratio), re, im (1/s).

  if nargin < 2
    n = 0;
  end
  m = tendril_mex('modes', robot, n);
end
