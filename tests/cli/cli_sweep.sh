# Sweeps: the table, the same to the bit whoever computed it and however often that was interrupted; indices of sensitivity;
# parts; ranks; and what is refused.
. "$(dirname "$0")/lib.sh"

# ---------------------------------------------------------------- indices of sensitivity
# Ishigami & Homma 1990, a = 7, b = 0.1: V1 = (1 + b pi^4/5)^2/2, V2 = a^2/8, V13 = 8 b^2 pi^8/225.
cat >ishigami.yaml <<'EOF'
study: 1
name: the Ishigami function
parameters:
  x1: {range: [-3.141592653589793, 3.141592653589793]}
  x2: {range: [-3.141592653589793, 3.141592653589793]}
  x3: {range: [-3.141592653589793, 3.141592653589793]}
samples: {method: saltelli, count: 4096}
results:
  f: sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)
EOF
expect 0 sweep ishigami.yaml --json
is_json out
cat >ishigami.py <<'EOF'
import json, math
j = json.load(open("out"))
a, b, pi = 7, 0.1, math.pi
V1, V2, V13 = (1 + b*pi**4/5)**2/2, a*a/8, 8*b*b*pi**8/225
V = V1 + V2 + V13
first = {"x1": V1/V, "x2": V2/V, "x3": 0}
total = {"x1": (V1 + V13)/V, "x2": V2/V, "x3": V13/V}
r = j["results"][0]
assert j["cases"] == 5*4096 and j["failed"] == 0
assert abs(r["mean"] - a/2) < 1e-2 and abs(r["deviation"] - math.sqrt(V)) < 2e-2, r
for x, s in r["sensitivity"].items():
    assert abs(s["first"] - first[x]) < 5e-3 and abs(s["total"] - total[x]) < 5e-3, (x, s)
    assert s["first_interval"][0] <= first[x] <= s["first_interval"][1], (x, s)
    assert s["total_interval"][0] <= total[x] <= s["total_interval"][1], (x, s)
    assert s["total_interval"][1] - s["total_interval"][0] < 0.1, (x, s)
EOF
"$PYTHON" ishigami.py || fail "indices of the Ishigami function"

# ---------------------------------------------------------------- failures are rows
cat >failing.yaml <<'EOF'
study: 1
robot: arm.yaml
parameters:
  L: {path: rods.arm.length, values: [-0.1, 0.2, 0.3]}
  q: {values: [-1, 4]}
samples: {method: grid}
results: {z: rod.arm.tip.z, root: sqrt(q)}
EOF
cat >arm.yaml <<'EOF'
tendril: 1
gravity: [0, 0, 0]
materials: {rubber: {youngs_modulus: 1 MPa, poisson_ratio: 0.45, density: 1000}}
rods: [{name: arm, length: 0.3, material: rubber, section: {radius: 5 mm}, damping: {time: 5 ms}}]
loads: [{name: bend, at: tip, moment: [0, bend, 0]}]
inputs: {bend: {step: {from: 0, to: 2 N mm, at: 0}}}
simulation: {theory: kirchhoff, space: {nodes: 6}, time: {step: 20 ms, end: 0.4 s}}
EOF
expect 0 sweep failing.yaml --csv failing.csv
says out "4 failed"
says out "-0.1 m must be positive"
[ "$(head -1 failing.csv)" = '"L [m]","q","z [m]","root",status,message' ] || fail "head of the table"
[ "$(wc -l <failing.csv)" = 7 ] || fail "rows of the table"
[ "$(sed -n 5p failing.csv)" = '0.20000000000000001,4,0.20000000000000001,2,0,' ] || fail "a row: $(sed -n 5p failing.csv)"
grep -q '^-0.10000000000000001,4,,,-5,".*must be positive"$' failing.csv || fail "a row that failed"
grep -q '^0.20000000000000001,-1,,,-9,".*sqrt(q).*not a finite number"$' failing.csv || fail "another"

