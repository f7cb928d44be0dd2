function set(robot, varargin)
  % tendril.set(robot, input, value, ...)    inputs by name or number, in the units of robot.input_units (SI)
  % tendril.set(robot, values)               all of them, in the order of robot.inputs
  %
  % All that is named is set, or nothing.

  tendril_mex('set', robot, varargin{:});
end
