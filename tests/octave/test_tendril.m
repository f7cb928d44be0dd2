% The package for Octave against closed forms, and against the program where it is named as an argument.
%     octave-cli tests/octave/test_tendril.m SETUP [EXAMPLES PROGRAM]   where SETUP puts the package on the path
1;
eval(argv(){1});

function path = write(text)
  path = [tempname(), '.yaml'];
  file = fopen(path, 'w');
  fputs(file, text);
  fclose(file);
end

function near(value, wanted, tolerance, what)
  error_ = max(abs(value(:) - wanted(:)));
  if ~(error_ <= tolerance)
    error('%s: %.15g, not %.15g within %g', what, value(1), wanted(1), tolerance);
  end
end

function refused(action, words)
  try
    action();
  catch problem
    if isempty(strfind(problem.message, words))
      error('"%s" does not speak of "%s"', problem.message, words);
    end
    return
  end
  error('nothing was said about "%s"', words);
end

text = ['tendril: 1', "\n", 'gravity: [0, 0, 0]', "\n", ...
        'rods:', "\n", '  - name: arm', "\n", '    length: 0.3', "\n", ...
        '    material: {youngs_modulus: 200 GPa, poisson_ratio: 0.3, density: 7850}', "\n", ...
        '    section: {radius: 0.5 mm}', "\n", ...
        'tendons: [{name: pull, offset: [8 mm, 0]}]', "\n", ...
        'loads: [{name: side, at: tip, force: [0, push, 0]}]', "\n", ...
        'simulation: {time: {step: 2 ms, end: 0.1 s}}', "\n"];
path = write(text);
EI = 200e9 * pi / 4 * 0.5e-3 ^ 4;
L = 0.3;

