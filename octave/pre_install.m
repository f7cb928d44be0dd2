% pkg install looks through the functions, and would warn of what setup.m speaks of.
function pre_install(description)
  warning('off', 'Octave:shadowed-function');
end
