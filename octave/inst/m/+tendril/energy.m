function e = energy(robot)
  % e = tendril.energy(robot)
  % Struct with kinetic, elastic, gravity, dissipated, work; J.

  e = tendril_mex('energy', robot);
end
