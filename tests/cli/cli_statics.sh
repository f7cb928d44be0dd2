# Statics, check and models against numbers from the textbook.
. "$(dirname "$0")/lib.sh"

# A light cantilever with a small tip force F across it sags by F L^3 / (3 E I).
expect 0 statics arm.yaml --json --set gravity='[0,0,0]' --set inputs.pull='1 mN' --points 5
is_json out
holds 'j["status"] == "TD_OK" and j["message"] == "" and j["inputs"] == {"pull": 0.001}'
holds 'max(abs(p["s"] - 0.1 * i) for i, p in enumerate(j["rods"][0]["poses"])) < 1e-15'
holds 'abs(j["rods"][0]["poses"][-1]["p"][0] /
           (1e-3 * 0.4**3 / (3 * 207e9 * math.pi * 1e-12 / 4)) - 1) < 1e-3'
holds 'abs(j["rods"][0]["poses"][0]["wrench"][1] - 1e-3 * 0.4) < 1e-8'
holds 'abs(j["rods"][0]["base_reaction"]["force"][0] + 1e-3) < 1e-12'
holds 'abs(j["rods"][0]["base_reaction"]["moment"][1] + 1e-3 * 0.4) < 1e-8'
holds 'all(abs(sum(q * q for q in p["q"]) - 1) < 1e-12 for p in j["rods"][0]["poses"])'

expect 0 statics arm.yaml
says out "equilibrium"
says out "rod backbone, length 0.4 m"
says out "held at its base by a force ("
[ "$(grep -c '^ *[0-9.]* ' out)" -ge 6 ] || fail "the table has fewer than six rows"

# Inputs at a time: the peak of the hat is 2 N at 50 ms, and a jump counts as done.
expect 0 statics arm.yaml --time '50 ms' --json
holds 'abs(j["inputs"]["pull"] - 2) < 1e-12'
expect 0 statics arm.yaml --json --set 'inputs.pull={step: {from: 0, to: 1 N, at: 0}}'
holds 'j["inputs"]["pull"] == 0'
expect 0 statics arm.yaml --json --set 'inputs.pull={step: {from: 0, to: 1 N, at: 0}}' --time=0
holds 'j["inputs"]["pull"] == 1'

# No answer: exit code 1, the reason on both sides, no shape.
expect 1 statics arm.yaml --json --set inputs.pull='1e9 N'
is_json out
holds 'j["status"].startswith("TD_ERR_") and j["message"] != "" and j["rods"] == []'
says err "arm.yaml: "
expect 1 statics arm.yaml --set inputs.pull='1e9 N' --out results/none
silent out
[ ! -e results/none ] || fail "a failed solve left a result"

# An equilibrium as a result.
expect 0 statics arm.yaml --set inputs.pull='1 N' --out results/bent
expect 0 plot results/bent --kind shapes --out bent.png
expect 2 plot results/bent --kind tip
says err "nothing to plot: tip needs a run"

# What check says of the rod: rho pi r^2 L, E pi r^4 / 4, and the first bending frequency of a
# cantilever, (1.8751 / L)^2 sqrt(E I / rho A) / 2 pi, within a percent.
expect 0 check arm.yaml --json
is_json out
holds 'j["status"] == "fine" and j["model"] == "cosserat" and len(j["rods"]) == 1'
holds 'abs(j["rods"][0]["mass"] / (8000 * math.pi * 1e-6 * 0.4) - 1) < 1e-9'
holds 'abs(j["rods"][0]["stiffness"][0] / (207e9 * math.pi * 1e-12 / 4) - 1) < 1e-9'
holds 'abs(j["rods"][0]["first_frequency"] /
           ((1.875104 / 0.4)**2 * math.sqrt(207e9 * 1e-6 / 4 / 8000) / (2 * math.pi)) - 1) < 0.01'
holds 'j["inputs"] == [{"name": "pull", "unit": "N", "signal": j["inputs"][0]["signal"]}]'
holds 'j["loads"][0]["force"] == "[pull, 0, 0]" and j["records"] == 41'
expect 0 check arm.yaml --set record.every='7 ms'
says out "note: record.every = 0.007 s is not a multiple of the step; 0.005 s is used"
expect 0 check arm.yaml
says out "arm.yaml: fine"
says out "supports     everything this robot uses"
says out "hat from 0 to 2 N and back"

# What a model only comes near is said by name.
expect 0 check arm.yaml --model constant_curvature
says out "note: rods.backbone: weight and forces bend it unevenly"
expect 0 check arm.yaml --model constant_curvature --json
holds 'len(j["notes"]) == 1 and j["notes"][0].startswith("rods.backbone: ")'
expect 0 statics arm.yaml --model constant_curvature
says err "note: rods.backbone: weight and forces bend it unevenly"
for verb in statics "run --out results/noted"; do
    # shellcheck disable=SC2086
    expect 0 $verb arm.yaml --model constant_curvature --json
    holds 'len(j["notes"]) == 1 and j["notes"][0].startswith("rods.backbone: ")'
done

expect 0 models
says out "cosserat"
expect 0 models --json
is_json out
holds 'any(m["name"] == "cosserat" and m["features"]["statics"] and m["features"]["dynamics"]
           for m in j["models"])'
# A round column that has buckled turns about its axis as it likes (but for srl, whose hinges come one after another).
cat >column.yaml <<'END'
tendril: 1
gravity: [0, 0, 0]
rods:
  - {name: beam, length: 0.4, material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 8000}, section: {radius: 1 mm}}
loads:
  - {at: tip, force: [0, 0, -2.6 N]}
END
for model in eba ebr rom virtual_power; do
    expect 0 statics column.yaml --model $model
    says out "stability: neutral"
done
finish
