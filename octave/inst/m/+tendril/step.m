function answer = step(robot, dt)
  % answer = tendril.step(robot)        one step of robot.step seconds
  % answer = tendril.step(robot, dt)    one step of dt seconds
  % The inputs that are set now are those at its end. See tendril.advance for inputs that follow the file.

  if nargin < 2
    dt = robot.step;
  end
  answer = tendril_mex('step', robot.handle, dt);
end
