# Tendons, chambers, bodies and fed rods: what each verb says of them, against closed forms.
. "$(dirname "$0")/lib.sh"

# has_colours FILE N: a PNG with at least N colours.
has_colours() {
    "$PYTHON" "$here/png_colours.py" "$1" 0 0 "$2" >out 2>err || fail "$1"
}

expect 0 check parts.yaml
says out "tip          clamped to plate"
says out "tip          by a ball joint on plate"
says out "feed         left m"
says out "rides on     arm, s = 0.4 m, attached: grip"
says out "arm, s = 0 to 0.4 m, parallel at (6, 0) mm"
says out "displacement cord m"
says out "pressure     air Pa"
expect 0 check parts.yaml --json
is_json out
holds 'j["warnings"] == []'
holds '[t["name"] for t in j["tendons"]] == ["cable", "cord"] and j["chambers"][0]["given"] == "pressure"'
holds 'j["bodies"][0]["rides_on"] is None and j["bodies"][1]["rides_on"] == "arm"'
holds 'abs(j["chambers"][0]["area"] / (math.pi * 0.2e-3**2) - 1) < 1e-12'

# A parallel tendon bends an inextensible rod by T d/EI all along, and comes out by d times the angle; the
# other one is let out further than that and is slack. A plate on two equal legs is as high as they are.
expect 0 statics parts.yaml --json --set inputs.cable='2 N' --set inputs.cord='-5 mm' \
    --set inputs.left='2 mm' --set inputs.right='2 mm' --set inputs.grip=1
is_json out
holds 'all(abs(p["strain"][1] / (2 * 6e-3 / (207e9 * math.pi * 1e-12 / 4)) - 1) < 1e-9
           for p in j["rods"][0]["poses"])'
holds 'abs(j["tendons"][0]["displacement"] /
           (6e-3 * 0.4 * 2 * 6e-3 / (207e9 * math.pi * 1e-12 / 4)) - 1) < 1e-9'
holds 'abs(j["tendons"][0]["tension"] - 2) < 1e-12 and not j["tendons"][0]["slack"]'
holds 'j["tendons"][1]["slack"] and j["tendons"][1]["tension"] == 0'
holds 'j["bodies"][0]["free"] and max(abs(a - b) for a, b in zip(j["bodies"][0]["p"], [0, 0, 0.402])) < 1e-9'
holds 'abs(j["rods"][1]["length"] - 0.402) < 1e-15 and abs(j["rods"][1]["poses"][-1]["s"] - 0.402) < 1e-15'
expect 0 statics parts.yaml
says out "tendons"
says out "free bodies"
says out "stability: "

# 1 mm on one of two legs 0.2 m apart lifts the plate between them by half of it and tilts it by 5 rad/m.
expect 0 statics parts.yaml --derivatives --json
holds '[round(v, 6) for v in j["body_derivatives"]["plate"]["jacobian"][5][:2]] == [0.5, 0.5]'
holds '[round(v, 6) for v in j["body_derivatives"]["plate"]["jacobian"][1][:2]] == [5, -5]'
holds 'all(abs(j["body_derivatives"]["plate"]["compliance"][i][k] -
               j["body_derivatives"]["plate"]["compliance"][k][i]) < 1e-9 for i in range(6) for k in range(6))'

# A run: what the tables say, and when the cord was slack.
expect 0 run parts.yaml --csv
says out "tendon 'cord' was slack from 0"
says out "body         plate at ("
"$PYTHON" - >out 2>err <<'END' || fail "the tables of parts are not what they should be"
import csv
def table(name):
    rows = list(csv.reader(open(f"results/parts/{name}.csv")))
    return [dict(zip(rows[0], map(float, r))) for r in rows[1:]]
tendons, bodies, chambers = table("tendons"), table("bodies"), table("chambers")
assert len(tendons) == len(bodies) == len(chambers) == 51
for row in tendons:
    assert abs(row["cable.tension [N]"] - 20 * row["time [s]"]) < 1e-9, row
    assert (row["cord.tension [N]"] == 0) == (row["cord.slack"] == 1), row
assert tendons[25]["cord.slack"] == 1 and tendons[-1]["cord.slack"] == 0
for row in bodies:
    assert (row["ball.attached"] == 1) == (row["time [s]"] < 0.0601), row
END
expect 0 run parts.yaml --json --out results/json
is_json out
holds 'j["slack"][0]["tendon"] == "cord" and j["slack"][-1]["to"] < 0.1'
holds 'j["bodies"][0]["name"] == "plate" and j["tendons"][1]["tension"] > 0'

# Figures.
if command -v gnuplot >/dev/null; then
    for kind in all tendons chambers bodies; do
        expect 0 plot results/parts --kind $kind --out $kind.png
    done
    has_colours all.png 100
    has_colours tendons.png 20
    expect 0 plot results/parts --x tendon.cord.displacement --y tendon.cord.tension
    says out "results/parts/against.png"
    expect 0 plot results/parts --y rod.arm.tip.x --y body.plate.z --out two.svg
    grep -q "body.plate.z" two.svg || fail "two.svg has no legend"
fi
expect 2 plot results/parts --x time
says err "needs --y NAME"
expect 2 plot results/parts --y tendon.cabel.tension
says err "did you mean 'tendon.cable.tension'?"
expect 2 plot results/parts --y energy.work --y rod.arm.tip.x
says err "do not go on one axis"
expect 2 plot results/parts --kind tip --y energy.work
says err "does not go with --x and --y"

# Equal parts stand together; what is hardly meant is told.
expect 0 check "$here/../../examples/hand.yaml"
says out "rod finger1 .. finger3, 3 alike"
says out "body disc2_1 .. disc2_6, 6 alike"
says out "rides on     finger2, s = 0.02 to 0.12 m"
expect 0 check "$here/../../examples/hand.yaml" --set bodies.disc#_.mass=5000 --set rods.finger2.length=0.13
says out "hand.yaml: fine, with warnings below"
says out "warning: bodies.disc1_1: a mass of 5 t; is a unit missing (g)?"
says out "rod finger2"
expect 0 check "$here/../../examples/hand.yaml" --json --set rods.finger.material.youngs_modulus=200
is_json out
holds 'len(j["warnings"]) == 3 and j["warnings"][1].startswith("rods.finger2: a Young")'
finish
