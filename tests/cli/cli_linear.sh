# Modes, responses and matrices against closed forms, what they write, and what they refuse.
. "$(dirname "$0")/lib.sh"

# A clamped beam: beta L = 1.87510, 4.69409, 7.85476 in both planes.
expect 0 modes beam.yaml --json
is_json out
holds 'all(abs(j["modes"][2 * i + k]["im"] / (b**2 / 0.16 * math.sqrt(207e9 * 1e-6 / 4 / 8000)) - 1) < 1e-6
       for i, b in enumerate([1.8751040687, 4.6940911330, 7.8547574382]) for k in (0, 1))'
holds 'j["stability"] == "stable" and j["n_modes"] == 32 and len(j["modes"]) == 10'
holds 'all(m["kind"] == "oscillates" and m["time_constant"] is None for m in j["modes"])'
expect 0 modes beam.yaml --count 2
says out "2 of 32 modes"
says out "stable: nothing damps mode 1, which swings on"
# of many coordinates only those asked for are known, and it says so
expect 0 modes beam.yaml --count 2 --set simulation.space.elements=5
says out "the 2 modes nearest to 0"
says out "among the 2 modes nearest to 0"
expect 0 modes beam.yaml --count 2 --json --set simulation.space.elements=5
holds 'j["n_modes"] == 2 and not j["all_modes"]'
expect 0 modes beam.yaml --count 3 --csv
[ "$(wc -l <out)" = 4 ] || fail "CSV of three modes has not four lines"
says out "mode,frequency [Hz],damping"
silent err
# Beck: a push that follows the tip makes it flutter from 20.05 EI/L^2 on.
force() { "$PYTHON" -c "import math; print(-$1 * 207e9 * math.pi / 4 * 1e-12 / 0.16, 'N')"; }
expect 0 modes beck.yaml --set inputs.push="$(force 20.0)"
says out "stable: "
expect 0 modes beck.yaml --set inputs.push="$(force 20.1)"
says out "flutters, e-fold in"
expect 0 statics beck.yaml --set inputs.push="$(force 20.1)"
says out "stability: no divergence, smallest eigenvalue"
says out "not against flutter; tendril modes tells of both"
expect 0 statics beck.yaml --set inputs.push="$(force 20.1)" --json
holds 'j["stability"]["verdict"] == "no divergence" and "flutter" in j["stability"]["message"]'
expect 0 statics beam.yaml
says out "stability: stable"
# controllers are no part of it, which is said
expect 0 modes "$SOURCE/examples/controlled-arm.yaml" --count 1
says err "this is the robot alone: its controllers hold what they said last"
expect 0 modes "$SOURCE/examples/controlled-arm.yaml" --count 1 --json
holds '"the robot alone" in j["notes"][-1]'
# It is the input of that time that counts.
expect 0 modes beck.yaml --set inputs.push="{step: {from: 0 N, to: $(force 21), at: 1 s}}" --time 1
says out "unstable"
expect 0 modes beck.yaml --set inputs.push="{step: {from: 0 N, to: $(force 21), at: 1 s}}" --time 0.9
says out "stable: nothing"

# One mass on a spring that bends: K = 3 EI/L^3, D = K times the damping time, x/F = 1/(K - w^2 m + i w D).
expect 0 modes spring.yaml --count 1 --json
holds 'abs(j["modes"][0]["frequency"] * 2 * math.pi / math.sqrt(3 * 207e9 * math.pi / 4 * 1e-12 / 0.064 / 0.1) - 1) < 1e-5'
holds 'abs(1 / (j["modes"][0]["time_constant"] * 0.5 * 2e-3 * 3 * 207e9 * math.pi / 4 * 1e-12 / 0.064 / 0.1) - 1) < 1e-5'
holds 'j["reason"].startswith("every motion dies away")'
expect 0 response spring.yaml --output tip.x,tip.velocity_x,tip.y --from '0.1 Hz' --to '10 Hz' --points 9 --json
is_json out
cat >check.py <<'END'
import cmath, json, math
j = json.load(open("out"))
K, m = 3 * 207e9 * math.pi / 4 * 1e-12 / 0.064, 0.1
x, v, y = j["outputs"]
assert [o["unit"] for o in j["outputs"]] == ["m/N", "m/s/N", "m/N"] and j["input"] == "push", j
assert abs(j["frequency"][0] - 0.1) < 1e-12 and abs(j["frequency"][-1] - 10) < 1e-9
assert abs(j["frequency"][4] - 1) < 1e-12
for i, f in enumerate(j["frequency"]):
    w = 2 * math.pi * f
    h = 1 / (K - w * w * m + 1j * w * 2e-3 * K)
    found = cmath.rect(x["gain"][i], math.radians(x["phase"][i]))
    assert abs(found / h - 1) < 1e-5, (f, found, h)
    moving = cmath.rect(v["gain"][i], math.radians(v["phase"][i]))
    assert abs(moving / (1j * w * h) - 1) < 1e-5, (f, moving)
    assert y["gain"][i] < 1e-9 * x["gain"][i], y
