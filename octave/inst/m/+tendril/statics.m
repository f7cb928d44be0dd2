function answer = statics(robot)
  % answer = tendril.statics(robot)
  % The equilibrium under the present inputs.
  %
  % answer: struct with status ('TD_OK', or why to look twice), message, iterations, residual.
  % Where there is no equilibrium to be found it is an error, and the robot stays as it was.

  answer = tendril_mex('statics', robot);
end
