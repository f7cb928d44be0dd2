# A robot that is watched: what is found from a run of its file and from tables, what is written and drawn, and what is refused.
. "$(dirname "$0")/lib.sh"

expect 0 estimate "$SOURCE/examples/payload.yaml" --set simulation.time.end='1.6 s' --out watched --picture watched.png
says out 'weight'
[ -s watched.png ] && [ -s watched/result.h5 ] || fail "no picture, or no result"
"$PYTHON" - <<'EOF'
import csv
rows = list(csv.DictReader(open("watched/estimate.csv")))
last = rows[-1]
off = abs(float(last["weight [N]"]) - float(last["weight.truth [N]"]))
assert off < 4 * float(last["weight.deviation [N]"]) < 0.06, last
assert abs(float(last["weight.truth [N]"]) + 0.06) < 1e-12
EOF

# A moment M at the tip bends a rod into an arc of curvature M/EI; gauges read r M/EI.
cat >arc.yaml <<'EOF'
tendril: 1
gravity: [0, 0, 0]
rods: [{name: arm, length: 0.3, material: {youngs_modulus: 1 MPa, poisson_ratio: 0.45, density: 1000}, section: {radius: 5 mm}}]
loads: [{name: bend, at: tip, moment: [0, bend, 0]}]
sensors: [{name: gauge, measures: rod.arm.50 %.gauge, offset: [5 mm, 0], noise: 1e-5}]
estimator: {unknowns: [{input: bend}]}
EOF
"$PYTHON" - <<'EOF'
import math
EI = 1e6 * math.pi / 4 * 5e-3**4
with open("arc.csv", "w") as f:
    f.write("strain [%]\n" + "".join(f"{-100 * 5e-3 * M / EI!r}\n" for M in (1e-3, -2e-3, 3e-3)))
EOF
expect 0 estimate arc.yaml --data arc.csv --map 'strain=gauge' --out arcs
"$PYTHON" - <<'EOF'
import csv
found = [float(row["bend [N m]"]) for row in csv.DictReader(open("arcs/estimate.csv"))]
assert all(abs(a - b) < 1e-8 for a, b in zip(found, (1e-3, -2e-3, 3e-3))), found
EOF

expect 2 estimate arc.yaml --data arc.csv --out arcs
says err 'no column'
expect 2 estimate arc.yaml --data arc.csv --map 'strain=gage' --out arcs
says err 'gage'
# What a controller said is a column, or not known: the run above as a table, with and without it.
"$PYTHON" - <<'EOF'
import csv
rows = list(csv.DictReader(open("watched/estimate.csv")))[:11]
names = [f"camera.{a}" for a in "xyz"]
for missing in (None, "west"):
    pulls = [p for p in ("east", "north", "west", "south") if p != missing]
    with open(f"without_{missing}.csv", "w") as f:
        f.write(",".join(["time", *pulls, *names]) + "\n")
        for row in rows:
            cells = [row["time [s]"], *("0.5" for p in pulls), *(row[f"{n}.measured [m]"] for n in names)]
            f.write(",".join(cells) + "\n")
EOF
expect 0 estimate "$SOURCE/examples/payload.yaml" --data without_None.csv --out given
expect 2 estimate "$SOURCE/examples/payload.yaml" --data without_west.csv --out given
says err "no column 'west': controller 'follow' sets this input"
says err 'estimator.unknowns'
sed 's/input: bend/input: bend, name: M/' arc.yaml >named.yaml
printf 'bend,gauge\n0,0\n' >named.csv
expect 2 estimate named.yaml --data named.csv --out arcs
says err "'bend' is given, and unknown"

