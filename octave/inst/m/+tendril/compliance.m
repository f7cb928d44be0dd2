function C = compliance(robot, rod, at)
  % C = tendril.compliance(robot, rod, at)
  % How a point answers to a wrench there: 6 x 6, rotation (rad) then translation (m) by moment (N m) then force (N), in the world,
  % of the point at arc length `at` (m) of a rod (name or number).

  C = tendril_mex('compliance', robot, rod, at);
end