# ---------------------------------------------------------------- the same bytes
cat >study.yaml <<'EOF'
study: 1
robot: arm.yaml
action: run
parameters:
  E: {path: materials.rubber.youngs_modulus, normal: {deviation: 5 %}}
  r: {path: rods.arm.section.radius, tolerance: 0.2 mm}
  M: {path: inputs.bend.step.to, range: [1 N mm, 3 N mm]}
samples: {method: latin, count: 300}
results:
  most: {value: max(rod.arm.tip.x), unit: m}
  last: rod.arm.tip.x
  odd: sqrt(most - 80 mm)
EOF
# same FOLDER WORDS: its table has the bytes of the first.
same() {
    cmp -s whole/sweep.h5 "$1/sweep.h5" || fail "$2: not the same table"
    [ "$(find "$1" -type f | wc -l)" = 1 ] || fail "$2: $(ls "$1") is left"
}
expect 0 sweep study.yaml --out whole --threads 1 --json
holds '0 < j["failed"] < 300 and j["computed"] == 300 and j["results"][0]["unit"] == "m"'
expect 0 sweep study.yaml --out three --threads 3
same three "three processes"
expect 0 sweep study.yaml --out three --json
holds 'j["computed"] == 0 and j["cases"] == 300'
silent err
expect 0 sweep study.yaml --out three
says err "300 of 300 cases are there; nothing is left to do"

# rows WHERE: how many bytes its journal has.
rows() {
    stat -c %s "$1/part-1-of-1.journal" 2>/dev/null || echo 0
}
# wait_for_rows WHERE BYTES: until there are more, or the table. The shell may be slower than the sweep: few programs are started.
exec {nap}<> <(:)
wait_for_rows() {
    for ((i = 0; i < 6000; i++)); do
        [ -f "$1/sweep.h5" ] && return
        [ "$(rows "$1")" -gt "$2" ] && return
        read -rt 0.01 -u "$nap"
    done
}

# kill -9 whenever some rows more are there; of a shell that was always too late, again.
for attempt in 1 2 3 4 5; do
    kills=0
    for _ in 1 2 3 4 5 6; do
        before=$(rows killed$attempt)
        "$TENDRIL" sweep study.yaml --out killed$attempt --threads 2 --quiet >out 2>err &
        pid=$!
        wait_for_rows killed$attempt $((before + 100 + RANDOM % 2000))
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        [ -f killed$attempt/sweep.h5 ] && break
        kills=$((kills + 1))
    done
    [ "$kills" -gt 0 ] && break
done
[ "$kills" -gt 0 ] || fail "was never killed while it computed"
[ -f killed$attempt/sweep.h5 ] || printf 'cut off' >>killed$attempt/part-1-of-1.journal
expect 0 sweep study.yaml --out killed$attempt --json
same killed$attempt "killed $kills times"

# A process that computes is killed: another one takes over.
if command -v pgrep >/dev/null; then
    "$TENDRIL" sweep study.yaml --out orphans --threads 2 --quiet >out 2>err &
    pid=$!
    wait_for_rows orphans 100
    for child in $(pgrep -P $pid); do kill -9 "$child" 2>/dev/null; done
    wait $pid || fail "a killed worker ended the sweep"
    same orphans "killed workers"
fi

# A case at which three of them end is a row that says so, and the others are computed.
if command -v pgrep >/dev/null; then
    cat >endless.yaml <<'EOF'
study: 1
robot: arm.yaml
action: run
parameters: {end: {path: simulation.time.end, values: [0.1, 1000000]}}
samples: {method: grid}
results: {last: rod.arm.tip.x}
EOF
    "$TENDRIL" sweep endless.yaml --out endless --threads 1 --json >out 2>err &
    pid=$!
    wait_for_rows endless 50
    for _ in 1 2 3; do
        sleep 0.2  # it is at its case
        child=$(pgrep -P $pid)
        kill -9 "$child"
        while kill -0 "$child" 2>/dev/null; do sleep 0.01; done
    done
    wait $pid || fail "a case that ends its process ended the sweep: $(cat err)"
    holds 'j["cases"] == 2 and j["failed"] == 1'
    expect 0 sweep endless.yaml --out endless
    says out "case 1: computing it ended the process, three times"
