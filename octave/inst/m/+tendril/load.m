function robot = load(file, varargin)
  % robot = tendril.load(file, override, ...)
  % Reads a robot file. Overrides are as for the program: 'rods.arm.length=0.3'.
  %
  % robot: struct with
  %   handle         what the other functions know it by
  %   model          the model that computes it
  %   step, end      of the simulation in the file, s
  %   inputs         names, with their units in input_units (SI)
  %   rods, lengths  names and lengths, m
  %   bodies, actuators, coordinates  names
  %
  % Free it with tendril.close(robot).

  robot = tendril_mex('load', file, varargin);
end
