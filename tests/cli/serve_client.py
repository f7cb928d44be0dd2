"""serve_client.py PORT TOKEN TENDRIL FILE: asks a server of the arm in all ways, and looks at what it answers."""
import csv
import json
import random
import socket
import subprocess
import sys
import time

port, token, tendril, file = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]


class Client:
    def __init__(self):
        self.link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.link.settimeout(10)
        self.n = 0

    def raw(self, data):
        self.link.sendto(data, ("127.0.0.1", port))

    def ask(self, **message):
        """The answer to this very message, whatever else comes. States that wait are read first: where there is no room
        for the answer it is lost."""
        self.n += 1
        self.forget()
        self.raw(json.dumps({"token": token, "id": self.n, **message}).encode())
        until = time.monotonic() + 20
        while time.monotonic() < until:
            answer = json.loads(self.link.recv(65536))
            if answer.get("id") == self.n:
                return answer
        raise socket.timeout(f"no answer to {message}")

    def forget(self):
        self.link.setblocking(False)
        try:
            while True:
                self.link.recv(65536)
        except BlockingIOError:
            self.link.settimeout(10)

    def state(self):
        while True:
            answer = json.loads(self.link.recv(65536))
            if answer["type"] == "state":
                return answer


def same(a, b, what):
    if a != b:
        sys.exit(f"{what}: {a!r} is not {b!r}")


one = Client()
hello = one.ask(type="hello")
names = [name for name, unit in hello["outputs"]]
same((hello["type"], hello["version"], hello["rate"]), ("hello", 1, 50), "hello")
same(hello["inputs"], [["pull", "N"]], "inputs")
if not {"rod.arm.tip.x", "tendon.pull.tension", "tip.velocity_x"} <= set(names):
    sys.exit(f"outputs: {names}")

# Steps on request are those of the program's run, by the file and with inputs from here.
same(one.ask(type="pause")["type"], "done", "pause")
subprocess.run([tendril, "run", file, "--out", "run", "--csv", "--quiet"], check=True)
rows = [list(map(float, row)) for row in list(csv.reader(open("run/tip.csv")))[1:]]
columns = [names.index(f"rod.arm.tip.{part}") for part in ("x", "y", "z", "q_w", "q_x", "q_y", "q_z")]
for by_hand in (False, True):
    same(one.ask(type="reset")["time"], 0, "reset")
    worst = 0
    for k in range(1, 101):
        inputs = {"inputs": {"pull": 10 * rows[k][0]}} if by_hand else {}
        answer = one.ask(type="step", **inputs)
        same(answer["type"], "state", "step")
        worst = max(worst, *(abs(answer["outputs"][c] - v) for c, v in zip(columns, rows[k][1:])))
    # the solver's tolerance where times round otherwise
    if worst > (1e-9 if by_hand else 1e-12):
        sys.exit(f"steps are {worst} from the run's, by hand: {by_hand}")
same(round(one.ask(type="step", steps=50)["time"], 9), 0.3, "many steps")

# Two clients get the same frames; one that never reads disturbs nobody.
two, deaf = Client(), Client()
deaf.raw(json.dumps({"token": token, "type": "hello"}).encode())
two.ask(type="hello")
same(one.ask(type="play", inputs={"pull": 1.5})["type"], "done", "play")
for client in (one, two):
    client.forget()
frames = [{s["frame"]: s["outputs"] for s in (client.state() for _ in range(30))} for client in (one, two)]
both = set(frames[0]) & set(frames[1])
if len(both) < 5:
    sys.exit(f"frames of two clients: {sorted(frames[0])}, {sorted(frames[1])}")
for number in both:
    same(frames[0][number], frames[1][number], f"frame {number}")
same(one.ask(type="get")["inputs"], [1.5], "what was set")
two.ask(type="set", inputs={"pull": None})

# What is wrong is told; whoever has no token hears nothing.
for message, words in [({"type": "dance"}, "not one of"), ({"type": "set"}, "needs inputs"), ({"type": "get", "steps": 3}, "does not take"),
                       ({"type": "set", "inputs": {"pul": 1}}, "pull"), ({"type": "step"}, "paused"),
                       ({"type": "step", "steps": 0.5}, "whole number"), ({"type": "set", "inputs": [1]}, "object"),
                       ({"type": "set", "inputs": {"pull": "1"}}, "number"), ({}, "type is missing")]:
    answer = one.ask(**message)
    if answer["type"] != "error" or words not in answer["message"]:
        sys.exit(f"{message}: {answer}")
one.ask(type="pause")
answer = one.ask(type="step", inputs={"pull": 1e12})
same(answer["type"], "failure", "a step that fails")
before = one.ask(type="get")
same(one.ask(type="step", inputs={"pull": 1.0})["type"], "state", "and goes on")
stranger = Client()
stranger.link.settimeout(0.3)
for data in (b"", b"{}", b'{"type":"hello"}', b'{"token":"x","type":"hello"}', b"\x00" * 9000):
    stranger.raw(data)
try:
    sys.exit(f"a stranger was answered: {stranger.link.recv(65536)}")
except socket.timeout:
    pass

# Noise: nothing ends, and it answers after.
random.seed(1)
whole = json.dumps({"token": token, "type": "set", "inputs": {"pull": 1.0, "west": None}, "id": 4}).encode()
for _ in range(3000):
    data = bytearray(whole)
    for _ in range(random.randrange(1, 6)):
        data[random.randrange(len(data))] = random.randrange(256)
    stranger.raw(bytes(data[: random.randrange(len(data) + 1)]))
for attempt in range(3):  # packets may be lost where so many come
    try:
        same(one.ask(type="get")["type"], "state", "after noise")
        break
    except socket.timeout:
        continue
else:
    sys.exit("no answer after noise")
# More clients than it serves
many = [Client() for _ in range(40)]
kinds = [client.ask(type="hello")["type"] for client in many]
same((kinds.count("hello"), kinds.count("error")), (29, 11), "32 clients, three of them earlier")
same(many[0].ask(type="bye")["type"], "done", "bye")
