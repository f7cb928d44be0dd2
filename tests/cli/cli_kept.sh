# What is never lost: an older result, other people's files, the records of a run that is killed.
. "$(dirname "$0")/lib.sh"

# begun FILE ARGS...: starts a run and waits until it has made this file, or made it anew.
begun() {
    local file=$1
    shift
    touch before_the_run
    "$TENDRIL" run "$@" --quiet >out 2>err &
    pid=$!
    while [ ! "$file" -nt before_the_run ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
    [ "$file" -nt before_the_run ] || fail "the run ended before there was a $file"
}

# killed_when FILE ARGS...: the same, and kills it at once.
killed_when() {
    begun "$@"
    kill -9 $pid
    wait $pid 2>/dev/null
}

# Every number of two results, to the bit.
same_records() {
    "$TENDRIL" convert "$1" --csv --out tables_1 >out 2>err || fail "convert $1"
    "$TENDRIL" convert "$2" --csv --out tables_2 >out 2>err || fail "convert $2"
    diff -rq tables_1 tables_2 >out 2>&1 || fail "$1 and $2 differ"
    rm -r tables_1 tables_2
}

# ---------------------------------------------------------------- an older result
expect 0 run arm.yaml --quiet --csv --out old
cp -r old before
# Killed while the new file is there and no second record yet: nothing of the old one is lost.
long="--set simulation.time.end=200000 --set record.every=100000"
# shellcheck disable=SC2086
killed_when old/result.h5.tendril-new arm.yaml $long --keep 0 --out old
cmp -s old/result.h5 before/result.h5 || fail "a killed run has taken the older result with it"
cmp -s old/tip.csv before/tip.csv || fail "... or its tables"
# What it left behind is in nobody's way, and the next run takes the place with all its tables.
expect 0 run arm.yaml --quiet --set simulation.time.end=0.1 --out old
[ "$(ls -A old)" = result.h5 ] || fail "the folder holds $(ls -A old)"

# ---------------------------------------------------------------- other people's files
mkdir mine && echo "years of work" >mine/result.h5
expect 2 run arm.yaml --out mine
says err "mine/result.h5: this program did not write the file"
[ "$(cat mine/result.h5)" = "years of work" ] || fail "a file that only has the name is gone"
expect 0 run arm.yaml --quiet --csv --vtk --out exports
expect 0 plot exports --kind tip
echo "# checked" >>exports/tip.csv
echo "my own" >exports/energy.png
cp exports/result.h5 exports/vtk/rods_of_mine.vtp
expect 0 run arm.yaml --quiet --out exports
wanted="energy.png result.h5 tip.csv vtk"
[ "$(cd exports && echo *)" = "$wanted" ] || fail "in the folder: $(cd exports && echo *), not $wanted"
[ "$(cd exports/vtk && echo *)" = rods_of_mine.vtp ] || fail "in vtk: $(cd exports/vtk && echo *)"

# ---------------------------------------------------------------- two at once
# shellcheck disable=SC2086
begun busy/result.kept arm.yaml $long --keep 0.01 --out busy
first=$pid
expect 2 run arm.yaml --out busy
says err "another run is writing here"
expect 2 convert busy --csv
says err "a run is still writing it"
kill -9 $first
wait $first 2>/dev/null
expect 0 convert busy --csv --out t

# ---------------------------------------------------------------- the robot file itself
cp arm.yaml before.yaml
mkdir below
ln -s ../arm.yaml below/link.yaml
ln arm.yaml hard.yaml
printf 'tendril: 1\nrobot: arm.yaml\n' >scenario.yaml
for name in arm.yaml ./arm.yaml "$PWD/arm.yaml" below/link.yaml below/../arm.yaml hard.yaml; do
    expect 2 statics arm.yaml --save "$name"
    says err "would replace the robot file"
    expect 2 reach arm.yaml --position 0.01,0,0.399 --write "$name"
    says err "would replace the robot file"
    expect 2 reach scenario.yaml --position 0.01,0,0.399 --write "$name"
    says err "would replace the robot file"
done
echo "a thesis" >thesis.tex
expect 2 statics arm.yaml --save thesis.tex
says err "this program did not write"
[ "$(cat thesis.tex)" = "a thesis" ] || fail "a file of someone else is gone"
cmp -s arm.yaml before.yaml || fail "the robot file was overwritten"
expect 0 statics arm.yaml --save bent.state
expect 0 statics arm.yaml --save bent.state
expect 0 run arm.yaml --start bent.state --quiet --out released

# ---------------------------------------------------------------- killed, and on
expect 2 run arm.yaml --keep -1 --out never
says err "--keep: -1 s must not be negative"

# Uninterrupted, and killed twice while it keeps a state all the time.
sets="--set simulation.time.end=4 --set record.every='15 ms' --set simulation.time.step='2.5 ms'"
run_it() {
    eval "\"\$TENDRIL\" run arm.yaml $sets --quiet $*" >out 2>err
}
run_it --out whole || fail "the uninterrupted run"
kill_it() {
    eval killed_when "$1" arm.yaml "$sets" --keep 0.0001 --out parts "$2"
}
kill_it parts/result.kept ""
expect 0 convert parts --csv --out t
says err "parts/result.h5: incomplete"
says err "the run goes on, or was killed"
cp -r parts cut
kill_it parts/result.kept --resume
run_it --resume --out parts || fail "the continued run"
same_records whole parts
[ ! -e parts/result.kept ] || fail "a finished run still keeps a state"
run_it --resume --out parts || fail "resuming what is finished"
says err "the run is finished"

# Ctrl-C in between two records: the record of the stop is not one of the continued run's.
begun stopped/result.h5.tendril-new arm.yaml --set simulation.time.end=200000 \
    --set record.every=100000 --out stopped
sleep 0.2
kill -INT $pid
wait $pid
holds_records() {
    "$TENDRIL" convert "$1" --csv --out t >out 2>err
    says err "incomplete"
    [ "$(wc -l <t/tip.csv)" = "$2" ] || fail "$1 holds $(wc -l <t/tip.csv) lines"
}
holds_records stopped 3

# Another robot, other inputs, damaged records: refused with the reason.
expect 2 run arm.yaml --resume --out cut
says err "had another robot file or other --set"
eval expect 2 run arm.yaml "$sets" --set rods.backbone.length=0.3 --resume --out cut
says err "had another robot file or other --set"
cp whole/result.h5 cut/result.h5
run_it --resume --out cut || fail "the same records from another file"
says err "the run is finished"
expect 0 run arm.yaml --quiet --set rods.backbone.length=0.3 --out shorter
eval killed_when other/result.kept arm.yaml "$sets" --keep 0.0001 --out other
cp shorter/result.h5 other/result.h5
run_it --resume --out other
[ $? = 1 ] || fail "records that do not belong to the kept state"
says err "records are not those that result.kept follows"
cmp -s shorter/result.h5 other/result.h5 || fail "... have been touched"
expect 0 run arm.yaml --quiet --resume --out fresh
says err "nothing is kept here to go on from"
finish