fi

# Ctrl-C: what was computed is kept, and nothing is computed twice.
for attempt in 1 2 3 4 5; do
    "$TENDRIL" sweep study.yaml --out stopped$attempt --threads 1 --quiet >out 2>err &
    pid=$!
    wait_for_rows stopped$attempt 300
    kill -TERM $pid 2>/dev/null
    wait $pid
    code=$?
    [ -f stopped$attempt/sweep.h5 ] || break
done
[ $code = 1 ] || fail "stopped: exit code $code"
says err "cases are kept, and the same command goes on"
kept=$(sed -n 's/.*stopped: \([0-9]*\) of 300.*/\1/p' err)
expect 0 sweep study.yaml --out stopped$attempt --json
holds "j['computed'] == 300 - ${kept:-0} and ${kept:-0} > 0"
same stopped$attempt "stopped"

# ---------------------------------------------------------------- parts
expect 0 sweep study.yaml --out parts --part 1/3
says err "part 1 of 3 is done; when all are: tendril sweep study.yaml --merge"
expect 1 sweep study.yaml --out parts --merge
says err "200 of 300 cases are missing"
SLURM_ARRAY_TASK_ID=6 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_COUNT=3 expect 0 sweep study.yaml --out parts --part slurm --quiet
expect 1 sweep study.yaml --out parts --merge
says err "100 of 300 cases are missing"
expect 0 sweep study.yaml --out parts --part 3/3 --quiet
expect 0 sweep study.yaml --out parts --merge --json
holds 'j["computed"] == 0 and j["cases"] == 300'
same parts "parts"

# ---------------------------------------------------------------- ranks
mpi="mpirun --oversubscribe"
[ "$(id -u)" = 0 ] && mpi="$mpi --allow-run-as-root"
if command -v mpirun >/dev/null && ldd "$TENDRIL" 2>/dev/null | grep -q libmpi; then
    for ranks in 2 4; do
        # shellcheck disable=SC2086
        timeout 120 $mpi -n $ranks "$TENDRIL" sweep study.yaml --out ranks$ranks --threads 1 --json >out 2>err || fail "$ranks ranks: $(cat err)"
        holds "j['processes'] == $ranks and j['computed'] == 300 and j['lost_ranks'] == 0"
        same ranks$ranks "$ranks ranks"
    done
    # A rank is killed. mpirun ends the others with it, unless it is told not to: then what it had is dealt again. Not through
    # memory that it shares: a rank that dies while it writes there may leave it locked.
    for ranks in 2 4; do
        for attempt in 1 2 3 4 5; do  # a slow shell kills after the end
            where=lost$ranks-$attempt
            # shellcheck disable=SC2086
            timeout 120 $mpi --enable-recovery --mca btl self,tcp -n $ranks "$TENDRIL" sweep study.yaml --out $where --threads 1 --patience 1 --json >out 2>err &
            pid=$!
            wait_for_rows $where 100
            mother=$(pgrep -P $pid | head -1)
            kill -9 "$(pgrep -P "$mother" | tail -1)" 2>/dev/null
            wait $pid || fail "a killed rank of $ranks: $(cat err)"
            grep -q '"lost_ranks": 1' out && break
        done
        holds "j['computed'] == 300 and j['lost_ranks'] == 1"
        says err "is silent: what it had is dealt again"
        same $where "a killed rank of $ranks"
    done
    # shellcheck disable=SC2086
    timeout 120 $mpi -n 2 "$TENDRIL" sweep study.yaml --out ended --threads 1 --quiet >out 2>err &
    pid=$!
    wait_for_rows ended 100
    mother=$(pgrep -P $pid | head -1)
    kill -9 "$(pgrep -P "$mother" | tail -1)" 2>/dev/null
    wait $pid
    [ -f ended/sweep.h5 ] || [ "$(rows ended)" -gt 100 ] || fail "rows were lost with a rank"
    # shellcheck disable=SC2086
    timeout 120 $mpi -n 4 "$TENDRIL" sweep study.yaml --out ended --threads 1 --quiet >out 2>err || fail "going on: $(cat err)"
    same ended "a job that ended with its rank"
    # shellcheck disable=SC2086
    timeout 120 $mpi -n 2 "$TENDRIL" sweep nowhere.yaml >out 2>err && fail "ranks without a study"
    says err "nowhere.yaml"
