function set(robot, varargin)
  % tendril.set(robot, input, value)    one input by name or number, in SI units
  % tendril.set(robot, values)          all of them, in the order of robot.inputs

  tendril_mex('set', robot.handle, varargin{:});
end
