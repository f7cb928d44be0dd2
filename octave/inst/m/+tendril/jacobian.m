function J = jacobian(robot, rod, at)
  % J = tendril.jacobian(robot, rod, at)
  % How the equilibrium moves with the inputs: 6 x number of inputs, rotation (rad) then translation (m) in the world by
  % each input in its unit (robot.input_units),
  % of the point at arc length `at` (m) of a rod (name or number).

  J = tendril_mex('jacobian', robot, rod, at);
end
