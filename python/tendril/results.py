"""Runs and their results: arrays over time."""
from __future__ import annotations

import csv
import math
import os
import re
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Iterator, Sequence

import numpy as np

from ._core import ffi, lib
from .actuators import KINDS, PLURALS
from .errors import Error, FileError, RuleError, expect, text
from .fields import Fields, fields_of
from .given import keywords
from .options import Scenario
from .robot import Robot
from .samples import Samples
from .state import State
from .system import System

_PARTS = (*PLURALS, "bodies")
_FLAT = ("energy", "inputs", "sensors")  # of one number each
_CONTACT = ("gap", "pressure", "contact")
_ROD_FIELDS = {"pose": ("position", "orientation"),
               **{name: (name,) for name in fields_of(ffi.typeof("td_sample"))
                  if name != "pose" and name not in _CONTACT},
               "contact": _CONTACT}


class Series(SimpleNamespace):
    """Named arrays over time, as attributes and by name: `result.rods["arm"].position`."""

    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self))

    def __repr__(self) -> str:
        return f"Series({', '.join(f'{k}: {np.shape(v)}' for k, v in vars(self).items())})"


class Result:
    """What a run recorded, the same whether it ran here or was read from a folder of `tendril run`.

    `time` (nt); `rods[name]` with s, length, position (nt, ns, 3), orientation, strain, wrench,
    velocity, and base_reaction (nt, 6: moment, force; world) and tip_reaction where the tip is
    held, where there is something to touch gap, pressure and contact; `tendons[name]`, `chambers[name]`,
    `bodies[name]` with the numbers of each; `obstacles[name]` with position, orientation and wrench
    (nt, 6: moment, force of the robot on it; world);
    `inputs[name]` (nt); `sensors["camera.x"]` (nt), the latest readings; `energy` with kinetic, elastic, gravity, dissipated and work; `solver`.
    Fields that were not recorded are absent. `ending` is "finished", or says why the run ended
    before. `state` is the state at the end of a run made here, None otherwise.
    """

    def __init__(self) -> None:
        self.time: np.ndarray = np.empty(0)
        self.rods: dict[str, Series] = {}
        for kind in PLURALS:  # self.tendons, ...
            setattr(self, kind, {})
        self.bodies: dict[str, Series] = {}
        self.obstacles: dict[str, Series] = {}
        self.inputs: dict[str, np.ndarray] = {}
        self.sensors: dict[str, np.ndarray] = {}
        self.energy: Series = Series()
        self.solver: Series = Series()
        self.ending: str = "finished"
        self.state: "State | None" = None

    @classmethod
    def read(cls, folder: "str | os.PathLike[str]") -> "Result":
        """Reads a result folder of the program: result.h5 where it is there and h5py is installed,
        otherwise the tables that `tendril run --csv` adds."""
        path = Path(folder)
        file = path if path.is_file() else path / "result.h5"
        try:
            import h5py
        except ImportError:
            return _read_tables(path)
        if not file.is_file():
            if (path / "shape.csv").is_file():
                return _read_tables(path)
            raise FileError("there is no result here", "TD_ERR_FILE", str(path))
        try:
            with h5py.File(file, "r") as h5:
                result = _read_h5(h5)
        except (OSError, KeyError) as error:
            raise FileError(f"not a result, or one that was never completed: {error}", "TD_ERR_FILE",
                            str(file)) from error
        if result.ending != "finished":
            warnings.warn(f"{file}: incomplete: {result.ending or 'its end is not known'}",
                          stacklevel=2)
        return result

    @property
    def energy_drift(self) -> float:
        """Largest departure of kinetic + elastic + gravity + dissipated - work from its start,
        J."""
        e = self.energy
        balance = e.kinetic + e.elastic + e.gravity + e.dissipated - e.work
        return float(np.max(np.abs(balance - balance[0])))

    def tip(self, rod: str | None = None) -> np.ndarray:
        """Positions of a rod's tip over time (nt, 3); of the first rod by default."""
        return self.rods[next(iter(self.rods)) if rod is None else rod].position[:, -1]

    def plot(self, ax: Any = None, times: "Sequence[float] | int" = 7) -> Any:
        """Draws the rods at so many instants, or at these (s), from light to dark, and the ways of their tips, on a 3-D axes
        of matplotlib (a new one by default), and returns that."""
        from .drawing import plot_result
        return plot_result(self, ax, times)

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s" if len(self.time) else "empty"
        return f"<Result: {len(self.time)} records, {span}, {self.ending}>"


