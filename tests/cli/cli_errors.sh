# Wrong input: a message that names the place, exit code 2, nothing on stdout, nothing left behind.
. "$(dirname "$0")/lib.sh"

expect 2 check missing.yaml
says err "missing.yaml: "
silent out

sed 's/length: 0.4/lenght: 0.4/' arm.yaml >typo.yaml
line=$(grep -n lenght typo.yaml | cut -d: -f1)
expect 2 check typo.yaml
says err "typo.yaml:$line:"
says err "lenght"
says err "did you mean 'length'?"
silent out

expect 2 check typo.yaml --json
is_json out
holds "j['status'] == 'TD_ERR_VALUE' or j['status'] == 'TD_ERR_PARSE'"
holds "j['line'] == $line and j['column'] > 1 and 'lenght' in j['message']"

sed 's/radius: 1 mm/radius: 1 kg/' arm.yaml >unit.yaml
expect 2 run unit.yaml
says err "unit.yaml:"
says err "section.radius"
says err "mass"
[ ! -e results ] || fail "a robot file with a mistake left a result folder"

echo "tendril: [1" >broken.yaml
expect 2 check broken.yaml
says err "broken.yaml:"

expect 2 run arm.yaml --set rods.backbone.length=-1
says err "rods.backbone.length"
expect 2 run arm.yaml --set nonsense
says err "nonsense"
expect 2 run arm.yaml --set inputs.psh='3 N'
says err "psh"
expect 2 run arm.yaml --model nothing
says err "'nothing' is not a model. Known models: "
expect 2 run arm.yaml --model cosera
says err "'cosera' is not a model; did you mean 'cosserat'? Known models: "
expect 2 simulate arm.yaml
says err "simulate: no such verb; did you mean run?"
expect 2 simulat arm.yaml
says err "did you mean run?"
expect 2 valdiate arm.yaml
says err "did you mean check?"
expect 2 stat arm.yaml
says err "did you mean statics?"
expect 2 qwertz arm.yaml
says err "no such verb; tendril --help lists them"
expect 2 run arm.yaml --output here
says err "--output: run has no such option; did you mean --out?"
sed 's/radius: 1 mm/radius: 0.5 m/' arm.yaml >block.yaml
expect 0 check block.yaml
says out "block.yaml: fine, with warnings below"
says out "note: rods.backbone.section: the rod is 0.4 m long and 1 m thick"
expect 0 check arm.yaml
says out "arm.yaml: fine
"
expect 0 check arm.yaml --model eba --set simulation.space.accuracy='0.1 deg'
says out "note: simulation: eba does not read space.accuracy"
expect 0 check arm.yaml --set simulation.space.steps=50 --set simulation.lumped.segments=8
says out "note: simulation: cosserat does not read space.steps, lumped.segments"
# What rods among obstacles do not feel, or feel at once.
cat >among.yaml <<'END'
tendril: 1
rods:
  - {name: wire, length: 1, section: {radius: 1 mm}, material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}, base: {direction: [1, 0, 0]}}
bodies:
  - {name: bob, on: wire, mass: 1 g}
obstacles:
  - {name: bar, cylinder: {radius: 5 mm}, position: [0.5, 0, -0.1]}
  - {name: drum, cylinder: {radius: 50 mm}, position: [0.5, 0, -0.1]}
  - {name: table, plane: {}}
END
expect 0 check among.yaml
says out "note: obstacles.bar: it is 0.01 m thick, and the nodes of rod 'wire'"
says out "note: obstacles.table: the base of rod 'wire', which is held, begins 0.001 m deep in it"
says out "note: obstacles: rods touch them; bodies without the shape of a sphere, a capsule or a box pass through"
! grep -q "obstacles.drum" out || fail "a drum that is thick enough has a note"
expect 0 check among.yaml --model eba
says out "note: obstacles.bar: it is 0.01 m thick, and the nodes of rod 'wire'"
says out "more simulation.lumped.segments see it"
expect 0 check among.yaml --set simulation.space.elements=64
! grep -q "obstacles.bar" out || fail "64 elements see the bar"
expect 0 check arm.yaml --set simulation.space.steps=50 --set simulation.space.scheme=shooting
! grep -q "^note" out || fail "an option that is read is said not to be"
expect 2 run arm.yaml --start statc
says err "did you mean 'static'?"
expect 2 run arm.yaml --start arm.yaml
says err "not an HDF5 file"
expect 2 plot arm.yaml
says err "of a robot file tendril run makes a result"
expect 2 statics arm.yaml --points 1
says err "--points: '1' must be a whole number from 2"
expect 2 statics arm.yaml --points 3.5
expect 2 statics arm.yaml --time '3 kg'
says err "expected a time (s)"
expect 2 statics arm.yaml --time soon
expect 2 plot nowhere
says err "nowhere: there is no result here"
mkdir empty
expect 2 plot empty
says err "no result.h5 in this folder"
if [ -w /dev/full ]; then
    "$TENDRIL" models >/dev/full 2>err
    [ $? = 1 ] || fail "a full stdout is not noticed"
    says err "stdout: cannot write"
fi
finish
