# URDF and MJCF files become robot files, to be included; what is left out or wrong is said with its place.
. "$(dirname "$0")/lib.sh"

"$TENDRIL" import "$SOURCE/examples/parts/six-joints.urdf" >out 2>err
if grep -q 'without expat' err; then
    echo "built without expat"
    exit 77
fi

parts=$SOURCE/examples/parts
expect 0 import "$parts/six-joints.urdf" --out six.yaml
says err "left out: <visual> in <link>"
cmp -s six.yaml "$parts/six-joints.yaml" || fail "examples/parts/six-joints.yaml is not what import writes"

# Under a robot: limits and inputs are those of the joints.
cat >robot.yaml <<'END'
tendril: 1
include: six.yaml
rods:
  - {name: soft, length: 0.3, material: {youngs_modulus: 2 GPa, poisson_ratio: 0.4, density: 1000},
     section: {radius: 4 mm}, base: {body: flange}}
inputs: {shoulder: 0.4}
END
expect 0 check robot.yaml
says out "held         clamped to column"
expect 0 statics robot.yaml --out still

# What holds it all carries it all: 12.7 kg of links and pi 16e-6 m^2 0.3 m 1000 kg/m^3 of rod.
expect 0 run robot.yaml --quiet --csv --out run --set 'record.fields=[bodies, reactions]' \
    --set simulation.time.step=0.01 --set simulation.time.end=0.02
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /body.stand.hold_reaction.force_z/) k = i; next }
    { off = $k / ((12.7 + 3.14159265 * 16e-6 * 300) * 9.81) - 1; if (off < 0) off = -off; if (!k || off > 1e-6) exit 1 }
    END { if (NR < 2) exit 1 }' run/reactions.csv || fail "what holds the stand does not carry the robot"

expect 0 import "$parts/six-joints.xml" --passive roll --free-base
says out "# Bodies of the MJCF file six-joints.xml"
says out "joint: revolute, axis: [0, 0, 1]"
! grep -q '^  roll:' out || fail "a passive joint has an input"
grep -A5 -- '- name: stand' out | grep -q held && fail "the first body of a vehicle is held"

expect 2 import nowhere.urdf
says err "nowhere.urdf: cannot be opened"
expect 2 import "$parts/six-joints.urdf" --passive knee
says err "no joint has the name 'knee'"
head -c 700 "$parts/six-joints.urdf" >cut.urdf
expect 2 import cut.urdf --out cut.yaml
says err "cut.urdf:"
[ ! -e cut.yaml ] || fail "a file was written for one that was cut off"
printf '<robot><link name="a"><inertial>\n<mass value="1"/><inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>' >heavy.urdf
expect 2 import heavy.urdf
says err "bodies.a.inertia"
expect 2 import robot.yaml
says err "robot.yaml:1:1"

finish