# ---------------------------------------------------------------- running
@keywords("td_options")
def run(robot: "Robot | System", model: str | None = None, *, start: str | None = None,
        end: float | None = None, step: float | None = None, scenario: Scenario | None = None,
        **options: Any) -> Result:
    """Simulates a robot as `tendril run` does and records in memory: from its start to `end` (s)
    in steps of `step`, following the signals of its inputs. What is not said here is as
    `robot.scenario` says. A step that fails raises; what was recorded until then is in
    `error.result`."""
    expect(robot, Robot, System, name="robot")
    plan = robot.scenario if scenario is None and isinstance(robot, Robot) else scenario
    if plan is None:
        raise RuleError("a run of a system takes a scenario", "TD_ERR_ARGUMENT")
    plan = Scenario(plan._struct[0])
    for name, value in (("start", start), ("end", end), ("step", step)):
        if value is not None:
            setattr(plan, name, value)
    system = robot if isinstance(robot, System) else System(robot, model, **options)
    state = State(system)
    state.reset()
    state.apply_signals(0.0, "before")
    if plan.start == "static":
        state.statics()
    return _follow(state, plan)


def _follow(state: State, plan: Scenario) -> Result:
    if not (plan.step > 0 and plan.end > 0):
        raise RuleError(f"step = {plan.step:g} s and end = {plan.end:g} s must be positive")
    steps = math.ceil((plan.end - state.time) / plan.step - 1e-6)
    every = max(1, round(plan.record_every / plan.step))
    recorder = _Recorder(state, plan)
    recorder.take()
    for k in range(steps):
        left = plan.end - state.time
        last = k + 1 == steps
        whole = not last or abs(left - plan.step) < 1e-6 * plan.step
        try:
            state.advance(plan.step if whole else left)
        except Error as error:
            recorder.ending = f"failed: {error}"
            error.result = recorder.result()  # type: ignore[attr-defined]
            raise
        recorder.note()
        if last or (k + 1) % every == 0:
            recorder.take()
    return recorder.result()


class _Recorder:
    """Takes records of a state and makes arrays of them."""

    def __init__(self, state: State, plan: Scenario) -> None:
        self.state, self.points = state, plan.record_points
        self.fields = set(plan.fields)
        if not state.system.obstacles and not state.system.contacts:
            self.fields.discard("contact")
        self.records: list[dict[tuple[str, ...], Any]] = []
        self.effort = {"iterations": 0, "evaluations": 0, "fallbacks": 0, "residual": 0.0}
        self.ending = "finished"

    def note(self) -> None:
        stats, effort = lib.td_get_stats(self.state._pointer), self.effort
        effort["iterations"] += stats.iterations
        effort["evaluations"] += stats.evaluations
        effort["fallbacks"] += stats.fallbacks
        effort["residual"] = max(effort["residual"], stats.residual)

    def take(self) -> None:
        state = self.state
        row: dict[tuple[str, ...], Any] = {("time",): state.time}
        for rod in state.system.rods:
            self._take_rod(rod, state._shape(rod, self.points), row)
        for kind in _PARTS:
            if kind in self.fields:
                for name, part in getattr(state, kind).items():
                    _take_part(row, (kind, name), part)
        if "reactions" in self.fields:
            self._take_reactions(row)
        for name in state.system.obstacles if "contact" in self.fields else ():
            pose, path = state.obstacle_pose(name), ("obstacles", name)
            row[path + ("position",)], row[path + ("orientation",)] = pose.p, pose.q
            row[path + ("wrench",)] = _wrench(state.obstacle_wrench(name))
        for thin in KINDS:
            if thin.thin and {thin.plural, "pose"} <= self.fields:
                for name in getattr(state, thin.plural):
                    row[thin.plural, name, "path"] = state._path(thin, name, self.points)
        if "inputs" in self.fields:
            row |= {("inputs", name): value for name, value in state.inputs.items()}
        if "sensors" in self.fields:
            row |= {("sensors", channel): value for name in state.system.sensors
                    for channel, value in zip(_channels(state.system, name), state.sensors[name])}
        if "energy" in self.fields:
            row |= {("energy", name): value for name, value in state.energy.as_dict().items()}
        row |= {("solver", name): value for name, value in self.effort.items()}
        self.effort = dict.fromkeys(self.effort, 0)
        self.records.append(row)

    def _take_rod(self, rod: str, samples: Samples, row: dict[tuple[str, ...], Any]) -> None:
        if "pose" in self.fields:
            row["rods", rod, "length"] = samples.s[-1]
        for field, names in _ROD_FIELDS.items():
            if field in self.fields:
                row |= {("rods", rod, name): samples[name] for name in names}

    def _take_reactions(self, row: dict[tuple[str, ...], Any]) -> None:
        state, system = self.state, self.state.system
        for rod in system.rods:
            ends = ("base", "tip") if system.tip_held(rod) else ("base",)
            for end in ends:
                row["rods", rod, f"{end}_reaction"] = _wrench(state.reaction(rod, end))
        for body in system.bodies if "bodies" in self.fields else ():
            row["bodies", body, "reaction"] = _wrench(state.reaction(body=body))
            if lib.td_body_is_held(system._pointer, system.index("body", body)):
                row["bodies", body, "hold_reaction"] = _wrench(state.reaction(body=body, end="hold"))

    def result(self) -> Result:
        result = Result()
        result.ending, result.state = self.ending, self.state
        system = self.state.system
        result.rods = {name: Series(s=self.state._points(name, self.points))
                       for name in system.rods}
        for path in self.records[0]:
            _place(result, path, np.array([record[path] for record in self.records]))
        return result


