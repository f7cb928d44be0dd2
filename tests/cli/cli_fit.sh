# Numbers from measurements: what is found, what it says, what it writes, and what it refuses.
. "$(dirname "$0")/lib.sh"

# A moment M at the tip bends a rod into an arc of curvature M/EI: E = 1.3 MPa, in mm, one cell empty.
cat >arc.yaml <<'EOF'
tendril: 1
gravity: [0, 0, 0]
materials: {rubber: {youngs_modulus: 1 MPa, poisson_ratio: 0.45, density: 1000}}
rods: [{name: arm, length: 0.3, material: rubber, section: {radius: 5 mm}}]
loads: [{name: bend, at: tip, moment: [0, bend, 0]}]
inputs: {bend: 0 N m}
EOF
"$PYTHON" - <<'EOF'
import math
EI = 1.3e6 * math.pi / 4 * 5e-3**4
with open("arc.csv", "w") as f, open("own.csv", "w") as g:
    f.write('# seen by a camera\n"name";M [mN m];"x, seen";z\n')
    g.write("bend,tip.x [mm],tip.z,note\n")
    for i in range(1, 9):
        M = 5e-4 * i
        k = M / EI
        x, z = (1 - math.cos(0.3 * k)) / k, math.sin(0.3 * k) / k
        f.write(f"row {i};{1e3 * M!r};{'' if i == 3 else repr(1e3 * x)};{1e3 * z!r}\n")
        g.write(f"{M!r},{1e3 * x!r},{z!r},hello\n")
EOF
map='M=input.bend, 3=tip.x:mm, z=tip.z:mm'
vary=materials.rubber.youngs_modulus='0.1..10 MPa'
expect 0 fit arc.yaml --data arc.csv --map "$map" --vary "$vary" --hold-out 0.25 --json --write found.yaml
is_json out
holds 'abs(j["parameters"][0]["value"] / 1.3e6 - 1) < 1e-8 and j["parameters"][0]["known"]'
holds 'j["parameters"][0]["start"] == 1e6 and j["status"] == "TD_OK" and j["measured"] == 11'
holds 'j["outputs"][0]["held_out_after"] < 1e-9 and j["outputs"][0]["before"] > 1e-3 and j["outputs"][0]["unit"] == "m"'
silent err
expect 0 fit found.yaml --data own.csv --vary "$vary" --json
holds 'j["iterations"] <= 1 and abs(j["parameters"][0]["start"] / 1.3e6 - 1) < 1e-8'
# what the robot's file names lies beside it, not where the program runs
mkdir -p beside
{ cat arc.yaml; echo 'obstacles: [{name: rock, stiffness: 1e4, mesh: {file: rock.stl, resolution: 1 m}}]'; } >beside/arc.yaml
{
    echo solid rock
    for c in '0 0 9  0 1 9  1 0 9' '0 0 9  1 0 9  0 0 10' '0 0 9  0 0 10  0 1 9' '1 0 9  0 1 9  0 0 10'; do
        echo "facet normal 0 0 0 outer loop $(echo $c | xargs -n 3 echo vertex) endloop endfacet"
    done
    echo endsolid
} >beside/rock.stl
expect 0 fit beside/arc.yaml --data own.csv --vary "$vary" --json
holds 'abs(j["parameters"][0]["value"] / 1.3e6 - 1) < 1e-8'

expect 2 fit arc.yaml --data own.csv --test arc.csv --map 'bend=input.bend, tip.z=tip.z' --vary "$vary"
says err "arc.csv: there is no column 'bend'"
head -4 own.csv >first.csv
expect 0 fit arc.yaml --data first.csv --test own.csv --vary "$vary" --json
holds 'j["outputs"][0]["measured"] == 3 and j["outputs"][0]["held_out"] == 8 and j["outputs"][0]["held_out_after"] < 1e-9'
expect 0 fit arc.yaml --data own.csv --vary "$vary" --model constant_curvature
says out "interval of 95 %"
says out "converged after"
# the same bits whatever the number of threads
expect 0 fit arc.yaml --data own.csv --vary "$vary" --json --threads 1
mv out one
expect 0 fit arc.yaml --data own.csv --vary "$vary" --json --threads 3
cmp -s one out || fail "threads change the result"
# a bound that stops it
expect 0 fit arc.yaml --data own.csv --vary materials.rubber.youngs_modulus='0.5..1.1 MPa'
says out "at its bound"
# a wild point
sed 's/^0.002,[^,]*/0.002,-900/' own.csv >wild.csv
expect 0 fit arc.yaml --data wild.csv --vary "$vary" --robust '1 mm' --json
holds 'abs(j["parameters"][0]["value"] / 1.3e6 - 1) < 1e-2'
expect 0 fit arc.yaml --data wild.csv --vary "$vary" --json
holds 'abs(j["parameters"][0]["value"] / 1.3e6 - 1) > 5e-2'

