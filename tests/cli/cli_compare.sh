# One robot under several models: a tendon arm, a rod-driven arm and a fluidic module run under every model
# that claims them, and the errors are those of the formulations.
. "$(dirname "$0")/lib.sh"
examples=$SOURCE/examples

# model NAME: the entry of this model in the JSON object j.
of='next(m for m in j["models"] if m["label"] == "%s")'
entry() { printf "$of" "$1"; }

# Equilibria of an arm with six tendons. Segments converge with order 2: a sixteenth for four times as many.
expect 0 compare "$examples/two-segment-arm.yaml" --time 0.8 --no-figure --json --out arm \
    --models cosserat,virtual_power,eba/lumped.segments=20,eba/lumped.segments=80,ebr,srl,constant_curvature
is_json out
holds 'all(m["status"] == "finished" for m in j["models"]) and j["reference"] == "cosserat"'
holds "14 < $(entry eba/lumped.segments=20)['tip_error_max'] / $(entry eba/lumped.segments=80)['tip_error_max'] < 18"
holds "abs($(entry ebr)['tip_error_max'] / $(entry eba/lumped.segments=20)['tip_error_max'] - 1) < 1e-3"
holds "$(entry virtual_power)['tip_error_max'] < 1e-3 and $(entry constant_curvature)['tip_error_max'] < 6e-3"
holds "$(entry cosserat)['tip_error_max'] == 0"

# Motion of the three kinds under all models. What a model does not claim it says; nothing fails.
expect 0 compare "$examples/two-segment-arm.yaml" --set simulation.time.end=0.1 --json --out arm
holds 'all(m["status"] == "finished" for m in j["models"])'
holds 'all(m["tip_error_max"] < 0.01 * j["length"] for m in j["models"])'
[ -s arm/compare.png ] || fail "no figure"
expect 0 compare "$examples/rod-driven-arm.yaml" --set simulation.time.end=0.05 --no-figure --json --out rods
holds 'all(m["status"] == "finished" for m in j["models"])'
holds 'all(m["tip_error_max"] < 0.01 * j["length"] for m in j["models"])'
expect 0 compare "$examples/three-chambers.yaml" --set simulation.time.end=0.2 --no-figure --json --out module
holds 'all(m["status"] == ("cannot" if m["model"] == "virtual_power" else "finished") for m in j["models"])'
holds 'all(m.get("tip_error_max", 0) < 0.01 * j["length"] for m in j["models"] if m["model"] != "tubes")'
holds "'chambers' in $(entry virtual_power)['message']"
"$PYTHON" - <<'END' || fail "tables and JSON differ"
import csv, json
j = json.load(open("out"))
rows = {r["model"]: r for r in csv.DictReader(open("module/compare.csv"))}
errors = list(csv.DictReader(open("module/errors.csv")))
for m in j["models"]:
    row = rows[m["label"]]
    assert row["status"] == m["status"]
    if m["status"] != "finished":
        continue
    assert float(row["tip error max [m]"]) == m["tip_error_max"]
    over_time = [float(e["tip error [m]"]) for e in errors if e["model"] == m["label"]]
    assert len(over_time) == j["records"] and max(over_time) == m["tip_error_max"]
END

# A robot that cosserat cannot represent: the first model that can is the reference.
expect 0 compare "$examples/rone-arm.yaml" --statics --no-figure --out rone
says out "tendons.r11.friction: cosserat has friction of tendons that pull only"
says out "virtual_power       reference"
expect 1 compare "$examples/rone-arm.yaml" --statics --no-figure --reference eba --out rone
says err "the reference eba cannot represent the robot"

# Steps of 20 ms with friction that turns round: an end that goes too far is looked for in smaller parts.
expect 0 compare "$examples/friction.yaml" --models cosserat,virtual_power --no-figure --json --out rubs
holds "$(entry virtual_power)['status'] == 'finished' and $(entry virtual_power)['message'] == ''"

# A model that is too coarse says so beside its numbers.
expect 0 compare "$examples/tendon-arm.yaml" --statics --models cosserat,rom/rom.order=1 --no-figure --out coarse
says out "note: rom/rom.order=1: rod 'backbone': rom.order = 1 is too low for it"

# What is refused.
expect 2 compare "$examples/three-chambers.yaml" --models cosserat,virtal_power
says err "did you mean 'virtual_power'?"
expect 2 compare "$examples/three-chambers.yaml" --models eba,eba
says err "eba is given twice"
expect 2 compare "$examples/three-chambers.yaml" --models eba/lumped.segmens=3,cosserat
says err "did you mean 'segments'?"
expect 2 compare "$examples/three-chambers.yaml" --models cosserat,
says err "a name of 1 to"
# A rod by itself under tubes does not stretch: it is one of kirchhoff's, and not the same as one that does.
expect 0 compare "$examples/three-chambers.yaml" --set simulation.time.end=0.05 --set simulation.time.step=0.0005 --no-figure --json --out still \
    --models cosserat/theory=kirchhoff,tubes
holds 'j["models"][1]["tip_error_max"] < 1e-5 * j["length"]'
# What is one for all models is not an option of one: it would be ignored.
for choice in time.step=1ms time.end=0.1 model=rom; do
    expect 2 compare "$examples/three-chambers.yaml" --models "cosserat,eba/$choice"
    says err "simulation.${choice%=*} is the same for all models"
done
expect 0 compare "$examples/three-chambers.yaml" --statics --models eba,eba/time.scheme=bdf2 --no-figure --out module
# A robot without a name, and a folder that is none: told before anything is computed.
expect 0 compare "$examples/arm.yaml" --statics --models cosserat --no-figure --out module
says out "arm.yaml: equilibrium"
touch taken
expect 2 compare "$examples/arm.yaml" --statics --no-figure --out taken
says err "taken: this is a file, not a folder"
silent out

# Stopped on the way, long before its end on any machine: exit code 1, nothing written.
"$TENDRIL" compare "$examples/two-segment-arm.yaml" --set simulation.time.end=1200 --models ebr --out stopped >out 2>err &
sleep 1
kill -TERM $!
wait $!
[ $? = 1 ] || fail "a comparison that is stopped does not end with exit code 1"
says err "stopped; no tables were written"
[ -z "$(ls stopped)" ] || fail "a comparison that is stopped leaves files"
finish
