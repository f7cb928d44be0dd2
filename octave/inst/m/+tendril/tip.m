function [p, R] = tip(robot, rod)
  % [p, R] = tendril.tip(robot)         of the first rod
  % [p, R] = tendril.tip(robot, rod)    of a rod by name or number
  % Position of the tip, m, and its rotation matrix, section to world.

  if nargin < 2
    rod = 1;
  end
  s = tendril_mex('sample', robot, rod, Inf);
  p = s.position;
  w = s.quaternion(1);
  v = s.quaternion(2:4);
  cross_v = [0, -v(3), v(2); v(3), 0, -v(1); -v(2), v(1), 0];
  R = eye(3) + 2 * w * cross_v + 2 * cross_v * cross_v;
end
