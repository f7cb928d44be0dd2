"""Pictures of robots by matplotlib, where it is installed; nothing else of the package needs it."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from ._core import lib
from .actuators import KINDS
from .errors import Error

if TYPE_CHECKING:
    from .results import Result
    from .state import State

SIDES = 16  # of a round section
ROD, BODY, TENDON, CHAMBER = "0.55", "0.75", "tab:red", "tab:cyan"


def _axes(ax: Any) -> Any:
    """An empty 3-D axes, or the one that is given."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise Error("pictures need matplotlib, which is not installed: python3-matplotlib of Debian, "
                    "or pip install matplotlib") from error
    return plt.figure().add_subplot(projection="3d")


def _outline(section: Any, least: float) -> np.ndarray:
    """Corners of a section in its plane, (n, 2) m; where its shape is not known, a circle of its area, or of `least`."""
    if section.shape == lib.TD_SECTION_RECTANGLE:
        x, y = 0.5 * section.width, 0.5 * section.height
        return np.array([(x, y), (-x, y), (-x, -y), (x, -y)])
    radius = section.radius or np.sqrt(max(section.area, 0.0) / np.pi) or least
    angle = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _rings(state: "State", rod: str, n: int) -> np.ndarray:
    """The surface of a rod: a ring of corners around each of n sections, closed, (n, corners, 3)."""
    robot, index = state.system.robot._pointer, state.system.index("rod", rod)
    length = lib.td_rod_length(state.system._pointer, index)
    samples, at = state._shape(rod, n), state._points(rod, n)
    rings = []
    for i in range(n):
        section = lib.td_robot_section(robot, index, at[i])
        corners = _outline(section, length / 100)
        closed = np.vstack([corners, corners[:1]])
        rings.append(samples.position[i] + closed @ samples.R[i][:, :2].T)
    return np.array(rings)


def _equal(ax: Any, points: np.ndarray) -> None:
    """The same scale along all axes, and all points in sight."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * max(float((high - low).max()), 1e-9)
    ax.set_xlim(middle[0] - half, middle[0] + half)
    ax.set_ylim(middle[1] - half, middle[1] + half)
    ax.set_zlim(middle[2] - half, middle[2] + half)
    ax.set_box_aspect((1, 1, 1))
    ax.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")


def plot_state(state: "State", ax: Any = None, n: int = 41, color: Any = ROD) -> Any:
    """Rods with their true sections, tendons and chambers, free bodies and forces of contact, as they are now."""
    if n < 2:
        raise Error(f"n = {n} points must be at least 2")
    ax = _axes(ax)
    seen = []
    for rod in state.system.rods:
        rings = _rings(state, rod, n)
        ax.plot_surface(rings[..., 0], rings[..., 1], rings[..., 2], color=color, linewidth=0, rstride=1, cstride=1)
        seen.append(rings.reshape(-1, 3))
    for kind in KINDS:
        for name in getattr(state, kind.plural):
            path = state._path(kind, name, n)
            ax.plot(*path.T, color=TENDON if kind.thin else CHAMBER, linewidth=1 if kind.thin else 3)
            seen.append(path)
    for body in state.bodies.values():
        place = np.asarray(body.pose.p)
        ax.plot(*place[:, None], "s", color=BODY)
        seen.append(place[None])
    touching = state.contacts()
    points = np.vstack(seen)
    if touching:
        forces = np.array([c.force for c in touching])
        longest = np.linalg.norm(forces, axis=1).max()
        scale = 0.2 * float(np.ptp(points, axis=0).max()) / longest if longest > 0.0 else 0.0
        ax.quiver(*np.array([c.point for c in touching]).T, *(scale * forces).T, color="tab:green")
    _equal(ax, points)
    return ax


def plot_result(result: "Result", ax: Any = None, times: "Sequence[float] | int" = 7) -> Any:
    """Centre lines of the rods at some instants, from light to dark, and the way of each tip."""
    ax = _axes(ax)
    if len(result.time) == 0 or not result.rods:
        raise Error("the result holds no shapes of rods")
    if isinstance(times, int):
        if times < 1:
            raise Error(f"times = {times}: at least one instant is drawn")
        records = np.unique(np.linspace(0, len(result.time) - 1, times).round().astype(int))
    else:
        records = np.array([int(np.abs(result.time - t).argmin()) for t in times])
    seen = []
    for rod in result.rods.values():
        for k, record in enumerate(records):
            ax.plot(*rod.position[record].T, color=str(0.75 * (1 - (k + 1) / len(records))))
        tip = rod.position[:, -1]
        ax.plot(*tip.T, color="tab:red", linewidth=0.8)
        seen += [rod.position[records].reshape(-1, 3), tip]
    _equal(ax, np.vstack(seen))
    return ax
