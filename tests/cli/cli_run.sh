# Running: results, tables, summaries, folders, stopping and continuing.
. "$(dirname "$0")/lib.sh"

expect 0 run arm.yaml
silent err
says out "finished"
says out "results/arm/result.h5, 41 records"
[ -s results/arm/result.h5 ] || fail "no result.h5 in the default folder"

expect 0 run arm.yaml --quiet
silent out
silent err

expect 0 run arm.yaml --json --out results/json
is_json out
holds 'j["ending"] == "finished" and j["steps"] == 40 and j["records"] == 41'
holds 'abs(j["end_time"] - 0.2) < 1e-12 and j["real_time_ratio"] > 0'
holds '0 <= j["residual"] <= 1e-10 and j["evaluations"]["max"] >= j["evaluations"]["mean"] > 0'
holds '0 <= j["energy_drift"] < 0.2 and j["largest_energy"] > 0'
# Nothing acts out of the x-z plane, and a steel rod keeps its length.
holds 'abs(j["tips"][0]["p"][1]) < 1e-9 and math.hypot(*j["tips"][0]["p"]) < 0.4001'

# --set changes what is computed, and the file keeps it.
expect 0 run arm.yaml --json --set simulation.time.step='2 ms' --set simulation.time.end=0.1 \
    --out=results/set
holds 'j["steps"] == 50 and abs(j["end_time"] - 0.1) < 1e-12'
# An end between two steps is met exactly.
expect 0 run arm.yaml --json --set simulation.time.end=0.0125
holds 'j["steps"] == 3 and abs(j["end_time"] - 0.0125) < 1e-15'
# Time does not drift: many steps end where they should.
expect 0 run arm.yaml --json --set simulation.time.end=20 --set record.every=1 --out results/long
holds 'j["end_time"] == 20.0 and j["steps"] == 4000'
# Every second step, and the last.
expect 0 run arm.yaml --json --set record.every='10 ms' --set simulation.time.end=0.025
holds 'j["steps"] == 5 and j["records"] == 4'

# Tables.
expect 0 run arm.yaml --csv --json --out results/csv
cp out summary.json
"$PYTHON" - >out 2>err <<'END' || fail "the tables are not what they should be"
import csv, json
rows = list(csv.reader(open("results/csv/tip.csv")))
assert rows[0][:4] == ["time [s]", "backbone.x [m]", "backbone.y [m]", "backbone.z [m]"], rows[0]
assert len(rows) == 42 and all(len(r) == 8 for r in rows)
tip = json.load(open("summary.json"))["tips"][0]
assert [float(v) for v in rows[-1][1:4]] == tip["p"]
assert [float(v) for v in rows[-1][4:]] == tip["q"]
pull = [r for r in csv.reader(open("results/csv/inputs.csv"))]
assert pull[0] == ["time [s]", "pull [N]"]
for t, v in pull[1:]:  # the hat of the file
    wanted = max(0.0, 2.0 * (1 - abs(float(t) - 0.05) / 0.03))
    assert abs(float(v) - wanted) < 1e-9, (t, v, wanted)
assert len(list(csv.reader(open("results/csv/shape.csv")))) == 1 + 41 * 11
assert len(list(csv.reader(open("results/csv/energy.csv")))) == 42
END

# Folders: a result is replaced with its tables, anything else is left alone.
expect 0 run arm.yaml --quiet --out results/csv
[ ! -e results/csv/tip.csv ] || fail "an old table survives beside a new result"
mkdir thesis && echo text >thesis/chapter.tex
expect 2 run arm.yaml --out thesis
says err "thesis: the folder holds other files"
[ "$(cat thesis/chapter.tex)" = text ] && [ ! -e thesis/result.h5 ] || fail "a foreign folder was touched"
expect 2 run arm.yaml --out arm.yaml
says err "arm.yaml: this is a file"
if [ "$(id -u)" != 0 ]; then
    mkdir locked && chmod a-w locked
    expect 2 run arm.yaml --out locked/x
    says err "Permission denied"
fi

