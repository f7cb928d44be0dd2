function restart(robot)
  % tendril.restart(robot)
  % Call it after an input has jumped: steps then do not build on the motion before.

  tendril_mex('restart', robot);
end
