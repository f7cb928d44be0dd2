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
expect 0 run arm.yaml --quiet --set 'record.fields=[reactions]' --out results/held
expect 0 plot results/held --kind reactions --out reactions.png --size 600x400
has_colours reactions.png 600 400 20
expect 0 plot results/held --y rod.backbone.base_reaction.force_z --out force.png
expect 0 plot results/arm results/fine
says out "plot.png"
has_colours plot.png 0 0 50

# What may touch is drawn as thick as its envelope, 16 mm of 100.
cat >lean.yaml <<'E'
tendril: 1
rods:
  - {name: arm, length: 0.1, section: {radius: 1 mm}, envelope: 8 mm,
     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}
obstacles: [{name: floor, plane: {}, position: [0, 0, -0.05]}]
E
expect 0 statics lean.yaml --out results/lean
expect 0 plot results/lean --kind shapes --view xz --out lean.svg
"$PYTHON" - >out 2>err <<'E' || fail "the envelope is not drawn as wide as it is"
import re
skin, = re.findall(r"polygon fill = 'rgb\(230, 226, 218\)' points = '([^']*)'", open("lean.svg").read())
x, y = zip(*(map(float, p.split(",")) for p in skin.split()))
wide, high = max(x) - min(x), max(y) - min(y)
assert abs(wide / high - 0.016 / 0.1) < 1e-3, (wide, high)
E

expect 0 plot results/space/result.h5 --out all.svg
grep -q '<svg' all.svg && grep -q 'time (s)' all.svg && grep -q 'In space' all.svg || fail "all.svg"
"$PYTHON" -c 'import sys, xml.dom.minidom as x; x.parse("all.svg")' 2>err || fail "all.svg is not XML"
grep -q '230, 226, 218' all.svg && fail "an envelope where nothing touches"
expect 0 plot results/arm results/fine --kind tip --out tip.svg
for name in arm fine; do
    grep -q ">$name<" tip.svg || fail "tip.svg has no legend for $name"
done
expect 0 plot results/arm --out all.PDF
[ "$(head -c 5 all.PDF)" = "%PDF-" ] || fail "all.PDF is not a PDF"

# Every view, and several at once; a picture of the robot, of a run and of an equilibrium.
for view in zy 3d -60,25; do
    expect 0 plot results/space --kind shapes "--view=$view" --out view.png --size 600x400
    has_colours view.png 600 400 20
    expect 0 plot results/space --kind robot "--view=$view" --time '0.1 s' --out robot.png --size 600x400
    has_colours robot.png 600 400 10
done
expect 2 plot results/space --kind robot --time '1 h' --out robot.png
says err "--time: 3600 s is not within the records of"
expect 2 plot results/space --time '0.1 s' --out robot.png
says err "--time: is the instant of --kind robot"
expect 0 plot results/space --kind shapes --view xz --view 3d --out views.svg
grep -q '>x (mm)<' views.svg && grep -q '>y (mm)<' views.svg || fail "views.svg: no axis y in 3d"
expect 0 plot results/space --kind tip --view yx --out views.svg
grep -q 'Tip path' views.svg && grep -q '>y (mm)<' views.svg || fail "views.svg: no path over y"
expect 0 statics arm.yaml --out results/still
expect 0 plot results/still --out still.png
has_colours still.png 0 0 10
expect 0 plot results/still --kind robot --out still.png
has_colours still.png 0 0 10
for view in xx xyz 3 1,2,3 0,100; do
    expect 2 plot results/arm --view=$view
    says err "--view: '$view' must be xz, xy, yz, 3d, or azimuth and elevation"
done

# On paper: 88 mm are 249.4 points, with text of 8 points; wide enough, panels are side by side.
page() {
    "$PYTHON" "$here/pdf_size.py" "$1" >out 2>err || fail "$1: no size of a page"
    cat out
}
expect 0 plot results/space --kind shapes --style paper --out column.pdf
[ "$(page column.pdf | cut -d' ' -f1)" = 249 ] || fail "a column is not 88 mm wide: $(page column.pdf)"
expect 0 plot results/space --kind shapes --style paper --width '180 mm' --height '60 mm' --out page.pdf
[ "$(page page.pdf)" = "510 170" ] || fail "the page is not 180 x 60 mm: $(page page.pdf)"
name=$(sed -n 's/^name: //p' arm.yaml)
expect 0 plot results/space --kind tip --style paper --font Serif --out column.svg
grep -q 'width="333"' column.svg || fail "column.svg is not 88 mm wide"
grep -q 'font-family="Serif"' column.svg || fail "column.svg is not set in Serif"
expect 0 plot results/space --kind tip --out screen.svg
grep -q ">$name<" screen.svg || fail "a figure on the screen has no title"
! grep -q ">$name<" column.svg || fail "a figure on paper has a title"
expect 2 plot results/arm --style paper --size 400x300
says err "--size: is in pixels and does not go with"
expect 2 plot results/arm --width '3 km'
says err "--width: 3e+06 mm must be from 20 mm to 2 m"
expect 2 plot results/arm --width '3 kg'
expect 2 plot results/arm --style newspaper
says err "'newspaper' is not one of screen, paper"
expect 2 plot results/arm --font 'Sans,30'

# Legends keep clear of titles and of each other, and a thing has one colour in all panels.
expect 0 run parts.yaml --quiet --out results/parts
expect 0 run parts.yaml --quiet --set simulation.time.step='4 ms' --out results/a-long-name-for-a-result
for results in "results/parts" "results/parts results/a-long-name-for-a-result results/arm"; do
    expect 0 plot $results --out clear.svg
    "$PYTHON" "$here/svg_text.py" clear.svg >out 2>err || fail "clear.svg: $results"
    expect 0 plot $results --style paper --out clear.svg
    "$PYTHON" "$here/svg_text.py" clear.svg >out 2>err || fail "clear.svg on paper: $results"
done

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
says err "did you mean 'shapes'?"
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