# Continuing gives what one run gives.
expect 0 run arm.yaml --quiet --set simulation.time.end=0.1 --out results/half
expect 0 run arm.yaml --json --start results/half --out results/rest
cp out continued.json
expect 0 run arm.yaml --json --out results/whole
"$PYTHON" - >>err 2>&1 <<'END' || fail "a continued run differs from one run"
import json
whole, rest = json.load(open("out")), json.load(open("continued.json"))
assert whole["tips"] == rest["tips"], (whole["tips"], rest["tips"])
assert rest["start_time"] == 0.1 or abs(rest["start_time"] - 0.1) < 1e-12
assert rest["steps"] == 20
END
expect 2 run arm.yaml --start results/rest
says err "must be after the start at 0.2 s"
expect 2 run arm.yaml --start results/rest --out results/rest --set simulation.time.end=1
says err "would replace it"
[ -s results/rest/result.h5 ] || fail "the result to continue from is gone"
expect 2 run arm.yaml --start results/rest --set simulation.space.nodes=50 --set simulation.time.end=1
says err "does not fit this robot and its options"

# A release: held by a force, then let go. It swings through to the other side.
expect 0 statics arm.yaml --set inputs.pull='1 N' --save bent.state --json
holds 'j["rods"][0]["poses"][-1]["p"][0] > 0.05'
expect 0 run arm.yaml --start bent.state --set inputs.pull='0 N' --set simulation.time.end=0.06 --json
holds 'j["tips"][0]["p"][0] < -0.02'

# A step that fails: the reason, what was recorded, exit code 1.
expect 1 run arm.yaml --json --out results/fails \
    --set 'inputs.pull={step: {from: 0, to: 1e9 N, at: 0.1}}'
says err "arm.yaml: t = 0.1 s: "
is_json out
holds 'j["ending"] == "failed" and j["message"] != "" and j["records"] == 21'
expect 0 plot results/fails --kind tip --out fails.png

# Ctrl-C: what was recorded is kept.
"$TENDRIL" run arm.yaml --json --out results/stopped --set simulation.time.end=100000 \
    --set record.every='100 ms' >out 2>err &
pid=$!
for _ in $(seq 100); do
    [ -s results/stopped/result.h5 ] && break
    sleep 0.05
done
sleep 0.3
kill -INT $pid
wait $pid
[ $? = 1 ] || fail "Ctrl-C does not end in exit code 1"
says err "stopped at t = "
is_json out
holds 'j["ending"] == "stopped" and j["records"] > 1'
end=$("$PYTHON" -c 'import json; print(json.load(open("out"))["end_time"])')
expect 0 run arm.yaml --json --start results/stopped --out results/on \
    --set simulation.time.end="$("$PYTHON" -c "print($end + 0.05)")"
holds "abs(j['start_time'] - $end) < 1e-9"

# A file that may not grow: an error, exit code 1, and a file that says of itself what it is.
(
    ulimit -f 8000
    "$TENDRIL" run arm.yaml --quiet --out results/full --set simulation.time.end=1000 >out 2>err
)
[ $? = 1 ] || fail "a full disk does not end in exit code 1"
says err "results/full/result.h5: no space left"
says err "are kept"
expect 0 plot results/full --kind tip --out full.png
says err "results/full/result.h5: incomplete"
says err "cut off"
# ... also when only the last records do not fit.
for blocks in 520 700 900 1100; do
    (
        ulimit -f $blocks
        "$TENDRIL" run arm.yaml --quiet --out results/end --set simulation.time.end=2 >out 2>err
    )
    [ $? = 1 ] || continue
    tendril convert results/end --csv --out full
    [ "$code" = 2 ] || says err "incomplete"
