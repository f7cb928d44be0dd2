"""Studies: many cases of one robot, each found by its number."""
from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._core import ffi, lib
from .batch import default_threads
from .errors import ArgumentError, check, failure_of, text
from .given import encoded

_BLOCK = 64  # cases that a thread takes at once


def study_pointer(study: "str | Path", sets: Sequence[str]) -> Any:
    """A td_study of a file (a `Path`, or a name that ends in .yaml) or of its text."""
    err = ffi.new("td_error *")
    keep = [ffi.new("char[]", encoded(s, "sets")) for s in sets]
    given = ffi.new("const char *[]", keep or 1)
    if isinstance(study, Path) or ("\n" not in study and study.endswith((".yaml", ".yml"))):
        pointer = lib.td_study_load(encoded(str(study), "study"), given, len(keep), err)
    else:
        whole = encoded(study, "study")
        pointer = lib.td_study_parse(whole, len(whole), ffi.NULL, given, len(keep), err)
    if pointer == ffi.NULL:
        raise failure_of(err)
    return ffi.gc(pointer, lib.td_study_destroy)


class Index(NamedTuple):
    """A share of the variance of a result: of a parameter alone, and in all that it does with others; intervals of 95 %."""

    first: float
    total: float
    first_interval: "tuple[float, float]"
    total_interval: "tuple[float, float]"


class Table(Mapping[str, np.ndarray]):
    """The cases of a study: `table["x"]` is a column, of parameters and results (nan where a case failed); `units` by name;
    `status` and `messages` of each case; `failed`, a mask."""

    def __init__(self, columns: "dict[str, np.ndarray]", units: "dict[str, str]", status: np.ndarray,
                 messages: "list[str]") -> None:
        self._columns, self.units, self.status, self.messages = columns, units, status, messages

    @classmethod
    def read(cls, path: "str | Path") -> "Table":
        """The table of `tendril sweep`: its folder or sweep.h5. Needs h5py."""
        import h5py

        file = Path(path)
        with h5py.File(file / "sweep.h5" if file.is_dir() else file, "r") as h:
            cases, texts = h["cases"][:], [m.decode() for m in h["messages"][:]]
            units = [u.decode() for u in h["cases"].attrs["units"]]
        names = list(cases.dtype.names)[:-2]
        return cls({n: cases[n] for n in names}, dict(zip(names, units)), cases["status"],
                   [texts[i] if i >= 0 else "" for i in cases["message"]])

    @property
    def failed(self) -> np.ndarray:
        """Which cases have no results."""
        return self.status < 0

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"Table({len(self.status)} cases, {int(self.failed.sum())} failed: {', '.join(self._columns)})"


class Study:
    """A study, from a file (a `Path`, or a name that ends in .yaml) or its text; `sets` override values of its robot.

    `parameters` and `results` are names with units, `len(study)` the number of cases. `case(i)` are the parameters of one,
    `compute(values)` its results, and `sweep()` all of them."""

    def __init__(self, study: "str | Path", sets: Sequence[str] = ()) -> None:
        self._study = study_pointer(study, sets)
        self._own = threading.local()
        p, r = lib.td_study_n_parameters(self._study), lib.td_study_n_results(self._study)
        columns = [lib.td_study_parameter(self._study, i) for i in range(p)]
        results = [lib.td_study_result(self._study, i) for i in range(r)]
        self.parameters: "dict[str, str]" = {text(c.name): text(c.unit) for c in columns}
        self.results: "dict[str, str]" = {text(c.name): text(c.unit) for c in results}
        self.name, self.action, self.method = (text(f(self._study)) for f in (
            lib.td_study_name, lib.td_study_action, lib.td_study_method))

    def __len__(self) -> int:
        return lib.td_study_n_cases(self._study)

    def __repr__(self) -> str:
        return f"Study({len(self)} cases, {self.method}, {self.action}: {', '.join(self.parameters)} -> {', '.join(self.results)})"

    def _worker(self) -> Any:
        if not hasattr(self._own, "worker"):
            made = lib.td_study_worker_create(self._study)
            if made == ffi.NULL:
                raise MemoryError("no memory for a worker of the study")
            self._own.worker = ffi.gc(made, lib.td_study_worker_destroy)
        return self._own.worker

    def case(self, index: int) -> "dict[str, float]":
        """The parameters of a case."""
        if not 0 <= index < len(self):
            raise IndexError(f"case {index} of {len(self)}")
        values = ffi.new("double[]", len(self.parameters))
        lib.td_study_get_case(self._study, index, values)
        return dict(zip(self.parameters, values))

    def compute(self, **values: float) -> "dict[str, float]":
        """The results of these parameters. Raises where the case fails."""
        if set(values) != set(self.parameters):
            raise ArgumentError(f"the parameters are {', '.join(self.parameters)}, not {', '.join(values)}")
        out = ffi.new("double[]", len(self.results))
        worker = self._worker()
        status = lib.td_study_compute(worker, [float(values[n]) for n in self.parameters], out)
        if status:
            check(status, text(lib.td_study_message(worker)), 3)
        return dict(zip(self.results, out))

    def sweep(self, threads: "int | None" = None) -> Table:
        """All cases, on several threads; the same bits whatever their number. For long ones, and several machines:
        `tendril sweep`."""
        n, p, r = len(self), len(self.parameters), len(self.results)
        given, found = np.empty((n, p)), np.full((n, r), np.nan)
        status, messages = np.zeros(n, dtype=np.int32), [""] * n

        def some(first: int) -> None:
            worker, out = self._worker(), ffi.new("double[]", r)
            for i in range(first, min(first + _BLOCK, n)):
                row = ffi.cast("double *", given[i].ctypes.data)
                lib.td_study_get_case(self._study, i, row)
                status[i] = lib.td_study_compute(worker, row, out)
                if status[i] >= 0:
                    found[i] = list(out)
                if status[i]:
                    messages[i] = text(lib.td_study_message(worker))

        with ThreadPoolExecutor(default_threads() if threads is None else int(threads)) as pool:
            list(pool.map(some, range(0, n, _BLOCK)))
        columns = {name: given[:, i] for i, name in enumerate(self.parameters)}
        columns.update((name, found[:, i]) for i, name in enumerate(self.results))
        return Table(columns, {**self.parameters, **self.results}, status, messages)

    def sensitivity(self, result: ArrayLike) -> "dict[str, Index]":
        """Sobol's indices of a column of results of all cases, of a study with `method: saltelli`."""
        column = np.ascontiguousarray(result, dtype=float)
        if column.shape != (len(self),):
            raise ArgumentError(f"result has the shape {column.shape}, but there are {len(self)} cases")
        out, used, err = ffi.new("td_sensitivity[]", len(self.parameters)), ffi.new("long long *"), ffi.new("td_error *")
        data = ffi.cast("const double *", column.ctypes.data)
        if lib.td_study_get_sensitivity(self._study, data, out, used, err) < 0:
            raise failure_of(err)
        return {name: Index(s.first, s.total, (s.first_low, s.first_high), (s.total_low, s.total_high))
                for name, s in zip(self.parameters, out)}