END
"$PYTHON" check.py >check.out 2>&1 || fail "response of one mode: $(cat check.out)"
expect 0 response spring.yaml --points 3 --csv
[ "$(wc -l <out)" = 4 ] || fail "CSV of three frequencies has not four lines"
says out "tip.x gain [m/N],tip.x phase [deg]"
expect 0 response spring.yaml --output tip.x --points 3
says out "response to push about the equilibrium"

# Matrices: those of the same spring, reduced by hand. One step of them is what the step map says.
expect 0 linearise spring.yaml --outputs tip.x,rod.beam.base_reaction.moment_y --json
is_json out
holds 'j["outputs"] == {"names": ["tip.x", "rod.beam.base_reaction.moment_y"], "units": ["m", "N m"]}'
holds 'j["inputs"] == {"names": ["push"], "units": ["N"]} and j["n_multipliers"] == 0'
holds 'len(j["M"]) == len(j["K"]) == len(j["B"]) == j["n_coordinates"] == len(j["C"][0])'
holds 'max(abs(j["K"][a][b] - j["K"][b][a]) for a in range(len(j["K"])) for b in range(a)) < 1e-9 * max(map(max, j["K"]))'
holds 'len(j["C"]) == 2 and "step_A" not in j'
holds 'len(j["coordinates"]["names"]) == j["n_coordinates"] and j["coordinates"]["names"][0] == "rod.beam.node1.curvature_x"'
holds 'j["coordinates"]["units"][:6] == ["1/m"] * 3 + ["1"] * 3 or j["coordinates"]["units"][:6] == ["1/m"] * 6'
cat >solve.py <<'END'
import json, math
j = json.load(open("out"))
n = j["n_coordinates"]
a = [row + b for row, b in zip(j["K"], j["B"])]  # K z = B: the deflection under a push
for i in range(n):
    p = max(range(i, n), key=lambda r: abs(a[r][i]))
    a[i], a[p] = a[p], a[i]
    for r in range(n):
        if r != i:
            f = a[r][i] / a[i][i]
            a[r] = [x - f * y for x, y in zip(a[r], a[i])]
z = [a[i][n] / a[i][i] for i in range(n)]
tip, moment = (sum(c * x for c, x in zip(row, z)) + f[0] for row, f in zip(j["C"], j["F"]))
K = 3 * 207e9 * math.pi / 4 * 1e-12 / 0.064
assert abs(tip * K - 1) < 1e-7, tip * K
assert abs(moment + 0.4) < 1e-6, moment
END
"$PYTHON" solve.py >check.out 2>&1 || fail "matrices: $(cat check.out)"
expect 0 linearise spring.yaml --outputs tip.position --dt '1 ms' --hdf5 spring.h5 --octave spring_matrices.m
says out "outputs: tip.x [m], tip.y [m], tip.z [m]"
[ "$(head -c 4 spring.h5 | tail -c 3)" = HDF ] || fail "not HDF5"
for word in M D K B B1 B2 C C1 C2 F F1 F2 step_A step_B step_B0 step_C step_D step_D0 sys_A sys_B; do
    grep -q "^$word = " spring_matrices.m || fail "the script for Octave has no $word"
