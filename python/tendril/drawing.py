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
NARROWEST = 0.3  # axis of a picture, of the longest
SOFT = 0.25  # opacity of a rod with chambers in it
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


def _tube(path: np.ndarray, radius: float) -> np.ndarray:
    """The surface of a round tube along a path, (n, corners, 3). Its rings turn as little as they can along it."""
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    across = np.eye(3)[np.abs(along[0]).argmin()]
    angle = np.linspace(0.0, 2.0 * np.pi, SIDES + 1)[:, None]
    rings = []
    for point, t in zip(path, along):
        across = across - (across @ t) * t
        across /= np.linalg.norm(across)
        rings.append(point + radius * (np.cos(angle) * across + np.sin(angle) * np.cross(t, across)))
    return np.array(rings)


def _chamber(state: "State", name: "int | str", path: np.ndarray) -> np.ndarray:
    """A chamber as the tube that has its volume now."""
    length = float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
    volume = abs(float(state.chambers[name].volume))
    return _tube(path, np.sqrt(volume / (np.pi * length)))


def _equal(ax: Any, points: np.ndarray) -> None:
    """The same scale along all axes, all points in sight, and little room beside them."""
    low, high = points.min(axis=0), points.max(axis=0)
    wide = 0.5 * max(float((high - low).max()), 1e-9)
    middle, half = 0.5 * (low + high), np.maximum(0.5 * (high - low), NARROWEST * wide)
    ax.set(xlim=(middle[0] - half[0], middle[0] + half[0]), ylim=(middle[1] - half[1], middle[1] + half[1]),
           zlim=(middle[2] - half[2], middle[2] + half[2]))
    ax.set_box_aspect(tuple(half))
    for axis, share in zip("xyz", half / wide):
        ax.locator_params(axis=axis, nbins=max(2, round(6 * share)))
    ax.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")


def plot_state(state: "State", ax: Any = None, n: int = 41, color: Any = ROD) -> Any:
    """Rods with their true sections, tendons and chambers, free bodies and forces of contact, as they are now."""
    if n < 2:
        raise Error(f"n = {n} points must be at least 2")
    ax = _axes(ax)
    seen = []

    def surface(rings: np.ndarray, **look: Any) -> None:
        ax.plot_surface(*np.moveaxis(rings, -1, 0), linewidth=0, rstride=1, cstride=1, **look)
        seen.append(rings.reshape(-1, 3))

    for rod in state.system.rods:
        surface(_rings(state, rod, n), color=color, alpha=SOFT if len(state.chambers) else None)
    for kind in KINDS:
        for name in getattr(state, kind.plural):
            path = state._path(kind, name, n)
            if kind.word == "chamber":
                surface(_chamber(state, name, path), color=CHAMBER)
                continue
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
