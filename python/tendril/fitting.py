"""Numbers of a robot from measurements, and what the data know of each."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._core import ffi, lib
from .batch import default_threads
from .errors import ArgumentError, check, failure_of, text
from .given import encoded, real, reals
from .models import models
from .options import Options
from .robot import Robot
from .fields import unknown

_LOSSES = ("squares", "huber", "soft_l1")


@dataclass
class Recording:
    """What was given and measured: `Recording(inputs={"pull": tensions}, outputs={"tip.x": x})`, SI.

    Each row is an equilibrium; with `time` (s, growing) it is a motion that begins at 0. nan in outputs:
    not measured. `noise`: standard deviation of each output; needed where units differ. `held_out`: not
    fitted, only predicted."""

    outputs: Mapping[str, ArrayLike]
    inputs: Mapping[str, ArrayLike] = field(default_factory=dict)
    time: "ArrayLike | None" = None
    noise: "Mapping[str, float] | None" = None
    held_out: bool = False
    name: str = "recording"


class FitValue(NamedTuple):
    """A number that was found: interval of 95 % from `low` to `high`; `error` inf: the data do not know it."""

    value: float
    error: float  # standard error; 0 at a bound
    low: float
    high: float
    start: float
    at_bound: bool


class Misfit(NamedTuple):
    """Root mean squares of measured less computed, SI, of one output over all recordings."""

    unit: str
    measured: int
    before: float
    after: float
    held_out: int
    held_out_before: float
    held_out_after: float


class Fit:
    """What `fit` found: `values` by path, each a `FitValue`; `correlations` (n, n); `unknown`, changes that
    leave no trace in the data, as shares of values by path; `misfits` by output; `computed`, a dict of
    arrays for each recording; `iterations`, `computations`, `exact` slopes or differences, `deviation` of one error in units of the
    noise, `autocorrelation` of errors that follow one another; `robot` with the values."""

    def __init__(self, pointer: Any, paths: Sequence[str], recordings: Sequence[Recording]) -> None:
        n = len(paths)
        found = [lib.td_fit_get_value(pointer, i) for i in range(n)]
        self.values: dict[str, FitValue] = {
            path: FitValue(v.value, v.error, v.low, v.high, v.start, v.at_bound)
            for path, v in zip(paths, found)}
        self.correlations = np.array([[lib.td_fit_correlation(pointer, i, k) for k in range(n)]
                                      for i in range(n)])
        self.unknown: list[dict[str, float]] = []
        parts = ffi.new("double[]", n)
        for i in range(lib.td_fit_n_unknown(pointer)):
            lib.td_fit_get_unknown(pointer, i, parts)
            self.unknown.append({path: x for path, x in zip(paths, parts) if x})
        rows = [lib.td_fit_get_misfit(pointer, i) for i in range(lib.td_fit_n_misfits(pointer))]
        self.misfits: dict[str, Misfit] = {
            text(m.output): Misfit(text(m.unit), m.n_fitted, m.before, m.after, m.n_held,
                                   m.held_before, m.held_after) for m in rows}
        self.computed = [_computed(pointer, i, r) for i, r in enumerate(recordings)]
        self.iterations: int = lib.td_fit_iterations(pointer)
        self.computations: int = lib.td_fit_computations(pointer)
        self.exact: bool = lib.td_fit_exact(pointer)
        self.measured: int = lib.td_fit_n_measured(pointer)
        self.deviation: float = lib.td_fit_deviation(pointer)
        self.autocorrelation: float = lib.td_fit_autocorrelation(pointer)
        err = ffi.new("td_error *")
        written = lib.td_fit_write(pointer, err)
        if written == ffi.NULL:
            raise failure_of(err)
        self._text = text(ffi.gc(written, lib.td_free_text))

    @property
    def robot(self) -> Robot:
        """The robot with the values that were found."""
        return Robot.parse(self._text)

    def __repr__(self) -> str:
        said = ", ".join(f"{path}={v.value:.6g}" for path, v in self.values.items())
        return f"Fit({said})"


def _computed(pointer: Any, i: int, recording: Recording) -> dict[str, np.ndarray]:
    rows, names = _rows(recording), list(recording.outputs)
    data = lib.td_fit_computed(pointer, i)
    table = np.frombuffer(ffi.buffer(data, 8 * rows * len(names))).reshape(rows, len(names))
    return {name: table[:, k].copy() for k, name in enumerate(names)}


def _rows(recording: Recording) -> int:
    return len(np.atleast_1d(np.asarray(next(iter(recording.outputs.values()), []))))


def _table(columns: Mapping[str, ArrayLike], rows: int, what: str) -> np.ndarray:
    table = np.zeros((rows, len(columns)))
    for k, (name, values) in enumerate(columns.items()):
        given = np.atleast_1d(reals(values, name))
        if given.shape != (rows,):
            raise ArgumentError(f"{what} {name}: numbers of the shape {given.shape}; ({rows},) are "
                                "expected, one for each row")
        table[:, k] = given
    return table


class _Given:
    """Structures for C, and all that they point at."""

    def __init__(self) -> None:
        self.keep: list[Any] = []

    def string(self, value: str, what: str) -> Any:
        self.keep.append(ffi.new("char[]", encoded(value, what)))
        return self.keep[-1]

    def names(self, names: "Sequence[str]", what: str) -> Any:
        self.keep.append(ffi.new("const char *[]", [self.string(n, what) for n in names] or 1))
        return self.keep[-1]

    def numbers(self, array: np.ndarray) -> Any:
        self.keep.append(np.ascontiguousarray(array, float))
        return ffi.from_buffer("double[]", self.keep[-1])

    def recording(self, to: Any, of: Recording) -> None:
        rows = _rows(of)
        to.name, to.n_rows, to.held_out = self.string(of.name, "name"), rows, bool(of.held_out)
        to.inputs, to.n_inputs = self.names(list(of.inputs), "inputs"), len(of.inputs)
        to.given = self.numbers(_table(of.inputs, rows, "input"))
        to.outputs, to.n_outputs = self.names(list(of.outputs), "outputs"), len(of.outputs)
        to.measured = self.numbers(_table(of.outputs, rows, "output"))
        if of.time is not None:
            to.times = self.numbers(_table({"time": of.time}, rows, "the"))
        if of.noise is not None:
            missing = set(of.outputs) ^ set(of.noise)
            if missing:
                raise ArgumentError(f"noise: {', '.join(sorted(missing))}: of each output, and of no "
                                    "other, a standard deviation is expected")
            to.noise = self.numbers(np.array([real(of.noise[n], n) for n in of.outputs]))

    def parameter(self, to: Any, path: str, limits: Sequence[float]) -> None:
        if np.size(limits) not in (2, 3):
            raise ArgumentError(f"vary {path}: {limits!r}; (low, high) or (low, high, start) is expected")
        to.path = self.string(path, "path")
        to.low, to.high = real(limits[0], path), real(limits[1], path)
        to.start = real(limits[2], path) if np.size(limits) == 3 else math.nan

    def marker(self, to: Any, name: str, on: str, offset: ArrayLike) -> None:
        where = reals(offset, name)
        if where.shape != (3,):
            raise ArgumentError(f"marker {name}: an offset of the shape {where.shape}; (3,) is expected")
        to.name, to.on, to.offset = self.string(name, "name"), self.string(on, "on"), where.tolist()


def fit(robot: Robot, recordings: "Recording | Sequence[Recording]",
        vary: Mapping[str, Sequence[float]], *, model: "str | None" = None,
        options: "Options | None" = None, markers: "Mapping[str, tuple[str, ArrayLike]] | None" = None,
        held_out: float = 0.0, loss: str = "squares", scale: float = 1.0, max_iterations: int = 100,
        threads: "int | None" = None) -> Fit:
    """Looks for numbers of the robot, by path, with which it does what was recorded:

        found = tendril.fit(robot, tendril.Recording(inputs={"pull": N}, outputs={"tip.x": x}),
                            vary={"materials.rubber.youngs_modulus": (1e5, 1e7)})
        found.values["materials.rubber.youngs_modulus"].value

    `vary`: (low, high), or (low, high, start); beside paths of the file "data.gain.INPUT", "data.bias.OUTPUT",
    "data.delay" and "data.marker.NAME.x". `markers`: name: (what it is fixed to, offset), outputs
    "marker.NAME.x". `held_out`: share of the rows that is not fitted. `loss`: squares, huber or
    soft_l1, which count errors beyond `scale` (in units of the noise) less."""
    given, listed = _Given(), [recordings] if isinstance(recordings, Recording) else list(recordings)
    if loss not in _LOSSES:
        raise unknown("loss", loss, list(_LOSSES))
    chosen = (options or robot.options).copy()
    if model is not None:
        if model not in models():
            raise unknown("model", model, list(models()))
        chosen.update(model=model)
    source = robot if robot.source else Robot.parse(robot.text)
    o = ffi.new("td_fit_options *", lib.td_default_fit_options())
    records = ffi.new("td_recording[]", len(listed) or 1)
    parameters = ffi.new("td_fit_parameter[]", len(vary) or 1)
    points = ffi.new("td_fit_marker[]", len(markers or {}) or 1)
    for i, recording in enumerate(listed):
        given.recording(records[i], recording)
    for i, (path, limits) in enumerate(vary.items()):
        given.parameter(parameters[i], path, limits)
    for i, (name, (on, offset)) in enumerate((markers or {}).items()):
        given.marker(points[i], name, on, offset)
    o.recordings, o.n_recordings = records, len(listed)
    o.parameters, o.n_parameters = parameters, len(vary)
    o.markers, o.n_markers = points, len(markers or {})
    o.held_out, o.step = real(held_out, "held_out"), robot.scenario.step
    o.loss, o.scale = _LOSSES.index(loss), real(scale, "scale")
    o.max_iterations = int(max_iterations)
    o.threads = default_threads() if threads is None else int(threads)
    err = ffi.new("td_error *")
    pointer = lib.td_fit_robot(source._pointer, chosen._struct, o, err)
    if pointer == ffi.NULL:
        raise failure_of(err)
    pointer = ffi.gc(pointer, lib.td_fit_destroy)
    status = lib.td_fit_status(pointer)
    if status:
        check(status, text(lib.td_fit_message(pointer)), 3)
    return Fit(pointer, list(vary), listed)
