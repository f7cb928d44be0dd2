# tendril view from the command line: what is refused before anything is served, the address that is
# printed, and a polite end.
. "$(dirname "$0")/lib.sh"

tendril view arm.yaml --host 203.0.113.7 --no-browser
grep -q "built without libwebsockets" err && exit 77

expect 2 view missing.yaml
says err "missing.yaml: "
silent out
expect 2 view .
says err "there is no result here"
expect 2 view arm.yaml --token short
says err "--token: 'short' must be 8 to 64 letters"
expect 2 view arm.yaml --token 'with a blank'
says err "--token: "
expect 2 view arm.yaml --port 70000
says err "--port: '70000' must be a whole number from 0 to 65535"
expect 2 view arm.yaml --page nowhere --no-browser
says err "--page: there is no index.html in 'nowhere'"
expect 2 view arm.yaml --host 203.0.113.7 --no-browser
says err "cannot listen at 203.0.113.7, port 0: Cannot assign requested address"
expect 2 view arm.yaml --host a.name --no-browser
says err "cannot listen at a.name, port 0: not a numeric address"
expect 2 view arm.yaml --model nothing
says err "'nothing' is not a model"
expect 0 run arm.yaml --quiet --out recorded --set simulation.time.end=0.02
expect 2 view recorded --set simulation.time.step=1
says err "--set: recorded is a result: a recorded run cannot be changed"

# start ARGS...: the address is in $address, the process in $server.
start() {
    rm -f address
    "$TENDRIL" view "$@" --no-browser >address 2>err &
    server=$!
    for _ in $(seq 100); do
        [ -s address ] && break
        sleep 0.1
    done
    address=$(cat address)
}

# stops SIGNAL: the program ends with exit code 0.
stops() {
    kill -s "$1" "$server"
    wait "$server"
    code=$?
    [ "$code" = 0 ] || fail "$1: exit code $code"
}

: >out
mkdir page
: >page/index.html
start arm.yaml --page page
echo "$address" | grep -qE '^http://127\.0\.0\.1:[0-9]+/\?token=[0-9a-f]{32}$' || fail "address: $address"
silent err
port=$(echo "$address" | sed 's/.*1:\([0-9]*\).*/\1/')
expect 2 view arm.yaml --no-browser --port "$port"
says err "cannot listen at 127.0.0.1, port $port: Address already in use"
first=$address
stops TERM
start arm.yaml --host 0.0.0.0
stops TERM
says err "other machines can reach it"
start recorded
[ "$address" != "$first" ] || fail "the same token twice"
stops TERM
finish
