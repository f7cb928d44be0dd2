"""fmpy_run.py TENDRIL EXAMPLES: FMUs of both versions in FMPy, a simulator that is not ours.

FMPy validates them, simulates them, gets, sets and serializes their states, asks for directional derivatives and uses them
wrongly. Truth: the program's run of the same file, differences, and what the standard says of each call. Without FMPy there
is nothing to be seen, and the test is skipped (77).
"""
import csv
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import fmpy
    import numpy as np
    from fmpy import extract, read_model_description, simulate_fmu
    from fmpy.fmi2 import FMU2Slave
    from fmpy.fmi3 import FMU3Slave
    from fmpy.validation import validate_fmu
except ImportError as reason:
    print(f"skipped: {reason}")
    sys.exit(77)

tendril, examples = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
folder = Path(tempfile.mkdtemp())
STEP = 0.002


def need(holds, what):
    if not holds:
        raise SystemExit(f"FMI {version}: {what}")


def call(*args):
    subprocess.run([tendril, *map(str, args)], check=True, stdout=subprocess.DEVNULL, cwd=folder)


def table(path):
    with open(path) as file:
        rows = list(csv.reader(file))
    return np.array([[float(x) for x in row] for row in rows[1:]])


class Plant:
    """One instance, asked in the same words whatever the version."""

    def __init__(self, fmu, version, folder_of_it, description):
        self.two, self.d = version == 2, description
        kind = FMU2Slave if self.two else FMU3Slave
        token = {"guid": description.guid}  # FMPy calls the token of FMI 3 so too
        identifier = description.coSimulation.modelIdentifier
        self.m = kind(unzipDirectory=folder_of_it, modelIdentifier=identifier, instanceName="plant", **token)
        self.m.instantiate()
        self.ref = {v.name: v.valueReference for v in description.modelVariables}

    def start(self, at=0.0):
        if self.two:
            self.m.setupExperiment(startTime=at)
            self.m.enterInitializationMode()
        else:
            self.m.enterInitializationMode(startTime=at)
        self.m.exitInitializationMode()

    def get(self, *names):
        refs = [self.ref[n] for n in names]
        return np.array(self.m.getReal(refs) if self.two else self.m.getFloat64(refs))

    def set(self, name, value):
        (self.m.setReal if self.two else self.m.setFloat64)([self.ref[name]], [value])

    def step(self, t, h):
        self.m.doStep(currentCommunicationPoint=t, communicationStepSize=h)

    def slope(self, unknowns, known):
        return np.array(self.m.getDirectionalDerivative([self.ref[u] for u in unknowns], [self.ref[known]], [1.0]))

    def state(self):
        return self.m.getFMUstate() if self.two else self.m.getFMUState()

    def put_state(self, state):
        (self.m.setFMUstate if self.two else self.m.setFMUState)(state)

    def to_bytes(self, state):
        return self.m.serializeFMUstate(state) if self.two else self.m.serializeFMUState(state)

    def from_bytes(self, data):
        return self.m.deSerializeFMUstate(data) if self.two else self.m.deserializeFMUState(data)

    def free(self, state):
        (self.m.freeFMUstate if self.two else self.m.freeFMUState)(state)


TIP = ["rod.arm.tip." + c for c in ("x", "y", "z", "q_w", "q_x", "q_y", "q_z")]


def refused(what, do, *args, **named):
    try:
        do(*args, **named)
    except Exception:  # FMPy has several
        return
    need(False, f"{what} is not refused")


def ramp(t):
    return min(5.0, 10.0 * t)


def check_runs(path, wanted):
    # by the file, and by inputs that FMPy sets
    end, interval = float(wanted[-1, 0]), float(wanted[1, 0])
    free = simulate_fmu(str(path), stop_time=end, output_interval=interval, output=TIP)
    need(len(free) == len(wanted), f"{len(free)} rows, the program has {len(wanted)}")
    off = max(np.abs(free[name] - wanted[:, 1 + k]).max() for k, name in enumerate(TIP))
    need(off <= 1e-12, f"by the file, the tip is {off} off")
    return off


