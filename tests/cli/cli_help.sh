# Help: every verb explains itself, the manual agrees, mistakes on the command line are met with a
# suggestion and exit code 2.
. "$(dirname "$0")/lib.sh"

expect 0 --help
silent err
says out "usage: tendril VERB"
cp out program.help
"$PYTHON" "$here/help_agrees.py" "$TENDRIL" "$SOURCE/docs/program.md" >out 2>err ||
    fail "docs/program.md and --help disagree"

for verb in $(sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p' program.help); do
    expect 0 "$verb" --help
    silent err
    says out "usage: tendril $verb"
    says out "options:"
    says out "examples:"
    says out "  tendril $verb"
    cp out verb.help
    expect 0 help "$verb"
    cmp -s out verb.help || fail "tendril help $verb differs from tendril $verb --help"
    expect 2 "$verb" --no-such-option
    says err "--no-such-option: $verb has no such option"
done

expect 0 --version
grep -qE '^tendril [0-9]+\.[0-9]+\.[0-9]+$' out || fail "--version"
expect 2
expect 2 rnu
says err "rnu: no such verb; did you mean run?"
expect 2 xylophone
says err "tendril --help lists them"
expect 2 run
says err "run: FILE is missing"
expect 2 run arm.yaml second.yaml
says err "'second.yaml' is one argument too many"
expect 2 run arm.yaml --quite
says err "did you mean --quiet?"
expect 2 run arm.yaml --out
says err "--out: needs a value"
expect 2 run arm.yaml --csv=yes
says err "--csv: takes no value"
expect 2 run arm.yaml --out a --out b
says err "--out: given twice"
expect 2 run arm.yaml -q
says err "-q: run has no such option"
expect 2 plot
says err "RESULT... is missing"
expect 2 run -- --help
says err "--help: cannot be opened"
finish