done
# Tables, FMUs and others too; an older file stays.
full() { # BLOCKS FILE ARGS...
    local blocks=$1 file=$2
    shift 2
    mkdir -p "$(dirname "$file")"
    echo old >"$file"
    (
        ulimit -f "$blocks"
        "$TENDRIL" "$@" >out 2>err
    )
    [ $? = 1 ] || fail "$1: what does not fit does not end in exit code 1"
    says err "$file: cannot write"
    [ "$(cat "$file")" = old ] || fail "$1: an older file is not as it was"
    [ ! -e "$file.tendril-new" ] || fail "$1: a part of a file is left"
}
full 10 cut/shape.csv convert results/arm --csv --out cut
full 10 cut/vtk/rods_000000.vtp convert results/arm --vtk --out cut
full 100 cut.fmu export arm.yaml --fmu cut.fmu
full 1 cut/errors.csv compare arm.yaml --models eba,ebr --out cut --no-figure
full 1 cut.yaml import "$SOURCE/examples/parts/six-joints.urdf" --out cut.yaml
# Figures and states too; an older file stays.
for kind in png svg pdf; do
    echo old >"cut.$kind"
    (
        ulimit -f 2
        "$TENDRIL" plot results/arm --kind tip --out "cut.$kind" >out 2>err
    )
    [ $? = 1 ] || fail "a figure that does not fit does not end in exit code 1"
    says err "cut.$kind: cannot write the figure"
    [ "$(cat "cut.$kind")" = old ] || fail "a figure that was cut off is left"
done
expect 0 statics arm.yaml --save cut.state
cp cut.state whole.state
(
    ulimit -f 2
    "$TENDRIL" statics arm.yaml --save cut.state >out 2>err
)
[ $? = 1 ] || fail "a state that does not fit does not end in exit code 1"
says err "cut.state: cannot write the state"
cmp -s cut.state whole.state || fail "the older state is gone"
expect 2 statics arm.yaml --save no/such/folder/x.state
says err "No such file or directory"

# Ctrl-C is heard within a step that SUNDIALS takes; it counts as soon as the program has a handler.
cat >stiff.yaml <<END
tendril: 1
rods:
  - {name: a, length: 0.4, section: {radius: 1 mm},
     material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 8000}}
simulation: {model: rom, rom: {order: 20}, start: straight, integration: {method: explicit},
             time: {step: 0.1 s, end: 1 s}}
END
"$TENDRIL" run stiff.yaml >out 2>err &
pid=$!
listens() {
    [ "$(cat /proc/$pid/comm)" = tendril ] && grep -q '^SigCgt:.*[2367abef]$' /proc/$pid/status
}
until listens || ! kill -0 $pid; do sleep 0.05; done
kill -INT $pid
wait $pid
[ $? = 1 ] || fail "a run that was interrupted within a step"
says err "stopped at t = 0 s; what was recorded is kept"

# A base that follows a table: straight lines jump in velocity, and that is said; a curve does not.
printf 'time, x\n0, 0\n0.05, 0.01\n0.1, 0.01\n' >shake.csv
table='rods.backbone.base.position=[{table: {file: shake.csv}}, 0, 0]'
smooth='rods.backbone.base.position=[{table: {file: shake.csv, smooth: true}}, 0, 0]'
for verb in check run; do
    expect 0 $verb arm.yaml --set "$table"
    cat out err >both
    says both "the velocity of what it moves jumps at 2 of its points, most at t = 0 s by 0.2 m/s"
    expect 0 $verb arm.yaml --set "$smooth"
    silent err
done
# An arm that cannot stand starts from where it falls to, as another model has it, and says so.
cat >heavy.yaml <<END
tendril: 1
gravity: [0, 0, -9.81]
materials: {wire: {youngs_modulus: 60 GPa, poisson_ratio: 0.3, density: 6450}}
rods: [{name: arm, length: 0.4, material: wire, section: {radius: 0.7 mm}, damping: {time: 20 ms}}]
bodies: [{name: disc, on: arm, count: 8, mass: 14.8 g, shape: {cylinder: {radius: 10 mm, height: 2 mm}}}]
tendons: [{name: a, offset: [8 mm, 0], to: 50 %}, {name: b, offset: [-8 mm, 0]}]
inputs: {a: 9 N, b: 1 N}
simulation: {model: virtual_power, time: {step: 5 ms, end: 0.1 s}}
END
expect 0 run heavy.yaml --json
says err "statics at the start: rod 'arm': the equilibrium lost its stability"
holds 'math.hypot(j["tips"][0]["p"][0] - 0.211, j["tips"][0]["p"][2] + 0.198) < 2e-3'
expect 0 run heavy.yaml --json --model eba --out results/eba
holds 'math.hypot(j["tips"][0]["p"][0] - 0.211, j["tips"][0]["p"][2] + 0.198) < 2e-3'
finish
