function answer = step(robot, varargin)
  % answer = tendril.step(robot)        one step of robot.step seconds
  % answer = tendril.step(robot, dt)    one step of dt seconds
  % The inputs that are set now are those at its end. See tendril.advance for inputs that follow the file.

  answer = tendril_mex('step', robot, varargin{:});
end