else
    echo "no mpirun, or a program without MPI: ranks are not tested"
fi

# ---------------------------------------------------------------- of a robot file, by options; pictures
expect 0 sweep arm.yaml --vary input.bend='0..3 N mm' --vary rods.arm.section.radius='4,5,6 mm' --result rod.arm.tip.x --result 'hypot(rod.arm.tip.x, rod.arm.tip.z)' --samples grid:4 --out grid --csv grid.csv
says out "12 cases (grid, statics)"
[ "$(sed -n 2p grid.csv | cut -d, -f1,2)" = "0,0.0040000000000000001" ] || fail "the first case: $(sed -n 2p grid.csv)"
expect 0 sweep arm.yaml --vary simulation.model=cosserat,eba --result rod.arm.tip.z --samples grid --out words
if command -v gnuplot >/dev/null; then
    expect 0 sweep ishigami.yaml --picture i.svg
    for word in x1 'share of the variance' alone cases; do grep -q "$word" i.svg || fail "i.svg does not say $word"; done
    expect 0 sweep arm.yaml --vary input.bend='0..3 N mm' --vary rods.arm.section.radius='4,5,6 mm' --result rod.arm.tip.x --result 'hypot(rod.arm.tip.x, rod.arm.tip.z)' --samples grid:4 --out grid --picture grid.svg
    expect 0 sweep study.yaml --out whole --picture map.svg --map most,last,M
    for picture in i grid map; do "$PYTHON" "$here/svg_text.py" $picture.svg >out 2>err || fail "$picture.svg: texts collide: $(cat out)"; done
    expect 2 sweep study.yaml --out whole --picture map.svg --map most,lest
    says err "no column 'lest'"
fi

# ---------------------------------------------------------------- refusals
expect 2 sweep study.yaml --set rods.arm.lenght=1 --out no
says err "did you mean 'length'"
expect 2 sweep arm.yaml --result rod.arm.tip.x
says err "--vary: is missing"
expect 2 sweep arm.yaml --vary rods.arm.length=0.1..0.2
says err "--result: is missing"
expect 2 sweep study.yaml --vary rods.arm.length=0.1..0.2 --out no
says err "is a study, which says itself what varies"
expect 2 sweep study.yaml --part 4/3 --out no
says err "4/3: the part must be from 1"
expect 2 sweep study.yaml --part slurm --out no
says err "no task of an array"
# another study in the same folder
expect 0 sweep study.yaml --out other --part 1/3 --quiet
expect 2 sweep study.yaml --set rods.arm.length=0.31 --out other
says err "rows of another study, robot or version are kept here: --anew drops them"
expect 0 sweep study.yaml --set rods.arm.length=0.31 --out other --anew --quiet
cmp -s whole/sweep.h5 other/sweep.h5 && fail "another robot, the same table"
mkdir -p foreign && echo hello >foreign/sweep.h5
expect 2 sweep study.yaml --out foreign
says err "this program did not write the file"
# two at once
if command -v flock >/dev/null; then
    mkdir -p busy && : >busy/part-1-of-1.journal
    flock busy/part-1-of-1.journal sleep 3 &
    pid=$!
    sleep 0.2
    expect 1 sweep study.yaml --out busy
    says err "another sweep is writing here"
    wait $pid
fi
finish
