function l = linearise(robot, varargin)
  % l = tendril.linearise(robot, output, ...)
  % Small motions about the present state:
  %   M z'' + D z' + K z = B u + B1 u' + B2 u''
  %   y = C z + C1 z' + C2 z'' + F u + F1 u' + F2 u''
  % z: the coordinates (robot.coordinates), then efforts and reactions that are not given; u: the inputs; y: the outputs,
  % whole ones by name: 'tip.pose', 'rod.arm.50 %.velocity', 'tendon.east.tension'. The matrices are fields of l.

  l = tendril_mex('linearise', robot, varargin);
end
