function t = time(robot)
  % t = tendril.time(robot)
  % Time since the start, s.

  t = tendril_mex('time', robot);
end
