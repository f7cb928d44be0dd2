# tendril serve: the client of docs/serve.md, several at once, steps on request, broken packets, Ctrl-C.
. "$(dirname "$0")/lib.sh"

cp "$SOURCE/examples/arm.yaml" .
expect 2 serve arm.yaml --token short
says err "must be 8 to 64 letters"
expect 2 serve arm.yaml --host nowhere
says err "is no address"
expect 2 serve arm.yaml --rate 0
expect 2 serve arm.yaml --outputs tip.colour

"$TENDRIL" serve arm.yaml --outputs tip.velocity --lease 3600 >served 2>errors &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$folder"; [ "$failures" = 0 ] || exit 1' EXIT
for _ in $(seq 100); do [ -s served ] || sleep 0.1; done
port=$(sed -n 's|^udp://127.0.0.1:\([0-9]*\) token .*|\1|p' served)
token=$(sed -n 's|.* token ||p' served)
[ -n "$port" ] && [ -n "$token" ] || fail "no address"

# as it stands in the manual
sed -n '/^```python$/,/^```$/p' "$SOURCE/docs/serve.md" | sed '1d;$d' >client.py
[ "$(wc -l <client.py)" -lt 30 ] || fail "the client has become long"
"$PYTHON" client.py 127.0.0.1 "$port" "$token" >out 2>err || fail "the client of docs/serve.md"
[ "$(wc -l <out)" = 100 ] || fail "100 states"
"$PYTHON" "$here/serve_client.py" "$port" "$token" "$TENDRIL" arm.yaml >out 2>err || fail "serve_client.py"

kill -INT $server
wait $server || fail "Ctrl-C ends it with 0"
grep -q "had not the token" errors || fail "strangers are counted"

# Ctrl-C is heard within thousands of steps that a client asked for.
"$TENDRIL" serve "$SOURCE/examples/net.yaml" --paused --token for-this-test >served_net 2>errors &
server=$!
for _ in $(seq 100); do [ -s served_net ] || sleep 0.1; done
"$PYTHON" - "$(sed -n 's|^udp://127.0.0.1:\([0-9]*\) .*|\1|p' served_net)" $server >out 2>err <<'END' || fail "Ctrl-C waits for the steps"
import json, os, signal, socket, sys, time
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.settimeout(60)
def ticks():  # of processor time
    return sum(map(int, open(f"/proc/{sys.argv[2]}/stat").read().rsplit(")", 1)[1].split()[11:13]))
before = ticks()
link.sendto(b'{"token": "for-this-test", "type": "step", "steps": 10000, "id": 1}', ("127.0.0.1", int(sys.argv[1])))
while ticks() < before + 10:  # it is at it
    time.sleep(0.05)
os.kill(int(sys.argv[2]), signal.SIGINT)
state = json.loads(link.recv(65536))
assert state["id"] == 1 and state["time"] < 5000 * 2e-3, state
END
[ "$failures" = 0 ] && { wait $server || fail "Ctrl-C ends it with 0"; }
finish
