# Results for other programs: VTK files that keep to the format and hold what was computed, tables.
. "$(dirname "$0")/lib.sh"

# A wire of 1 mm that a force of given size pulls across its tip, straight up from the origin.
cat >wire.yaml <<'END'
tendril: 1
name: wire
gravity: [0, 0, 0]
rods:
  - name: wire
    length: 0.4
    material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 8000}
    section: {radius: 1 mm}
loads: [{name: tug, rod: wire, at: tip, force: [0.2, 0.1, 0]}]
simulation: {start: static, time: {step: 5 ms, end: 50 ms}}
record: {fields: [pose, strain, wrench, velocity]}
END
checked() {
    "$PYTHON" "$here/vtk_check.py" "$1" >out 2>err || fail "$1 is not VTK: $(tail -1 err)"
}
expect 0 run wire.yaml --quiet --vtk --out results/wire
checked results/wire/vtk
holds 'len(j["rods"]["times"]) == 11 and j["rods"]["times"] == j["lines"]["times"]'
holds 'j["rods"]["points"] == 12 * 41'
# a prism of twelve sides in a circle of 1 mm; the wire keeps its length and bends but little
holds 'abs(j["rods"]["volumes"][0] / (6 * math.sin(math.pi / 6) * 1e-6 * 0.4) - 1) < 1e-3'
holds 'abs(j["lines"]["lengths"][0] - 0.4) < 1e-5'
# the world's frame: at the tip the internal force is the load
holds 'all(abs(a - b) < 1e-5 for a, b in zip(j["lines"]["force"][0], [0.2, 0.1, 0]))'
holds 'abs(j["lines"]["radius"][0] - 1e-3) < 1e-9'
holds 'set(j["rods"]["fields"]) == {"radius", "s", "curvature", "stretch", "moment", "force",
       "angular_velocity", "velocity", "rod"}'
# small deflection by a force across the tip: F L^3/(3 E I)
holds 'abs(j["lines"]["tips"][0][0] / (0.2 * 0.4**3 / (3 * 207e9 * math.pi * 1e-12 / 4)) - 1) < 0.01'

# Tendons, chambers, bodies; a run without --vtk, converted later. Older files go when the result does.
expect 0 run parts.yaml --quiet --out results/parts
expect 0 convert results/parts --vtk --csv
says out "results/parts/vtk/robot.pvd"
checked results/parts/vtk
holds '"tendons" in j and "tension" in j["tendons"]["fields"] and "bodies" in j'
holds 'j["bodies"]["volume"] > 0'
[ -s results/parts/tip.csv ] && [ -s results/parts/tendons.csv ] || fail "no tables"
touch results/parts/vtk/mine.txt
expect 0 run parts.yaml --quiet --out results/parts
[ "$(ls results/parts/vtk)" = mine.txt ] || fail "old VTK files are left, or a file of mine is gone"
expect 0 convert results/parts/result.h5 --vtk --out elsewhere
checked elsewhere/vtk
expect 0 statics wire.yaml --out results/still
expect 0 convert results/still --vtk
checked results/still/vtk
holds 'len(j["rods"]["times"]) == 1'

# Obstacles where they were: one that an input moves, a tube, and a table as far as the robot reaches.
cat >among.yaml <<'END'
tendril: 1
gravity: [0, 0, 0]
rods:
  - name: wire
    length: 0.4
    material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 8000}
    section: {radius: 1 mm}
obstacles:
  - {name: ball, sphere: {radius: 50 mm}, position: [0.2, 0, away]}
  - {name: vessel, tube: {points: [[0, 0, -0.1], [0, 0, 0.2], [0, 0, 0.5]], radius: 20 mm}}
  - {name: table, plane: {}, position: [0, 0, -2]}
inputs: {away: {ramp: {from: 0.1, to: 0.3, duration: 50 ms}}}
simulation: {time: {step: 5 ms, end: 50 ms}}
END
expect 0 run among.yaml --quiet --vtk --out results/among
checked results/among/vtk
holds '{"gap", "pressure", "contact"} <= set(j["rods"]["fields"]) & set(j["lines"]["fields"])'
holds 'j["obstacles"]["fields"] == ["obstacle"] and len(j["obstacles"]["times"]) == 11'
box() {  # box WHICH MIN MAX: the last of an obstacle
    holds "all(abs(a - b) < 4e-4 for p, q in zip(j['obstacles']['boxes'][$1], [$2, $3]) for a, b in zip(p, q))"
}
box 0 '[0.15, -0.05, 0.25]' '[0.25, 0.05, 0.35]'
box 1 '[-0.02, -0.02, -0.1]' '[0.02, 0.02, 0.5]'
box 2 '[-0.8, -0.8, -2]' '[0.8, 0.8, -2]'
# ... and in pictures
if command -v gnuplot >/dev/null; then
    expect 0 plot results/among --kind robot --out among.svg
    grep -q 'rgb(176, 165, 150)' among.svg || fail "no outline of an obstacle in the picture"
    expect 0 plot results/wire --kind robot --out wire.svg
    ! grep -q 'rgb(176, 165, 150)' wire.svg || fail "an outline where there is no obstacle"
fi

expect 2 convert results/parts
says err "convert: to what? Give --csv, --vtk or both"
expect 2 convert nowhere --vtk
says err "there is no result here"
expect 0 run wire.yaml --quiet --set 'record.fields=[energy]' --out results/blind
expect 2 convert results/blind --vtk
says err "there are no shapes of rods for VTK: it needs rods, and record.fields to hold pose"
touch blocked
expect 2 convert results/still --vtk --out blocked/inner
# A file that was cut short is told from one that is damaged elsewhere.
expect 0 run wire.yaml --out whole --quiet
mkdir cut
size=$(stat -c %s whole/result.h5)
head -c 5000 whole/result.h5 >cut/result.h5
expect 2 convert cut --csv
says err "cut/result.h5: cannot be opened: it was cut short, to 5000 bytes of $size"

finish