done
if command -v octave-cli >/dev/null; then
    echo 'spring_matrices; w = 2 * pi; H = sys_C * ((1i * w * eye(size(sys_A)) - sys_A) \ sys_B) + sys_D;
          k = 3 * 207e9 * pi / 4 * 1e-12 / 0.064; d = H(1) * (k - w^2 * 0.1 + 1i * w * 2e-3 * k) - 1;
          if abs(d) > 1e-5, disp(d), exit(1), end' >check.m
    octave-cli --no-gui --quiet check.m >out 2>err || fail "Octave"
    # the slowest pole of the stepped system: exp(s dt), s = -w^2 tau/2 + i w sqrt(1 - (w tau/2)^2)
    echo 'spring_matrices; w = sqrt(3 * 207e9 * pi / 4 * 1e-12 / 0.064 / 0.1);
          s = -w^2 * 2e-3 / 2 + 1i * w * sqrt(1 - (w * 1e-3)^2);
          if min(abs(eig(step_A) - exp(s * 1e-3))) > 1e-6, disp(s), exit(1), end
          if numel(outputs_names) != rows(C) || numel(inputs_names) != columns(B), exit(1), end' >poles.m
    octave-cli --no-gui --quiet poles.m >out 2>err || fail "Octave: poles"
    # what flows in a material has no mass: against the equations of second order
    cat >massless.yaml <<'END'
tendril: 1
rods: [{name: arm, length: 0.2, section: {radius: 4 mm}, base: {direction: [0, 0, -1]}, material: {youngs_modulus: 1 MPa, poisson_ratio: 0.4, density: 1000, relaxation: {shares: [0.3, 0.2], times: [0.05, 0.4]}}, damping: {time: 4 ms}}]
loads: [{name: tip, at: tip, force: [push, 0, 0]}]
simulation: {space: {nodes: 3}}
END
    expect 0 linearise massless.yaml --outputs tip.x,tip.velocity_x --octave massless_matrices.m
    echo 'massless_matrices; if numel(f) < 12, exit(1), end
          for w = [0.3, 20, 400]
              H = sys_C * ((1i * w * eye(size(sys_A)) - sys_A) \ sys_B) + sys_D;
              G = (C + 1i * w * C1 - w^2 * C2) * ((K + 1i * w * D - w^2 * M) \ B) + F;
              if norm(H - G) > 1e-7 * norm(G), disp(norm(H - G) / norm(G)), exit(1), end
          end' >massless.m
    octave-cli --no-gui --quiet massless.m >out 2>err || fail "Octave: $(cat out err)"
else
    echo "no octave-cli here: the script for Octave was not run"
fi
# Written again, but not over what is somebody else's.
expect 0 linearise spring.yaml --hdf5 spring.h5 --octave spring_matrices.m
cp spring.yaml mine.m
expect 2 linearise spring.yaml --octave mine.m
says err "there is a file that this program did not write"
expect 2 linearise spring.yaml --hdf5 spring.yaml
expect 2 linearise spring.yaml --octave no/such/folder/a.m
says err "cannot write"

# Names.
expect 0 linearise "$SOURCE/examples/tendon-arm.yaml" \
    --outputs 'rod.backbone.50 %.strain,body.object.velocity, tendon.up.tension'
says out "rod.backbone.50 %.u_x [1/m]"
says out "tendon.up.tension [N]"
says out "body.object.omega_x [rad/s]"
expect 2 linearise spring.yaml --outputs tip.pos
says err "did you mean 'pose'?"
expect 2 linearise spring.yaml --outputs rod.bean.tip.x
says err "there is no rod 'bean'; did you mean 'beam'?"
expect 2 linearise spring.yaml --outputs rod.beam.0.5.x
says err "'0.5' must be base, tip, a length up to 0.4 m or a percentage"
expect 2 linearise spring.yaml --outputs body.weight.strain
says err "a body has pose"
expect 2 linearise spring.yaml --outputs rod.beam.base_reaction.x
says err "a reaction has moment, force"
expect 2 linearise spring.yaml --outputs tendon.cable.tension
says err "there is no tendon 'cable'"
expect 2 linearise spring.yaml --outputs tension
says err "there are outputs like tip.pose"
expect 2 linearise spring.yaml --outputs ,
expect 2 linearise spring.yaml --dt '-1 ms'
says err "must be above 0"
expect 2 response spring.yaml --input pusch
says err "did you mean 'push'?"
expect 2 response beam.yaml
says err "the robot has no input"
expect 2 response spring.yaml --from 10 --to 1
says err "must be above 0 and below --to"
expect 2 response spring.yaml --from '1 kg'
says err "is a mass (kg)"
expect 2 modes beam.yaml --count 0
expect 2 modes beam.yaml --mode 49 --film none.gif
says err "there are only 32"
expect 1 modes beam.yaml --set simulation.space.scheme=shooting
says err "'collocation' has"

