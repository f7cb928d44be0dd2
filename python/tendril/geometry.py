"""Poses."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import ffi
from .errors import ArgumentError
from .fields import converters
from .given import reals


def rotation_matrix(q: ArrayLike) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4) w, x, y, z."""
    w, x, y, z = np.moveaxis(reals(q, "q"), -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternion_along(direction: ArrayLike) -> np.ndarray:
    """The shortest rotation that takes z to this direction, as a unit quaternion w, x, y, z."""
    d = reals(direction, "direction")
    norm = np.linalg.norm(d)
    if d.shape != (3,) or not norm > 0 or not np.isfinite(norm):
        raise ArgumentError(f"direction = {direction!r} must be three numbers, not all zero")
    x, y, z = d / norm
    if z <= -1:  # any half turn will do: about x
        return np.array([0.0, 1.0, 0.0, 0.0])
    across = x * x + y * y
    w = across / (1 - z) if z < 0 else 1 + z  # 1 + z without cancellation
    q = np.array([w, 0.0 - y, x, 0.0])
    return q / np.linalg.norm(q)


class Pose:
    """A place and an orientation: `p` (m, world) and the unit quaternion `q` (w, x, y, z).

    It belongs to the caller alone: what the state does next does not change it.
    """

    __slots__ = ("p", "q")

    def __init__(self, p: ArrayLike = (0, 0, 0), q: ArrayLike = (1, 0, 0, 0)) -> None:
        self.p: np.ndarray = reals(p, "p").copy()
        self.q: np.ndarray = reals(q, "q").copy()
        if self.p.shape != (3,) or self.q.shape != (4,):
            raise ArgumentError(f"a pose has the shapes (3,) and (4,), not {self.p.shape} and "
                                f"{self.q.shape}")

    @classmethod
    def _of(cls, struct: Any) -> "Pose":
        pose = cls.__new__(cls)
        numbers = np.frombuffer(ffi.buffer(ffi.addressof(struct)), float).copy()
        pose.p, pose.q = numbers[:3], numbers[3:7]
        return pose

    def _fill(self, target: Any, what: str) -> None:
        for i in range(3):
            target.p[i] = self.p[i]
        for i in range(4):
            target.q[i] = self.q[i]

    @property
    def R(self) -> np.ndarray:
        """Rotation matrix (3, 3): columns are the axes of the frame in the world."""
        return rotation_matrix(self.q)

    @property
    def matrix(self) -> np.ndarray:
        """Homogeneous matrix (4, 4) from the frame to the world."""
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = self.R, self.p
        return matrix

    def __repr__(self) -> str:
        return f"Pose(p={self.p.tolist()}, q={self.q.tolist()})"


converters["td_pose"] = converters["struct td_pose"] = Pose._of
