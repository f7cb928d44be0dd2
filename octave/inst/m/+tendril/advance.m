function answer = advance(robot, dt)
  % answer = tendril.advance(robot, dt)
  % One step of dt seconds (default: robot.step) in which the inputs follow the signals of the file.

  if nargin < 2
    dt = robot.step;
  end
  answer = tendril_mex('advance', robot.handle, dt);
end
