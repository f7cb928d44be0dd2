function answer = begin(robot)
  % answer = tendril.begin(robot)
  % The start of the run that the file describes: time 0, inputs as its signals say, in equilibrium or as simulation.start says.

  answer = tendril_mex('begin', robot);
end
