# What the scripts share. Each runs in a folder that is removed at the end.
set -u
export LC_ALL=C NO_COLOR=
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SOURCE=${SOURCE:-$here/../..}
PYTHON=${PYTHON:-python3}
data=$here/data
folder=$(mktemp -d)
failures=0
trap 'rm -rf "$folder"; [ "$failures" = 0 ] || exit 1' EXIT  # also of a script that forgets to finish
cd "$folder" || exit 1
cp "$data"/*.yaml .

# tendril ARGS...: runs the program; its exit code, stdout and stderr are in $code, out and err.
tendril() {
    "$TENDRIL" "$@" >out 2>err
    code=$?
}

fail() {
    echo "FAILED: $*"
    echo "  stdout:" && sed 's/^/    /' out
    echo "  stderr:" && sed 's/^/    /' err
    failures=$((failures + 1))
}

# expect CODE ARGS...: the program ends with this exit code.
expect() {
    local wanted=$1
    shift
    tendril "$@"
    [ "$code" = "$wanted" ] || fail "tendril $*: exit code $code, expected $wanted"
}

# says FILE TEXT: out or err contains this text.
says() {
    grep -qF -- "$2" "$1" || fail "$1 does not say: $2"
}

silent() {
    [ ! -s "$1" ] || fail "$1 is not empty"
}

is_json() {
    "$PYTHON" -m json.tool "$1" >json.pretty 2>json.err || fail "$1 is not JSON: $(cat json.err)"
}

# holds EXPRESSION: true in Python, with the JSON object of file `out` as j.
holds() {
    "$PYTHON" - "$1" <<'END' || fail "does not hold: $1"
import json, math, sys
j = json.load(open("out"))
if not eval("(" + sys.argv[1] + ")"):
    sys.exit(f"{sys.argv[1]}: false")
END
}

finish() {
    [ "$failures" = 0 ] || echo "$failures failures"
    exit "$((failures > 0))"
}
