"""A rod at many places."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._core import ffi
from .geometry import rotation_matrix

# The struct holds nothing but doubles: where each field begins and ends, in doubles.
_POSE = ffi.offsetof("td_sample", "pose") // 8


def _span(name: str, n: int) -> "slice | int":
    start = ffi.offsetof("td_sample", name) // 8
    return slice(start, start + n) if n > 1 else start


_SPANS = {"position": slice(_POSE, _POSE + 3), "orientation": slice(_POSE + 3, _POSE + 7),
          "strain": _span("strain", 6), "wrench": _span("wrench", 6),
          "velocity": _span("velocity", 6), "gap": _span("gap", 1),
          "pressure": _span("pressure", 1), "contact": _span("contact", 3)}


def spread(length: float, n: int) -> np.ndarray:
    """n points from 0 to length, to the bit where the program has them."""
    points = length * np.arange(n) / max(n - 1, 1)
    points[-1:] = length
    return points


def points_along(length: float, growing: "tuple[float, float]", n: int) -> np.ndarray:
    """Those of a rod at rest that are recorded and drawn: where a part of it grows, as many on that as beyond."""
    start, end = growing
    between, first = end if end < length else start, (n - 1) // 2
    if not 0.0 < between < length or not first:
        return spread(length, n)
    rest = n - 1 - first
    return np.concatenate([spread(between, first + 1),
                           between + (length - between) * np.arange(1, rest) / rest, [length]])


class Samples:
    """A rod at one or many arc lengths. The arrays are views of one block of memory that nobody
    else writes to; in front they have the shape of `s`."""

    __slots__ = ("s", "_data")

    def __init__(self, s: np.ndarray, shape: "tuple[int, ...] | None" = None) -> None:
        self.s: np.ndarray = s
        outer = s.shape if shape is None else shape
        self._data = np.empty(outer + (ffi.sizeof("td_sample") // 8,))

    @property
    def _pointer(self) -> Any:
        return ffi.from_buffer("td_sample[]", self._data)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._data[..., _SPANS[name]]

    @property
    def position(self) -> np.ndarray:
        """Centre line, m, world: (..., 3)."""
        return self["position"]

    @property
    def orientation(self) -> np.ndarray:
        """Unit quaternions w, x, y, z, body to world: (..., 4)."""
        return self["orientation"]

    @property
    def strain(self) -> np.ndarray:
        """Curvature x, y, twist rate (1/m), shear x, y, stretch; body frame: (..., 6)."""
        return self["strain"]

    @property
    def wrench(self) -> np.ndarray:
        """Internal moment (N m) and force (N), body frame: (..., 6)."""
        return self["wrench"]

    @property
    def velocity(self) -> np.ndarray:
        """Angular (rad/s) and linear (m/s) velocity, body frame: (..., 6)."""
        return self["velocity"]

    @property
    def gap(self) -> np.ndarray:
        """From the surface of the rod to the nearest obstacle or part, m; negative: how deep it is pressed
        in. 0 where there is nothing to touch: (...)."""
        return self["gap"]

    @property
    def pressure(self) -> np.ndarray:
        """Of contact, N per m of rod: (...)."""
        return self["pressure"]

    @property
    def contact(self) -> np.ndarray:
        """Force of contact on the rod with friction, N/m, world: (..., 3)."""
        return self["contact"]

    @property
    def R(self) -> np.ndarray:
        """Rotation matrices (..., 3, 3)."""
        return rotation_matrix(self.orientation)

    def __repr__(self) -> str:
        return f"<Samples {self._data.shape[:-1]}: {', '.join(_SPANS)}>"
