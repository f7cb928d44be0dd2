"""Estimates of robots that are watched by sensors; and quadratic programs for predictive control."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._core import ffi, lib
from .errors import ArgumentError, check, expect, failure_of, text
from .given import real, reals
from .linear import Outputs
from .system import System

if TYPE_CHECKING:
    from .state import State


class Estimate(NamedTuple):
    """What a number, or the channels of a sensor, are thought to be, and the standard deviation of that."""

    value: Any
    deviation: Any


class Estimator:
    """Shape, forces and efforts from readings, as the `estimator` of the robot's file says:

        e = tendril.Estimator(system)
        e.begin()
        e.step(2e-3)
        e.update({"camera": seen})
        e["payload"].value, e["payload"].deviation

    At rest `e.rest(readings)` finds the most likely equilibrium. Beside a simulated state `e.follow(state)` does it all."""

    def __init__(self, system: System) -> None:
        expect(system, System, name="system")
        err = ffi.new("td_error *")
        pointer = lib.td_estimator_create(system._pointer, err)
        if pointer == ffi.NULL:
            raise failure_of(err)
        keep = system._pointer

        def destroy(estimator: Any, _keep: Any = keep) -> None:
            lib.td_estimator_destroy(estimator)

        self.system = system
        self._pointer = ffi.gc(pointer, destroy)
        self._lock = threading.Lock()
        n = lib.td_estimator_n_numbers(pointer)
        self.numbers: list[str] = [text(lib.td_estimator_name(pointer, i)) for i in range(n)]
        self.units: list[str] = [text(lib.td_estimator_unit(pointer, i)) for i in range(n)]
        self.n: int = lib.td_estimator_n(pointer)

    def _check(self, status: int) -> None:
        if status:
            check(status, text(lib.td_estimator_message(self._pointer)), 4)

    def begin(self) -> None:
        """As the file says, with the means of what is not known."""
        with self._lock:
            self._check(lib.td_estimator_begin(self._pointer))

    def set_time(self, t: float) -> None:
        """Its clock reads t (s) from now on: for readings of a run that has begun."""
        with self._lock:
            self._check(lib.td_estimator_set_time(self._pointer, real(t, "t")))

    def restart(self) -> None:
        """Inputs jump now: the next step starts afresh. `follow` knows it of the state."""
        with self._lock:
            lib.td_estimator_restart(self._pointer)

    def set_input(self, name: "int | str", value: float) -> None:
        """What is given to the robot; before a step what holds at its end."""
        index = self.system.index("input", name)
        with self._lock:
            self._check(lib.td_estimator_set_input(self._pointer, index, real(value, "value")))

    def step(self, dt: float) -> None:
        """Time goes on by dt (s)."""
        with self._lock:
            self._check(lib.td_estimator_step(self._pointer, real(dt, "dt")))

    def take(self, sensor: "int | str") -> None:
        """A sensor that comes late (`delay`) takes a reading now, which `update` gets when it has come: the oldest on its way."""
        index = self.system.index("sensor", sensor)
        with self._lock:
            self._check(lib.td_estimator_take(self._pointer, index))

    def _readings(self, readings: Mapping[str, ArrayLike]) -> "tuple[Any, list[Any]]":
        plain, kept = ffi.new("td_reading[]", max(len(readings), 1)), []
        for i, (name, values) in enumerate(readings.items()):
            index = self.system.index("sensor", name)
            array = np.ascontiguousarray(np.atleast_1d(np.asarray(values, float)))
            if array.size != lib.td_sensor_channels(self.system._pointer, index):
                raise ArgumentError(f"readings of {name}: {array.size} numbers; "
                                    f"{lib.td_sensor_channels(self.system._pointer, index)} are expected")
            kept.append(array)
            plain[i].sensor, plain[i].values = index, ffi.from_buffer("double[]", array)
        return plain, kept

    def update(self, readings: "Mapping[str, ArrayLike]") -> None:
        """Takes in readings of now, by the names of sensors; of one that comes late the oldest that is on its way. NaN: that one is missing."""
        plain, kept = self._readings(readings)
        with self._lock:
            self._check(lib.td_estimator_update(self._pointer, plain, len(kept)))

    def rest(self, readings: "Mapping[str, ArrayLike]") -> None:
        """The equilibrium that readings make most likely."""
        plain, kept = self._readings(readings)
        with self._lock:
            self._check(lib.td_estimator_rest(self._pointer, plain, len(kept)))

    def follow(self, state: "State") -> None:
        """Goes on to the time of a state of the same system, and takes in what its sensors have read since."""
        with self._lock, state._lock:
            self._check(lib.td_estimator_follow(self._pointer, state._pointer))

    def __getitem__(self, name: "int | str") -> Estimate:
        """An unknown number by its name."""
        index = self.numbers.index(name) if isinstance(name, str) else int(name)
        deviation = ffi.new("double *")
        with self._lock:
            value = lib.td_estimator_get(self._pointer, index, deviation)
        return Estimate(value, deviation[0])

    def truth(self, state: "State", name: "int | str") -> float:
        """What an unknown number is in a simulated state: its input, where it acts, or by how much its sensor is off."""
        index = self.numbers.index(name) if isinstance(name, str) else int(name)
        with self._lock, state._lock:
            return lib.td_estimator_truth(self._pointer, state._pointer, index)

    def refusal(self, name: "int | str", at_rest: bool = False) -> "str | None":
        """Why it does not use a sensor, in motion or at rest; None: it does."""
        why = lib.td_estimator_refusal(self._pointer, self.system.index("sensor", name), at_rest)
        return None if why == ffi.NULL else text(why)

    def sensor(self, name: "int | str") -> Estimate:
        """What a sensor should read now."""
        index = self.system.index("sensor", name)
        n = lib.td_sensor_channels(self.system._pointer, index)
        value, deviation = np.zeros(n), np.zeros(n)
        with self._lock:
            self._check(lib.td_estimator_get_sensor(self._pointer, index,
                                                    ffi.from_buffer("double[]", value),
                                                    ffi.from_buffer("double[]", deviation)))
        return Estimate(value, deviation)

    def pose(self, rod: "int | str" = 0, s: "float | None" = None) -> "tuple[np.ndarray, np.ndarray]":
        """Where a point of a rod is believed to be: position (m) and quaternion; s: m, default its tip."""
        index = self.system.index("rod", rod)
        at = lib.td_rod_length(self.system._pointer, index) if s is None else real(s, "s")
        with self._lock:
            pose = lib.td_get_pose(self.system._pointer, lib.td_estimator_state(self._pointer), index, at)
        return np.array(list(pose.p)), np.array(list(pose.q))

    def covariance_of(self, names: "Sequence[str]") -> np.ndarray:
        """(n, n) of outputs by name, ["tip.position", "rod.arm.50 %.x"]: how sure it is where points are."""
        outputs = Outputs(self.system, names)
        err = ffi.new("td_error *")
        l = lib.td_linearisation_create(self.system._pointer, outputs.plain, outputs.n, err)
        if l == ffi.NULL:
            raise failure_of(err)
        l = ffi.gc(l, lib.td_linearisation_destroy)
        whole = np.zeros((outputs.size, outputs.size))
        with self._lock:
            self._check(lib.td_estimator_get_outputs(self._pointer, l, ffi.from_buffer("double[]", whole)))
        return whole[np.ix_(outputs.rows, outputs.rows)]

    @property
    def covariance(self) -> np.ndarray:
        """(n, n) of changes of coordinates, of their rates, of what has flowed, of the unknown numbers, of velocities that accelerometers
        began with, and of what readings on their way should be."""
        with self._lock:
            buffer = ffi.buffer(lib.td_estimator_covariance(self._pointer), 8 * self.n * self.n)
            return np.frombuffer(bytes(buffer)).reshape(self.n, self.n)

    @property
    def surprise(self) -> "tuple[float, int]":
        """Of the last update: the square of how far readings were off, in units of what was expected, and their number."""
        n = ffi.new("int *")
        with self._lock:
            return lib.td_estimator_surprise(self._pointer, n), n[0]


def box_qp(H: ArrayLike, g: ArrayLike, low: ArrayLike, high: ArrayLike,
           x: "ArrayLike | None" = None) -> np.ndarray:
    """The x with low <= x <= high that makes x'H x/2 + g'x least, from x on; H (n, n) symmetric and positive definite."""
    H, g = np.ascontiguousarray(reals(H, "H")), np.ascontiguousarray(reals(g, "g"))
    n = len(g)
    if H.shape != (n, n):
        raise ArgumentError(f"H is {H.shape}; ({n}, {n}) is expected, as g has {n} numbers")
    ends = [np.ascontiguousarray(np.broadcast_to(np.asarray(end, float), (n,))) for end in (low, high)]
    found = np.zeros(n) if x is None else np.array(np.broadcast_to(np.asarray(x, float), (n,)))
    scratch = np.zeros(lib.td_box_qp_doubles(n))
    done = lib.td_box_qp(n, *(ffi.from_buffer("double[]", a) for a in (H, g, *ends, found, scratch)))
    if done < 0:
        raise ArgumentError("H must be positive definite, and all numbers finite")
    return found
