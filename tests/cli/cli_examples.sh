# The examples of every --help, pasted as they stand in a copy of examples/. Those of `view` and `serve` wait for others, and
# those of `paper` take minutes; all have tests of their own.
. "$(dirname "$0")/lib.sh"

cp -r "$SOURCE"/examples/*.yaml "$SOURCE"/examples/*.csv "$SOURCE"/examples/studies "$SOURCE"/examples/parts .
mkdir bin
ln -s "$TENDRIL" bin/tendril
export PATH=$PWD/bin:$PATH
expect 0 --help
ran=0
for verb in $(sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p' out); do
    expect 0 "$verb" --help
    sed -n '/^examples:/,$s/^  \(tendril .*\)/\1/p' out >lines
    [ -s lines ] || fail "$verb --help has no example"
    while read -r line; do
        case $line in
        *view\ * | *serve\ * | *paper\ *) continue ;;
        *plot\ * | *animate\ *) command -v gnuplot >/dev/null || continue ;;
        esac
        case $line in *animate*) [[ $line == *.gif* ]] || command -v ffmpeg >/dev/null || continue ;; esac
        bash -c "$line" >out 2>err </dev/null || fail "$verb --help: $line"
        ran=$((ran + 1))
    done <lines
done
[ "$ran" -gt 20 ] || fail "only $ran examples ran"
finish
