# The best of a study: what is found, what it says, writes and draws, and what it refuses.
. "$(dirname "$0")/lib.sh"

# A moment M at the tip bends a rod into an arc: half a circle where M L/EI = pi.
cat >arm.yaml <<'YAML'
tendril: 1
gravity: [0, 0, 0]
materials: {rubber: {youngs_modulus: 1 MPa, poisson_ratio: 0.45, density: 1000}}
rods: [{name: arm, length: 0.3, material: rubber, section: {radius: 5 mm}, damping: {time: 5 ms}}]
loads: [{name: bend, at: tip, moment: [0, bend, 0]}]
inputs: {bend: 0 N m}
simulation: {time: {scheme: sdirk2, step: 10 ms, end: 0.2 s}}
YAML
cat >half.yaml <<'YAML'
study: 1
name: half a circle
robot: arm.yaml
parameters: {m: {input: bend, range: [1 mN m, 12 mN m]}}
results: {z: tip.z}
optimise: {minimise: (100*z)^2, tolerance: 1e-9}
YAML
expect 0 optimise half.yaml --json --write best.yaml
is_json out
holds 'abs(j["parameters"][0]["value"] / (1e6 * 3.14159265 / 4 * 5e-3**4 * 3.14159265 / 0.3) - 1) < 1e-5'
holds 'j["status"] == "TD_OK" and j["slopes"] == "exact" and j["parameters"][0]["unit"] == "N m"'
silent err
expect 0 check best.yaml
expect 0 optimise half.yaml --set materials.rubber.youngs_modulus='2 MPa' --json
holds 'abs(j["parameters"][0]["value"] / (2e6 * 3.14159265 / 4 * 5e-3**4 * 3.14159265 / 0.3) - 1) < 1e-5'

expect 0 optimise half.yaml --json --differences
holds 'j["slopes"] == "central differences" and abs(j["parameters"][0]["value"] / (1e6 * 3.14159265 / 4 * 5e-3**4 * 3.14159265 / 0.3) - 1) < 1e-5'

# the same bits whatever the number of threads
expect 0 optimise half.yaml --json --threads 1
mv out one
expect 0 optimise half.yaml --json --threads 3
cmp -s one out || fail "threads change the result"

# the course of an input: exact slopes, a picture
cat >swing.yaml <<'YAML'
study: 1
robot: arm.yaml
action: run
parameters: {u: {input: bend, from: 0, knots: [0.1, 0.2], range: [-0.01, 0.01]}}
results: {effort: 'integral((1000*input.bend)^2)', x: tip.x}
optimise: {minimise: effort, subject_to: [x = 20 mm]}
YAML
expect 0 optimise swing.yaml
says out "slopes: exact"
says out "x = 20 mm"
says out "u.2"
if command -v gnuplot >/dev/null; then
    expect 0 optimise swing.yaml --picture swing.svg
    for word in "input bend" start best minimised; do grep -q "$word" swing.svg || fail "the picture does not say $word"; done
    "$PYTHON" "$here/svg_text.py" swing.svg >out 2>err || fail "swing.svg: texts collide"
fi

# Lists are tried in all combinations.
printf 'study: 1\nparameters: {x: {range: [0, 4]}, n: {values: [1, 2, 3]}}\nresults: {y: (x - n)^2 + 0.5*n}\noptimise: {maximise: 0 - y}\n' >list.yaml
expect 0 optimise list.yaml --json
holds 'len(j["combinations"]) == 3 and abs(j["value"] + 0.5) < 1e-9 and j["parameters"][1]["value"] == 1'
expect 0 optimise list.yaml
says out "combinations"

# Refusals: place, value, expectation.
sed 's/x = 20 mm/x = 290 mm/; s/-0.01, 0.01/-0.001, 0.001/' swing.yaml >far.yaml
expect 1 optimise far.yaml
says err "nothing was found that meets 'x = 290 mm'"
says out "missed"
sed 's/minimise: effort/minimise: efort/' swing.yaml >bad.yaml
expect 2 optimise bad.yaml
says err "bad.yaml:6:"
says err "efort"
sed 's/x = 20 mm/tip.z <= 1/' swing.yaml >bad.yaml
expect 2 optimise bad.yaml
says err "give that a name under 'results'"
sed '/^optimise/d' swing.yaml >bad.yaml
expect 2 optimise bad.yaml
says err "has no 'optimise'"
expect 2 optimise arm.yaml
says err "a study begins with"
expect 2 optimise none.yaml
finish
