"""Kinematics of one arc of constant curvature, whatever drives it, and Clarke coordinates of its
tendons."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import ffi, lib
from .errors import ArgumentError, check
from .geometry import Pose
from .given import real, reals


class Arc:
    """An arc: `u`, how far it bends towards x and y of its base (rad), and its `length` (m). The
    base points along z."""

    __slots__ = ("_arc",)

    def __init__(self, u: ArrayLike = (0, 0), length: float = 1.0) -> None:
        self._arc = ffi.new("td_arc *")
        self._arc.u[0], self._arc.u[1] = (float(value) for value in reals(u, "u"))
        self._arc.length = real(length, "length")

    @classmethod
    def _of(cls, status: int, arc: Any, message: str) -> "Arc":
        check(status, message)
        made = cls()
        made._arc[0] = arc[0]
        return made

    @classmethod
    def to_point(cls, p: ArrayLike) -> "Arc":
        """The arc that begins along z and ends at p (m)."""
        arc, place = ffi.new("td_arc *"), [float(value) for value in reals(p, "p")]
        return cls._of(lib.td_arc_to_point(place, arc), arc, f"no arc ends at {place}")

    @classmethod
    def from_tendons(cls, offsets: ArrayLike, lengths: ArrayLike) -> "Arc":
        """The arc whose tendons at `offsets` (n, 2) have these `lengths` (n), by least squares."""
        places, values = reals(offsets, "offsets"), reals(lengths, "lengths")
        if places.shape != (len(values), 2):
            raise ArgumentError(f"offsets have the shape {places.shape}; "
                                f"({len(values)}, 2) is expected")
        arc = ffi.new("td_arc *")
        status = lib.td_arc_from_tendons(len(values), ffi.from_buffer("double[]", places),
                                         ffi.from_buffer("double[]", values), arc)
        return cls._of(status, arc, "an arc takes three or more tendons that are not on a line")

    @property
    def u(self) -> np.ndarray:
        """How far it bends towards x and y, rad."""
        return np.array(list(self._arc.u))

    @property
    def length(self) -> float:
        """Its length, m."""
        return self._arc.length

    def pose(self, x: float = 1.0) -> Pose:
        """The frame at x = 0 (base) .. 1 (end), in that of the base."""
        return Pose._of(lib.td_arc_pose(self._arc, real(x, "x")))

    def polar(self) -> tuple[float, float, float]:
        """Angle (rad), radius (m) and direction (rad) of the bending; straight: 0, inf, 0."""
        out = [ffi.new("double *") for _ in range(3)]
        lib.td_arc_polar(self._arc, *out)
        return out[0][0], out[1][0], out[2][0]

    def tendon(self, offset: ArrayLike) -> float:
        """Length of a tendon that runs parallel to the arc at this offset (x, y), m."""
        return lib.td_arc_tendon(self._arc, [float(value) for value in reals(offset, "offset")])

    def __repr__(self) -> str:
        return f"Arc(u={self.u.tolist()}, length={self.length})"


def clarke(values: ArrayLike) -> np.ndarray:
    """Values of n >= 3 tendons at equal angles as two coordinates."""
    array, out = reals(values, "values"), np.zeros(2)
    if array.ndim != 1 or len(array) < 3:
        raise ArgumentError(f"values have the shape {array.shape}; (n,) with n >= 3 is expected")
    lib.td_clarke(len(array), ffi.from_buffer("double[]", array), ffi.from_buffer("double[]", out))
    return out


def clarke_inverse(coordinates: ArrayLike, n: int) -> np.ndarray:
    """The values of n >= 3 tendons, of sum 0, that have these two coordinates."""
    array, out = reals(coordinates, "coordinates"), np.zeros(n)
    if array.shape != (2,) or n < 3:
        raise ArgumentError(f"coordinates have the shape {array.shape} for {n} tendons; "
                            "(2,) and n >= 3 are expected")
    lib.td_clarke_inverse(n, ffi.from_buffer("double[]", array), ffi.from_buffer("double[]", out))
    return out
