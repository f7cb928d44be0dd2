# Inverse statics against geometry, what it writes, and what it refuses.
. "$(dirname "$0")/lib.sh"

# Inverse statics: legs that lift the plate by 3 mm are fed 3 mm; the file that was written does it.
expect 0 reach parts.yaml --body plate --position 0,0,0.403 --rotation 0,0,0 --inputs left,right --json
is_json out
holds 'abs(j["inputs"]["left"] - 3e-3) < 1e-9 and abs(j["inputs"]["right"] - 3e-3) < 1e-9'
holds 'j["share"] == 1 and j["distance"] < 1e-9 and j["angle"] < 1e-8'
expect 0 reach parts.yaml --body plate --position '0,0,403 mm' --inputs left,right --write there.yaml \
    --save there.state --out results/there
says out "from the target"
expect 0 statics there.yaml --time 1 --json
holds 'abs(j["bodies"][0]["p"][2] - 0.403) < 1e-9 and j["inputs"]["cable"] == 0'
expect 0 run parts.yaml --start there.state --quiet --out results/from
# A tendon arm: the tip follows its circle, so two tendons cannot bring it anywhere.
expect 1 reach parts.yaml --rod arm --position 0,0,5 --inputs cable
says err "% of the way"
# Six tendons: none is asked to push, and the tensions found do it.
expect 0 reach "$SOURCE/examples/two-segment-arm.yaml" --position 0.05,0.05,0.38 --json
holds 'j["s"] == 0.4 and min(j["inputs"].values()) == 0 and j["distance"] < 1e-9'
sets=$("$PYTHON" -c 'import json; [print(f"--set inputs.{k}={v!r}") for k, v in json.load(open("out"))["inputs"].items()]')
expect 0 statics "$SOURCE/examples/two-segment-arm.yaml" $sets --json
holds 'math.dist(j["rods"][0]["poses"][-1]["p"], [0.05, 0.05, 0.38]) < 1e-8'
# What is less than asked for is a note, in words.
expect 0 reach "$SOURCE/examples/two-segment-arm.yaml" --position 0.05,0.05,0.38 --inputs b2
says out "note: inverse: the best fit"
# Beyond its reach: the distance that is told is the one to the target, not to the next point of the way.
for model in cosserat eba; do
    expect 1 reach "$SOURCE/examples/two-segment-arm.yaml" --model $model --position 0.6,0,0 --json
    holds 'abs(j["distance"] - math.dist(j["pose"]["p"], [0.6, 0, 0])) < 1e-12 and j["distance"] > 0.2'
    holds '"it stays %.4g m away from the target" % j["distance"] in j["message"]'
done
# The tip of a straight rod that does not stretch cannot start along the straight way, and gets there by another;
# so does the file that was written.
expect 0 reach "$SOURCE/examples/two-segment-arm.yaml" --set simulation.theory=kirchhoff --position 0.2,0,0.2 \
    --write round.yaml --json
holds 'j["share"] == 1 and math.dist(j["pose"]["p"], [0.2, 0, 0.2]) < 1e-9'
expect 0 statics round.yaml --time 10 --json
holds 'math.dist(j["rods"][0]["poses"][-1]["p"], [0.2, 0, 0.2]) < 1e-8'
expect 2 reach parts.yaml --body ball --position 0,0,0.4
says err "'ball' rides on a rod"
expect 2 reach parts.yaml --body plat --position 0,0,0.4
says err "did you mean 'plate'?"
expect 2 reach parts.yaml --body plate
says err "--position X,Y,Z is missing"
expect 2 reach parts.yaml --position 0,0,0.4
says err "give either --body NAME, or --rod NAME"
expect 2 reach parts.yaml --rod arm --at '120 %' --position 0,0,0.4
says err "must be base, tip, a length up to 0.4 m or a percentage"
expect 2 reach parts.yaml --rod arm --position 0,0
says err "must be 3 values"
expect 2 reach parts.yaml --rod arm --position 0,0,3N
says err "is a force (N); expected a length (m)"
expect 2 reach parts.yaml --rod arm --position 0,0,0.4 --inputs cabel
says err "no input 'cabel'; did you mean 'cable'?"
expect 2 reach parts.yaml --rod arm --position 0,0,0.4 --inputs xyz
says err "no input 'xyz'; there are: "
expect 2 reach arm.yaml --position 0,0,0.4
says err "no input drives a tendon, a chamber or a feed"
finish