def check_master(plant, wanted):
    # at the times of the run, to the bit: others round otherwise, and steps then differ by the solver's tolerance
    plant.start()
    t = wanted[:, 0]
    for k in range(100):
        plant.set("pull", ramp(t[k + 1]))
        plant.step(t[k], t[k + 1] - t[k])
    off = np.abs(plant.get(*TIP) - wanted[100, 1:]).max()
    need(off <= 1e-12, f"by inputs, the tip is {off} off")
    return off


def check_states(plant, other):
    # from one instance to another by bytes, and back in the first: what follows is the same to the bit
    at = 100 * STEP
    state = plant.state()
    data = plant.to_bytes(state)

    def go_on(p):
        for k in range(10):
            p.set("pull", 3.0 + 0.1 * k)
            p.step(at + k * STEP, STEP)
        return p.get(*TIP)

    first = go_on(plant)
    plant.put_state(state)
    need((go_on(plant) == first).all(), "a state does not come back")
    other.start()
    there = other.from_bytes(data)
    other.put_state(there)
    need((go_on(other) == first).all(), "bytes do not carry a state to another instance")
    refused("a damaged state", lambda: other.put_state(other.from_bytes(data[: len(data) // 2])))
    other.free(there)
    plant.put_state(state)
    plant.free(state)


def check_slopes(plant):
    at, h, d = 100 * STEP, 3 * STEP, 1e-4
    state, ends = plant.state(), []
    for value in (2.5 - d, 2.5 + d, 2.5):
        plant.put_state(state)
        plant.set("pull", value)
        plant.step(at, h)
        ends.append(plant.get(*TIP))
    slope, truth = plant.slope(TIP, "pull"), (ends[1] - ends[0]) / (2 * d)
    off = np.abs(slope - truth).max() / np.abs(truth).max()
    need(off < 1e-6, f"derivatives are {off} off those of differences")
    plant.free(state)
    return off


def check_wrong_use(plant, make):
    t = 103 * STEP
    refused("an output that is set", plant.set, TIP[0], 1.0)
    refused("a parameter that is set in the run", plant.set, "rods.arm.length", 0.2)
    refused("a number that is none", plant.set, "pull", float("nan"))
    refused("a step from another time", plant.step, t + 1.0, STEP)
    refused("a step of no length", plant.step, t, 0.0)
    refused("a variable that there is not", (plant.m.getReal if plant.two else plant.m.getFloat64), [9999])
    refused("a derivative by an output", plant.slope, TIP[:1], TIP[0])
    early = make()
    refused("a step before the start", early.step, 0.0, STEP)
    early.m.freeInstance()
    before = plant.get(*TIP)
    plant.step(t, STEP)
    need((plant.get(*TIP) != before).any(), "nothing goes on after calls that were refused")
    plant.m.terminate()
    refused("a step after the end", plant.step, t + STEP, STEP)


def check_parameters(plant):
    plant.m.reset()
    plant.set("rods.arm.length", 0.2)
    plant.start()
    need(abs(plant.get("rod.arm.tip.z")[0] - 0.2) < 1e-4, "a parameter has no effect")


def check(version, wanted):
    path = folder / f"arm{version}.fmu"
    call("export", examples / "arm.yaml", "--fmi", version, "--fmu", path, "--parameters", "rods.arm.length",
         "--outputs", "tip.velocity")
    problems = validate_fmu(str(path))
    need(not problems, f"FMPy's validation: {problems}")
    description = read_model_description(str(path))
    where = extract(str(path), unzipdir=str(folder / f"unpacked{version}"))

    def make():
        return Plant(path, version, where, description)

    by_file, plant, other = check_runs(path, wanted), make(), make()
    by_inputs = check_master(plant, wanted)
    check_states(plant, other)
    other.m.terminate()
    other.m.freeInstance()
    slopes = check_slopes(plant)
    check_wrong_use(plant, make)
    check_parameters(plant)
    plant.m.terminate()
    plant.m.freeInstance()
    print(f"FMPy {fmpy.__version__}, FMI {version}: {by_file:g} off by the file, {by_inputs:g} by inputs, "
          f"derivatives {slopes:.1e} off differences")


try:
    version = 0
    call("run", examples / "arm.yaml", "--out", "result", "--csv", "--quiet")
    run = table(folder / "result" / "tip.csv")
    for version in (2, 3):
        check(version, run)
finally:
    shutil.rmtree(folder)
