# Figures: there is something in them, in every format, and no text of the user's is a command.
. "$(dirname "$0")/lib.sh"

command -v gnuplot >/dev/null || {
    echo "gnuplot is not installed: nothing to draw with"
    exit 77
}

# has_colours FILE W H N: a PNG of this size with at least N colours.
has_colours() {
    "$PYTHON" "$here/png_colours.py" "$@" >out 2>err || fail "$1"
}

expect 0 run arm.yaml --quiet
expect 0 run arm.yaml --quiet --set simulation.time.step='2 ms' --out results/fine
expect 0 run arm.yaml --quiet --set 'loads.tug.force=[pull, {sine: {amplitude: 1 N, frequency: 9}}, 0]' \
    --out results/space

expect 0 plot results/arm
silent err
says out "results/arm/plot.png"
has_colours results/arm/plot.png 0 0 200
for kind in shapes tip energy strain inputs all; do
    expect 0 plot results/space --kind $kind --out $kind.png --size 600x400
    has_colours $kind.png 600 400 20
done
expect 0 plot results/arm results/fine
says out "plot.png"
has_colours plot.png 0 0 50

expect 0 plot results/space/result.h5 --out all.svg
grep -q '<svg' all.svg && grep -q 'time (s)' all.svg && grep -q 'In space' all.svg || fail "all.svg"
"$PYTHON" -c 'import sys, xml.dom.minidom as x; x.parse("all.svg")' 2>err || fail "all.svg is not XML"
expect 0 plot results/arm results/fine --kind tip --out tip.svg
for name in arm fine; do
    grep -q ">$name<" tip.svg || fail "tip.svg has no legend for $name"
done
expect 0 plot results/arm --out all.PDF
[ "$(head -c 5 all.PDF)" = "%PDF-" ] || fail "all.PDF is not a PDF"

# Names that would do harm in a shell or in gnuplot.
evil="\$(touch a) \`touch b\` '; system('touch c'); x='"
expect 0 plot results/arm --title "$evil" --out "| touch d.svg"
[ -s "| touch d.svg" ] || fail "a figure whose name begins with a bar"
grep -q 'touch b' "| touch d.svg" || fail "the title is not set as it was given"
mv results/fine "results/$evil"
expect 0 plot "results/$evil" results/arm --kind tip --out evil.png
for made in a b c d.svg; do
    [ ! -e "$made" ] || fail "text was run as a command: $made"
done

expect 2 plot results/arm --out figure.gif
says err "must end in .png, .svg or .pdf"
expect 2 plot results/arm --out no/such/folder/x.png
says err "cannot write the figure: No such file or directory"
expect 2 plot results/arm --kind shapse
says err "did you mean shapes?"
expect 2 plot results/arm --size 10x10
says err "--size: '10x10' must be WxH"
expect 2 plot results/arm --size big
expect 0 run arm.yaml --quiet --set 'record.fields=[pose]' --out results/pose
expect 2 plot results/pose --kind energy
says err "energy needs a run, and record.fields to hold energy"

cp results/arm/plot.png before.png
PATH=/nowhere "$TENDRIL" plot results/arm >out 2>err
[ $? = 2 ] || fail "without gnuplot the exit code is not 2"
says err "gnuplot: not found"
cmp -s before.png results/arm/plot.png || fail "a figure that was not drawn replaced an older one"
[ -z "$(ls results/arm | grep partial)" ] || fail "a partial figure was left behind"
finish
