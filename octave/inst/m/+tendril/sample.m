function s = sample(robot, rod, at)
  % s = tendril.sample(robot, rod, at)
  % A rod (name or number) at arc lengths `at`, m; beyond its ends those are meant. Struct with a column for each place:
  %   position    3  m, world
  %   quaternion  4  w, x, y, z, section to world
  %   strain      6  curvature x, y, twist rate (1/m), shear x, y, stretch
  %   wrench      6  internal moment (N m), force (N), in the axes of the section
  %   velocity    6  angular (rad/s), linear (m/s), in the axes of the section

  s = tendril_mex('sample', robot, rod, at);
end