def _wrench(reaction: Fields) -> np.ndarray:
    return np.concatenate((reaction.moment, reaction.force))


def _take_part(row: dict[tuple[str, ...], Any], path: tuple[str, str], part: Fields) -> None:
    for name, value in part.as_dict().items():
        if name == "pose":
            row[path + ("position",)], row[path + ("orientation",)] = value.p, value.q
        else:
            row[path + (name,)] = float(value) if np.ndim(value) == 0 else value


def _channels(system: System, sensor: str) -> list[str]:
    """Names of a sensor's numbers: "camera.x"."""
    index, room = system.index("sensor", sensor), ffi.new("char[256]")
    return [text(lib.td_sensor_channel(system._pointer, index, k, room, 256))
            for k in range(lib.td_sensor_channels(system._pointer, index))]


def _place(result: Result, path: tuple[str, ...], values: Any) -> None:
    """Puts an array where its path says: ("rods", "arm", "position")."""
    if path == ("time",):
        result.time = values
    elif path[0] in ("inputs", "sensors"):
        getattr(result, path[0])[path[1]] = values
    elif path[0] in ("energy", "solver"):
        setattr(getattr(result, path[0]), path[1], values)
    elif path[0] in ("rods", "obstacles", *_PARTS):
        setattr(getattr(result, path[0]).setdefault(path[1], Series()), path[2], values)


# ---------------------------------------------------------------- reading
def _read_h5(h5: Any) -> Result:
    result = Result()
    result.ending = str(h5.attrs.get("ending", ""))
    if isinstance(h5.attrs.get("ending"), bytes):
        result.ending = h5.attrs["ending"].decode()

    def name_of(item: Any, link: str) -> str:
        name = item.attrs.get("name", link)
        return name.decode() if isinstance(name, bytes) else str(name)

    _place(result, ("time",), h5["time"][:])
    for kind in ("rods", "obstacles", *_PARTS):
        for link, group in h5.get(kind, {}).items():
            for field, values in group.items():
                _place(result, (kind, name_of(group, link), field), values[:])
    for kind in ("inputs", "sensors"):
        for link, values in h5.get(kind, {}).items():
            _place(result, (kind, name_of(values, link)), values[:])
    for kind in ("energy", "solver"):
        for field, values in h5.get(kind, {}).items():
            _place(result, (kind, field), values[:])
    return result


def _table(path: Path) -> tuple[list[str], list[list[str]]]:
    """A table's columns, without their units, and its rows."""
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    return [re.sub(r" \[.*\]$", "", name) for name in rows[0]], rows[1:]


def _read_tables(folder: Path) -> Result:
    result = Result()
    result.ending = ""  # tables do not say
    if not (folder / "shape.csv").is_file():
        raise FileError("needs h5py for result.h5, or the tables of `tendril run --csv`",
                        "TD_ERR_FILE", str(folder))
    _read_shapes(result, folder / "shape.csv")
    for kind in (*_PARTS, "obstacles", "energy", "inputs", "sensors"):
        if (folder / f"{kind}.csv").is_file():
            columns, rows = _table(folder / f"{kind}.csv")
            values = np.array(rows, float)
            for k, column in enumerate(columns[1:], 1):
                path = (column,) if kind in _FLAT else tuple(column.rsplit(".", 1))
                _place(result, (kind,) + path, values[:, k])
    if (folder / "reactions.csv").is_file():
        _read_reactions(result, folder / "reactions.csv")
    return result


def _read_reactions(result: Result, path: Path) -> None:
    columns, rows = _table(path)
    values = np.array(rows, float)
    kinds = {"rod": "rods", "body": "bodies"}
    for k in range(1, len(columns), 6):  # "rod.arm.base_reaction.moment_x" and its five fellows
        kind, name, field, _ = columns[k].split(".")
        _place(result, (kinds[kind], name, field), values[:, k:k + 6])


def _read_shapes(result: Result, path: Path) -> None:
    columns, rows = _table(path)
    groups = {"position": 3, "orientation": 4, "strain": 6, "wrench": 6, "velocity": 6, "gap": 1,
              "pressure": 1, "contact": 3}
    first = {"position": "x", "orientation": "qw", "strain": "curvature_x", "wrench": "moment_x",
             "velocity": "omega_x", "gap": "gap", "pressure": "pressure", "contact": "contact_x"}
    for rod in dict.fromkeys(row[1] for row in rows):
        mine = [row for row in rows if row[1] == rod]
        table = np.array([[row[0]] + row[2:] for row in mine], float)
        times = np.unique(table[:, 0])
        table = table.reshape(len(times), -1, table.shape[1])
        result.time = times
        _place(result, ("rods", rod, "s"), table[0, :, 1])
        _place(result, ("rods", rod, "length"), table[:, -1, 1])
        for name, width in groups.items():
            if first[name] in columns:
                start = columns.index(first[name]) - 1
                values = table[:, :, start:start + width] if width > 1 else table[:, :, start]
                _place(result, ("rods", rod, name), values)