# The same readings, in the rows in which they were taken and, of a sensor that is late, in those in which they came: what is known in the end is the same.
cat >late.yaml <<'EOF'
tendril: 1
gravity: [0, 0, 0]
rods: [{name: arm, length: 0.3, material: {youngs_modulus: 1 MPa, poisson_ratio: 0.45, density: 1000}, section: {radius: 5 mm}, damping: {time: 50 ms}}]
loads: [{name: bend, at: tip, moment: [0, bend, 0]}]
sensors: [{name: gauge, measures: rod.arm.50 %.gauge, offset: [5 mm, 0], rate: 50 Hz, noise: 1e-5}]
estimator: {unknowns: [{input: bend, deviation: 1e-5 N m, walk: 1e-5 N m/sqrt(s)}]}
simulation: {time: {scheme: sdirk2, step: 5 ms}}
EOF
sed 's/rate: 50 Hz/rate: 50 Hz, delay: 30 ms/' late.yaml >later.yaml
"$PYTHON" - <<'EOF'
import math
EI = 1e6 * math.pi / 4 * 5e-3**4
for name, lag in (("now", 0), ("late", 3), ("thick", 0)):
    with open(f"{name}.csv", "w") as f:
        f.write("time,gauge\n")
        for k in range(35):
            j = k - lag
            read = name == "thick" or (j % 2 == 0 and 0 <= j <= 30)
            f.write(f"{k / (250 if name == 'thick' else 100)}," + (f"{-5e-3 * 1e-5 * (1 + 0.3 * math.sin(j)) / EI!r}" if read else "") + "\n")
EOF
expect 0 estimate late.yaml --data now.csv --out now
expect 0 estimate later.yaml --data late.csv --out later
"$PYTHON" - <<'EOF'
import csv
now, late = ([row for row in csv.DictReader(open(f"{name}/estimate.csv"))] for name in ("now", "later"))
deviation = float(now[-1]["bend.deviation [N m]"])
assert deviation < 5e-6
assert abs(float(now[-1]["bend [N m]"]) - float(late[-1]["bend [N m]"])) < 1e-4 * deviation, (now[-1], late[-1])
assert abs(float(late[-1]["bend.deviation [N m]"]) / deviation - 1) < 1e-4
assert abs(float(late[10]["bend.deviation [N m]"]) / float(now[10]["bend.deviation [N m]"]) - 1) > 1e-2
EOF
expect 2 estimate later.yaml --data thick.csv --out later
says err 'leave cells empty'

expect 2 estimate "$SOURCE/examples/arm.yaml" --out none
says err 'estimator'

# limits of inputs, in the file's words
expect 0 reach "$SOURCE/examples/arm.yaml" --rod arm --position 0.05,0,0.28 --inputs pull --limits 'pull=[0 N, 1 N]' --json
holds 'abs(j["inputs"]["pull"] - 1) < 1e-9'
expect 2 reach "$SOURCE/examples/arm.yaml" --rod arm --position 0.05,0,0.28 --limits pull
says err 'limits'
finish

# Rows out of order, columns twice or mistyped, inputs without a value, and readings in another unit are told.
printf 'time,gauge\n0,0\n0.02,0\n0.01,0\n' >order.csv
expect 2 estimate late.yaml --data order.csv --out order
says err 'row 3: its time 0.01 s comes after 0.02 s'
printf 'time,gauge,gauge\n0,0,0\n' >twice.csv
expect 2 estimate late.yaml --data twice.csv --out order
says err "two columns are 'gauge'"
printf 'time,gauge,guage\n0,0,0\n' >typo.csv
expect 0 estimate late.yaml --data typo.csv --out order
says err "not used: 'guage'"
says err "did you mean 'gauge'"
sed 's/moment: \[0, bend, 0\]/moment: [0, bend, twist]/' late.yaml >two.yaml
printf 'time,twist,gauge\n0,0,0\n0.1,,0\n' >holes.csv
expect 2 estimate two.yaml --data holes.csv --out order
says err "row 2: input 'twist' has no value"
sed 's/noise: 1e-5}\]/noise: 1e-5}, {name: camera, measures: tip.position, noise: 1 um}, {name: exact, measures: tip.x}, {name: foot, measures: rod.arm.base_reaction.force, noise: 1}]/' late.yaml >seen.yaml
printf 'time,camera.x\n0,0\n0.02,3e5\n' >far.csv
expect 1 estimate seen.yaml --data far.csv --out order
says err 'deviations from what was expected'
says err "sensor 'exact' is not used: it has no noise"
says err "sensor 'foot' is not used: reactions in motion"