% a tendon at a constant offset bends a rod that is free of other loads into an arc of curvature T d / EI
robot = tendril.load(path);
assert(robot.rods, {'arm'});
assert(robot.input_units, {'N'; 'N'});
near(robot.lengths, L, 0, 'length');
tendril.set(robot, 'pull', 3);
answer = tendril.statics(robot);
assert(answer.status, 'TD_OK');
k = 3 * 8e-3 / EI;
[p, R] = tendril.tip(robot);
short = 1 - 3 / (200e9 * pi * 0.5e-3 ^ 2); % the rod is pressed by T / EA
near(p, short * [(1 - cos(k * L)) / k; 0; sin(k * L) / k], 1e-9, 'arc');
near(R * [0; 0; 1], [sin(k * L); 0; cos(k * L)], 1e-9, 'tangent');
near(R' * R, eye(3), 1e-12, 'rotation');
s = tendril.sample(robot, 'arm', [0, 0.1, 0.2]);
near(s.strain(2, :), k * [1, 1, 1], 1e-8, 'curvature');
a = tendril.actuators(robot);
near(a.effort, 3, 1e-12, 'tension');

% the Jacobian against differences of equilibria, and the compliance of a straight rod: L^3 / 3 EI + L / GA
J = tendril.jacobian(robot, 1, L);
h = 1e-4;
tendril.set(robot, 'pull', 3 + h);
tendril.statics(robot);
up = tendril.tip(robot);
tendril.set(robot, 'pull', 3 - h);
tendril.statics(robot);
down = tendril.tip(robot);
column = find(strcmp(robot.inputs, 'pull'));
near(J(4:6, column), (up - down) / (2 * h), 1e-7, 'Jacobian');
tendril.set(robot, zeros(2, 1));
tendril.statics(robot);
C = tendril.compliance(robot, 'arm', L);
GA = 200e9 / 2.6 * pi * 0.5e-3 ^ 2;
near(C(5, 5), L ^ 3 / (3 * EI) + L / GA, 1e-9, 'compliance');

% modes of a cantilever: beta L = 1.8751, 4.6941; each comes twice
m = tendril.modes(robot, 4);
rhoA = 7850 * pi * 0.5e-3 ^ 2;
f = [1.875104069, 4.694091133] .^ 2 / (2 * pi * L ^ 2) * sqrt(EI / rhoA);
near(m.frequency(1:2), [f(1); f(1)], 1e-3 * f(1), 'first mode');
near(m.frequency(3:4), [f(2); f(2)], 2e-3 * f(2), 'second mode');
l = tendril.linearise(robot, 'tip.pose');
near(size(l.C), [6, size(l.K, 1)], 0, 'outputs');
S = tendril.linearise(robot, 'tip.pose');
y = S.C * (S.K \ S.B) + S.F;
J = tendril.jacobian(robot, 1, L);
near(y(4:6, :), J(4:6, :), 1e-8, 'static gain');

% energy is kept by a released rod without damping, to the order of its steps
tendril.set(robot, 'push', 0.05);
tendril.statics(robot);
tendril.set(robot, 'push', 0);
e0 = tendril.energy(robot);
for i = 1:50
  tendril.step(robot, 1e-4);
end
e1 = tendril.energy(robot);
near(tendril.time(robot), 5e-3, 1e-12, 'time');
near(e1.kinetic + e1.elastic - e1.work, e0.elastic, 1e-3 * e0.elastic, 'energy');
tendril.close(robot);

refused(@() tendril.time(robot), 'closed');
refused(@() tendril.load('nowhere.yaml'), 'nowhere.yaml');
refused(@() tendril.load(path, 'rods.arm.lenght=1'), 'lenght');
other = tendril.load(path, 'rods.arm.length=0.6');
near(other.lengths, 0.6, 0, 'override');
refused(@() tendril.set(other, 'pul', 1), 'there is no input ''pul''; there are: pull');
refused(@() tendril.set(other, [1, 2, 3]), '2 real numbers');
refused(@() tendril.set(other, 'pull', NaN), 'finite');
refused(@() tendril.sample(other, 'leg', 0), 'leg');
refused(@() tendril.linearise(other, 'tip.colour'), 'colour');
refused(@() tendril.set(other, [1, Inf]), 'finite');
near(tendril.inputs(other), [0, 0], 0, 'inputs of which one was refused');
refused(@() tendril.set(other, [1i, 0]), '2 real numbers');
refused(@() tendril.set(other, 'pull', 1, 'push'), 'names and values in turn');
refused(@() tendril.set(other, 'pull', 1, 'pusch', 2), 'pusch');
refused(@() tendril.set(other, 'pull', 1, 'push', Inf), 'finite');
near(tendril.inputs(other), [0, 0], 0, 'inputs of which one was refused');
tendril.set(other, 'push', 0.5, 'pull', int32(2));
near(tendril.inputs(other), [2, 0.5], 0, 'inputs by name');
tendril.set(other, sparse([1, 0]));
near(tendril.inputs(other), [1, 0], 0, 'inputs that are sparse');
refused(@() tendril.time(5), 'what tendril.load gave');
refused(@() tendril.load(['a'; 'b']), 'must be text');
refused(@() tendril.sample(other, 'arm', [0, NaN]), 'NaN');
refused(@() tendril.sample(other, 1e300, 0), 'from 1 to 1');
refused(@() tendril.jacobian(other, 'arm', 0.7), 'no arc length 0.7 m: it is 0.6 m long');
refused(@() tendril.modes(other, -1), 'whole number');
refused(@() tendril.step(other, NaN), 'positive and finite');
refused(@() tendril_mex('dance'), 'dance');
tendril.close(other);

% whoever holds on to a robot that was closed does not get the next one
next = tendril.load(path);
refused(@() tendril.time(other), 'closed');
clear tendril_mex
again = tendril.load(path);
refused(@() tendril.time(next), 'closed');
tendril.close(again);
unlink(path);

% the tip of a straight rod that is fed moves on as far
path = write(strrep(text, '    length: 0.3', "    length: 0.3\n    feed: out"));
robot = tendril.load(path);
tendril.set(robot, 'out', 0.1);
tendril.statics(robot);
near(tendril.tip(robot), [0; 0; L + 0.1], 1e-9, 'fed tip');
tendril.close(robot);
unlink(path);

% the run of an example ends where the program's does
names = argv();
if numel(names) >= 3
  robot = tendril.load(fullfile(names{2}, 'arm.yaml'));
  tendril.begin(robot);
  while tendril.time(robot) < robot.end - 1e-9
    tendril.advance(robot);
  end
  here = tendril.tip(robot);
  folder = tempname();
  assert(system(sprintf('%s run %s --out %s --csv --quiet', names{3}, fullfile(names{2}, 'arm.yaml'), folder)), 0);
  rows = dlmread(fullfile(folder, 'tip.csv'), ',', 1, 0);
  near(here, rows(end, 2:4)', 0, 'run');
  confirm_recursive_rmdir(false, 'local');
  rmdir(folder, 's');
end
printf('octave: all checks passed\n');
