function close(robot)
  % tendril.close(robot)
  % Frees a robot that tendril.load gave.

  tendril_mex('close', robot);
end
