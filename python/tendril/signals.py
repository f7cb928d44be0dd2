"""What drives an input over time when a run follows it: `step`, `ramp`, `hat`, `sine`, `points`,
`curve`, `formula`.

SI units. A plain number is a constant signal.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import ffi, lib
from .errors import ArgumentError
from .fields import value_of, words, word_of, write
from .given import encoded, real, reals


class Signal:
    """A signal over time; call it with a time for its value: `ramp(to=5.0, duration=0.5)(0.25)`."""

    def __init__(self, kind: str, points: ArrayLike | None = None, formula: str | None = None,
                 **numbers: float) -> None:
        self._struct = ffi.new("td_signal *")
        self._struct.kind = value_of(ffi.typeof("td_signal_kind"), kind, "kind of signal")
        for name, value in numbers.items():
            write(self._struct, name, real(value, name), "signal")
        if points is not None:
            self._set_points(points)
        if formula is not None:
            self._formula = ffi.new("char[]", encoded(formula, "formula"))
            self._struct.formula = self._formula

    def _set_points(self, points: ArrayLike) -> None:
        table = reals(points, "points")
        if table.ndim != 2 or table.shape[1] != 2:
            raise ArgumentError(f"points have the shape (n, 2), time and value, not {table.shape}")
        self._points = table
        self._struct.points = ffi.from_buffer("double[]", table)
        self._struct.n_points = len(table)

    @property
    def kind(self) -> str:
        """constant, step, ramp, hat, sine, points, curve or formula."""
        return word_of(ffi.typeof("td_signal_kind"), self._struct.kind)

    def __call__(self, t: float, side: str = "after") -> float:
        """The value at t; `side` says which where it jumps: "before" or "after"."""
        which = value_of(ffi.typeof("td_side"), side, "side")
        return lib.td_signal_value(self._struct, real(t, "t"), which)

    def __repr__(self) -> str:
        return f"<Signal {self.kind}>"

    def __reduce__(self) -> Any:
        numbers = {name: getattr(self._struct, name) for name in _NUMBERS}
        points = self._points if self._struct.n_points else None
        formula = ffi.string(self._formula).decode() if self._struct.formula else None
        return _signal_of, (self.kind, points, formula, numbers)

    def _fill(self, target: Any, what: str) -> None:
        ffi.memmove(ffi.addressof(target), self._struct, ffi.sizeof("td_signal"))


_NUMBERS = [name for name, field in ffi.typeof("td_signal").fields
            if field.type.cname == "double"]


def _signal_of(kind: str, points: "np.ndarray | None", formula: "str | None",
               numbers: "dict[str, float]") -> Signal:
    return Signal(kind, points, formula, **numbers)


def constant(value: float) -> Signal:
    """The same at all times."""
    return Signal("constant", **{"from": value})


def step(start: float = 0.0, to: float = 0.0, at: float = 0.0) -> Signal:
    """`start` before time `at` (s), `to` from then on."""
    return Signal("step", **{"from": start, "to": to, "start": at})


def ramp(start: float = 0.0, to: float = 0.0, at: float = 0.0, duration: float = 1.0) -> Signal:
    """From `start` to `to` within `duration` (s), beginning at time `at`."""
    return Signal("ramp", **{"from": start, "to": to, "start": at, "duration": duration})


def hat(base: float = 0.0, peak: float = 0.0, at: float = 0.0, duration: float = 1.0) -> Signal:
    """From `base` up to `peak` at half the `duration` (s) and back."""
    return Signal("hat", **{"from": base, "to": peak, "start": at, "duration": duration})


def sine(mean: float = 0.0, amplitude: float = 1.0, frequency: float = 1.0, phase: float = 0.0,
         at: float = 0.0, duration: float = 0.0) -> Signal:
    """mean + amplitude sin(2 pi frequency (t - at) + phase) from time `at`; `duration` > 0 ends
    it."""
    return Signal("sine", **{"from": mean, "to": amplitude, "frequency": frequency, "phase": phase,
                             "start": at, "duration": duration})


def points(table: ArrayLike) -> Signal:
    """Piecewise linear through rows of time and value; two rows at one time are a jump."""
    return Signal("points", points=table)


def curve(table: ArrayLike) -> Signal:
    """A smooth curve through rows of time and value, from rest to rest; two rows at one time are a
    jump. What moves a base has the velocity of such a curve."""
    return Signal("curve", points=table)


def formula(words: str) -> Signal:
    """A formula of the time t (s): `formula("2 N + 0.5 N * sin(2*pi*t)")`. docs/file-format.md has
    its functions. What is wrong with it is told where a robot takes it."""
    return Signal("formula", formula=words)


def as_signal(value: "Signal | float") -> Signal:
    """A signal, or a number as a constant one."""
    return value if isinstance(value, Signal) else constant(value)


def kinds() -> list[str]:
    """Kinds of signals that the library has."""
    return list(words(ffi.typeof("td_signal_kind")))
