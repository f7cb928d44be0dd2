function C = compliance(robot, rod, at)
  % C = tendril.compliance(robot, rod, at)
  % How a point answers to a wrench (moment, force) there: 6 x 6, rotation (rad) then translation (m) in the world.

  C = tendril_mex('compliance', robot, rod, at);
end
