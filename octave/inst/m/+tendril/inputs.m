function values = inputs(robot)
  % values = tendril.inputs(robot)
  % The inputs now, SI units, in the order of robot.inputs.

  values = tendril_mex('inputs', robot);
end
