# The robots of docs/coming-from.md do what the page says, in the order in which they stand there.
. "$(dirname "$0")/lib.sh"

awk '/^```yaml$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print >("robot" n ".yaml") }' "$SOURCE/docs/coming-from.md"
tip='j["rods"][0]["poses"][-1]["p"]'

# Till's four-tendon arm: what his C++ program prints.
expect 0 statics robot1.yaml --json
holds "max(abs(a - b) for a, b in zip($tip, (0.182212, 0, 0.453229))) < 1e-6"

# PyElastica's Timoshenko beam: F L^3 / 3 EI + F L / k G A.
expect 0 statics robot2.yaml --json
holds "abs(-$tip[0] / (15 * 27 / (3e6 * math.pi / 4 * 0.25**4) + 45 / (27 / 28 * 1e4 * math.pi * 0.25**2)) - 1) < 1e-3"

# A manipulator as for SoRoSim: the strains as polynomials, which is its formulation, and the Cosserat rod.
expect 0 run robot3.yaml --out moved --quiet
for model in cosserat rom; do
    expect 0 statics robot3.yaml --time 1 --model $model --json
    cp out $model.json
done
"$PYTHON" - <<'END' || fail "cosserat and rom differ"
import json, math
a, b = (json.load(open(f"{m}.json"))["rods"][0]["poses"][-1]["p"] for m in ("cosserat", "rom"))
assert a[0] > 0.04 and math.dist(a, b) < 1e-5, (a, b)
END

# TMTDyn's module under its formulations.
for model in srl ebr eba rom; do
    expect 0 statics "$SOURCE/examples/pneumatic-module.yaml" --model $model
done
[ ! -e robot4.yaml ] || fail "a robot of the page is not looked at"
finish