# Pictures and films.
command -v gnuplot >/dev/null || finish
expect 0 modes beam.yaml --count 3 --picture modes.svg
says out "modes.svg"
cp modes.svg out
says out "1: 8.895 Hz"
expect 0 modes "$SOURCE/examples/two-segment-arm.yaml" --count 13 --picture modes.png --view 3d --json
is_json out
[ -s modes.png ] || fail "no picture of modes"
expect 0 response spring.yaml --output tip.x --picture response.pdf
says out "response.pdf"
expect 2 response spring.yaml --output tip.pose --picture response.png
says err "does not go on one axis"
expect 2 modes beam.yaml --picture modes.txt
says err "--picture: 'modes.txt' must end in .png, .svg or .pdf"
[ ! -s out ] || fail "modes were computed for a picture that cannot be drawn"
expect 2 modes beam.yaml --picture modes.png --view xx
says err "--view: 'xx' must be"
expect 0 modes beam.yaml --film mode.gif --mode 3
"$PYTHON" "$here/gif_frames.py" mode.gif 640 480 "$(sed -n 's/^mode.gif: \([0-9]*\) frames.*/\1/p' out)" 5 >out 2>err ||
    fail "mode.gif"
expect 2 modes beam.yaml --film mode.avi
says err "--film: 'mode.avi' must end in .mp4 or .gif"

# What touches an obstacle stays on it, and that is said.
cat >lying.yaml <<'END'
tendril: 1
rods:
  - {name: wire, length: 1, section: {radius: 1 mm}, material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}, base: {direction: [1, 0, 0]}}
obstacles:
  - {name: table, plane: {}, position: [0, 0, -1 mm]}
END
expect 0 modes lying.yaml
says err "what touches an obstacle now stays on it"
expect 0 modes lying.yaml --set simulation.model=eba
says err "what touches an obstacle now stays on it"
expect 1 modes lying.yaml --set simulation.model=rom
says err "has obstacles"

# The best gain goes to a scenario that runs, and calms what swings.
cat >swinging.yaml <<'END'
tendril: 1
gravity: [0, 0, 0]
rods:
  - {name: wire, length: 0.3, section: {radius: 1 mm}, material: {youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 1000}, damping: {time: 1 ms}}
loads: [{name: tip, at: tip, force: [push, 0, 0]}]
initial: {velocities: {"rod.wire.node*.curvature_y": 20}}
simulation: {time: {scheme: sdirk2, step: 5 ms, end: 1 s}, space: {nodes: 4}}
END
expect 0 linearise swinging.yaml --outputs tip.x --dt '2 ms' --lqr push --price 1e-4 --scenario calm.yaml
for file in swinging calm; do
    expect 0 run $file.yaml --set simulation.time.step='2 ms' --out results/$file --csv --quiet
done
"$PYTHON" - <<'END' || fail "the controller does not calm the wire"
import csv
def late(name):
    rows = list(csv.reader(open(f"results/{name}/tip.csv")))
    x = next(i for i, column in enumerate(rows[0]) if "x [m]" in column)
    return max(abs(float(row[x])) for row in rows[1:] if float(row[0]) > 0.8)
print(late("swinging"), late("calm"))
raise SystemExit(not 0.0 < late("calm") < 0.02 * late("swinging"))
END
expect 2 linearise swinging.yaml --outputs tip.x --lqr push --scenario calm.yaml
says err "--lqr: --dt is missing"
expect 2 linearise swinging.yaml --outputs tip.x --dt '2 ms' --lqr pusch --scenario calm.yaml
says err "did you mean 'push'?"
expect 2 linearise swinging.yaml --outputs tip.x --dt '2 ms' --lqr push --price 0 --scenario calm.yaml
says err "--price: '0' must be a number above 0"
expect 1 linearise swinging.yaml --set simulation.time.scheme=bdf2 --outputs tip.x --dt '2 ms' --lqr push --scenario calm.yaml
says err "sdirk2 does not"
cp swinging.yaml own.yaml
expect 2 linearise swinging.yaml --outputs tip.x --dt '2 ms' --lqr push --scenario own.yaml
says err "was not written by this program"
cmp -s swinging.yaml own.yaml || fail "a file of the user was overwritten"
finish