# A released cantilever knows its stiffness by its mass, and its damping.
cat >swing.yaml <<'EOF'
tendril: 1
gravity: [0, 0, 0]
materials: {steel: {youngs_modulus: 190 GPa, poisson_ratio: 0.3, density: 7500}}
rods: [{name: beam, length: 0.4, material: steel, section: {radius: 1 mm}, damping: {time: 1 ms}}]
initial: {coordinates: {rod.beam.node*.curvature_y: 0.5}}
simulation: {theory: kirchhoff, space: {nodes: 6}, time: {step: 4 ms, end: 0.2 s}}
EOF
expect 0 run swing.yaml --set materials.steel.density=8000 --set rods.beam.damping.time='2 ms' --csv --quiet --out swing
three="--vary materials.steel.youngs_modulus=1e11..4e11 --vary materials.steel.density=3000..20000 --vary rods.beam.damping.time=1e-4..1e-2"
# shellcheck disable=SC2086
expect 0 fit swing.yaml --data swing/tip.csv --map 'time=time, beam.x=tip.x' $three
says out "only materials.steel.youngs_modulus / materials.steel.density is known, not each by itself"
says out "not known"
# shellcheck disable=SC2086
expect 0 fit swing.yaml --data swing/tip.csv --map 'time=time, beam.x=tip.x' $three --json
holds 'j["parameters"][0]["error"] is None and j["parameters"][2]["known"] and len(j["unknown"]) == 1'
holds 'abs(j["parameters"][2]["value"] / 2e-3 - 1) < 1e-7'
if command -v gnuplot >/dev/null; then
    # shellcheck disable=SC2086
    expect 0 fit swing.yaml --data swing/tip.csv --map 'time=time, beam.x=tip.x' $three --picture fit.svg
    for word in computed measured time; do grep -q "$word" fit.svg || fail "the picture does not say $word"; done
    "$PYTHON" "$here/svg_text.py" fit.svg >out 2>err || fail "fit.svg: texts collide"
fi

# A marker where the tip is sees what the tip does, and its offset is found to be none.
expect 0 fit arc.yaml --data own.csv --map 'bend=input.bend, tip.x=marker.m.x:mm, tip.z=marker.m.z' --marker m='tip+0,0,2 mm' --vary "$vary" --vary data.marker.m.z='-10..10 mm' --json
holds 'abs(j["parameters"][0]["value"] / 1.3e6 - 1) < 1e-7 and abs(j["parameters"][1]["value"]) < 1e-9 and j["parameters"][1]["start"] == 2e-3'
expect 2 fit arc.yaml --data own.csv --vary "$vary" --marker m=tip
says err "--marker: 'm=tip' is not NAME=PLACE+X,Y,Z"
expect 2 fit arc.yaml --data own.csv --vary "$vary" --marker m='tip+1,2'
says err "must be a length"
expect 2 fit arc.yaml --data own.csv --map 'tip.x=marker.n.x' --marker m='tip+0,0,0' --vary "$vary"
says err "marker.n.x: there is no such marker"

# Refusals: place, value, expectation.
expect 2 fit arc.yaml --data own.csv
says err "--vary: is missing"
expect 2 fit arc.yaml --vary "$vary"
says err "--data: is missing"
expect 2 fit arc.yaml --data own.csv --vary materials.rubber.youngs_modulus=1
says err "expected PATH=LOW..HIGH"
expect 2 fit arc.yaml --data own.csv --vary materials.rubber.youngs_modulus='1..2 mm'
says err "is a length (m), but a pressure (Pa) is expected"
expect 2 fit arc.yaml --data own.csv --vary materials.rubber.youngs_modules=1..2
says err "youngs_modul"
expect 2 fit arc.yaml --data own.csv --vary materials.rubber.youngs_modulus='2..3 MPa'
says err "starts at 1e+06, which is not within 2e+06 and 3e+06"
expect 2 fit arc.yaml --data none.csv --vary "$vary"
says err "none.csv: No such file"
expect 2 fit arc.yaml --data arc.csv --vary "$vary"
says err "no column is an output of the robot"
expect 2 fit arc.yaml --data own.csv --map 'tip.x=tip.x:N' --vary "$vary"
says err "--map: tip.x: 'N' does not go with a length (m)"
expect 2 fit arc.yaml --data own.csv --map 'tip.q=tip.x' --vary "$vary"
says err "own.csv: there is no column 'tip.q'; did you mean 'tip.x'?"
expect 2 fit arc.yaml --data own.csv --map 'tip.x=tip.q' --vary "$vary"
says err "'tip.q' is no time, input or output"
expect 2 fit arc.yaml --data own.csv --map 'note=tip.x' --vary "$vary"
says err "own.csv:2: column 'note'"
expect 2 fit arc.yaml --data own.csv --map 'tip.x=tip.x, tip.z=tip.turn_y' --vary "$vary"
says err "the noise of each must be given"
expect 2 fit arc.yaml --data own.csv --vary "$vary" --noise tip.x='1 mm'
says err "--noise: is given for others, but not for tip.z"
expect 2 fit arc.yaml --data own.csv --vary "$vary" --noise tip.x='1 N'
says err "--noise: tip.x is a length (m)"
printf 'bend,tip.x\n1\n' >short.csv
expect 2 fit arc.yaml --data short.csv --vary "$vary"
says err "short.csv:2: 1 cells, but the header has 2"
expect 2 fit arc.yaml --data own.csv --vary "$vary" --hold-out 1.5
says err "--hold-out: 1.5 must be a share"
expect 2 fit arc.yaml --data own.csv --vary "$vary" --write arc.yaml
says err "would replace the robot file"
finish
