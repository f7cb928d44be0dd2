function answer = advance(robot, varargin)
  % answer = tendril.advance(robot, dt)
  % One step of dt seconds (default: robot.step) in which the inputs follow the signals of the file.

  answer = tendril_mex('advance', robot, varargin{:});
end
