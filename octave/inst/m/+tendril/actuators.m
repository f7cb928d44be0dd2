function a = actuators(robot)
  % a = tendril.actuators(robot)
  % Struct with effort (tension N, pressure Pa) and measure (length m, volume m^3) of each of robot.actuators.

  a = tendril_mex('actuators', robot);
end
