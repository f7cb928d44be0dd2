"""The design or the inputs that do best: a search over the parameters of a study."""
from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ._core import ffi, lib
from .batch import default_threads
from .errors import check, failure_of, text
from .robot import Robot
from .study import study_pointer


class BestParameter(NamedTuple):
    """A parameter of the study; of a list of words its number. `at_bound`: at an end of its range, which stops it."""

    value: float
    start: float
    unit: str
    at_bound: bool


class Bound(NamedTuple):
    """A comparison that must hold. `price`: by how much the value changes for each unit that `right` grows."""

    left: float
    right: float
    met: bool
    active: bool
    price: float


class Optimum:
    """What `optimise` found: `value`, and `first_value` where it began; `parameters` by name, each a `BestParameter`; `results`
    by name; `bounds` by text, each a `Bound`; `history`, (value, what bounds are missed by) of all points; `slope_left`, 0 at
    an optimum (nan: the method makes no slopes); `slopes`, `cases`, `steps`; `robot` as it is best."""

    def __init__(self, pointer: Any, study: Any) -> None:
        self.value: float = lib.td_optimum_value(pointer)
        self.first_value: float = lib.td_optimum_first_value(pointer)
        self.slope_left: float = lib.td_optimum_slope(pointer)
        self.slopes: str = text(lib.td_optimum_slopes(pointer))
        self.cases: int = lib.td_optimum_cases(pointer)
        self.steps: int = lib.td_optimum_steps(pointer)
        self.parameters: dict[str, BestParameter] = {}
        for i in range(lib.td_study_n_parameters(study)):
            column, p = lib.td_study_parameter(study, i), lib.td_optimum_get_parameter(pointer, i)
            self.parameters[text(column.name)] = BestParameter(p.value, p.start, text(column.unit), p.at_bound)
        self.results: dict[str, float] = {
            text(lib.td_study_result(study, i).name): lib.td_optimum_get_result(pointer, i)
            for i in range(lib.td_study_n_results(study))}
        found = [lib.td_optimum_get_bound(pointer, i) for i in range(lib.td_optimum_n_bounds(pointer))]
        self.bounds: dict[str, Bound] = {
            text(b.text): Bound(b.left, b.right, b.met, b.active, b.price) for b in found}
        value, missed = ffi.new("double *"), ffi.new("double *")
        self.history: list[tuple[float, float]] = []
        for i in range(lib.td_optimum_n_points(pointer)):
            lib.td_optimum_get_point(pointer, i, value, missed)
            self.history.append((value[0], missed[0]))
        written = lib.td_optimum_write(pointer, ffi.new("td_error *"))
        self._text = None if written == ffi.NULL else text(ffi.gc(written, lib.td_free_text))

    @property
    def robot(self) -> "Robot | None":
        """The robot as it is best; None: the study has none."""
        return None if self._text is None else Robot.parse(self._text)

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={p.value:.6g}" for name, p in self.parameters.items())
        return f"Optimum({self.value:.8g}: {said})"


def optimise(study: "str | Path", *, sets: "tuple[str, ...] | list[str]" = (), differences: bool = False,
             threads: "int | None" = None) -> Optimum:
    """Looks for the parameters of a study, a file (a `Path`, or a name that ends in .yaml) or its text, with which what its key `optimise`
    says is best:

        best = tendril.optimise("light-beam.yaml")
        best.parameters["r1"].value, best.bounds["give <= 1 mm"].price

    `sets` override values of the robot that it names, "rods.arm.length=0.3". `differences`: no exact slopes. Raises where
    nothing meets all bounds."""
    err = ffi.new("td_error *")
    pointer = study_pointer(study, sets)
    o = ffi.new("td_optimise_options *", lib.td_default_optimise_options())
    o.threads = default_threads() if threads is None else int(threads)
    o.differences = bool(differences)
    found = lib.td_optimise(pointer, o, err)
    if found == ffi.NULL:
        raise failure_of(err)
    found = ffi.gc(found, lib.td_optimum_destroy)
    status = lib.td_optimum_status(found)
    if status:
        check(status, text(lib.td_optimum_message(found)), 3)
    return Optimum(found, pointer)
