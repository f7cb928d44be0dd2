"""Many states at once, on several threads, without the interpreter's lock.

`step(states, dt)`, `advance(states, dt)` and `statics(states)` take any states, also of different
systems. `Batch(system, n)` is n robots of one system, side by side in registers where that can be.
"""
from __future__ import annotations

import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any, Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._core import ffi, lib
from .dlpack import DeviceArray
from .errors import (ArgumentError, Caveat, OutOfMemoryError, expect, failure, status_name,
                     text)
from .given import encoded, places_of, real, reals
from .robot import Robot
from .samples import Samples
from .state import State, steps_of
from .system import System

_pools: dict[int, ThreadPoolExecutor] = {}
_pools_lock = threading.Lock()
# Threads do not survive a fork: the child makes its own.
os.register_at_fork(after_in_child=_pools.clear)


def default_threads() -> int:
    """As many as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _pool(threads: int) -> ThreadPoolExecutor:
    with _pools_lock:
        if threads not in _pools:
            _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="tendril")
        return _pools[threads]


def _judge(statuses: np.ndarray, message: Callable[[int], Any], check: bool) -> np.ndarray:
    """Raises for the first that failed, with its message; one warning for all that have something
    to say."""
    bad, loose = np.flatnonzero(statuses < 0), np.flatnonzero(statuses > 0)
    if check and bad.size:
        first = int(bad[0])
        where = f"state {first}" + (f" and {bad.size - 1} more" if bad.size > 1 else "")
        error = failure(int(statuses[first]), text(message(first)), where)
        error.statuses = statuses  # type: ignore[attr-defined]
        raise error
    if check and loose.size:
        warnings.warn(f"{loose.size} of {len(statuses)} states: "
                      f"{status_name(int(statuses[loose[0]]))}", Caveat, stacklevel=4)
    return statuses


class _Crew:
    """States as arrays of pointers, and calls over pieces of them."""

    def __init__(self, states: Sequence[State], threads: int | None) -> None:
        self.states = list(states)
        if len({id(state) for state in self.states}) != len(self.states):
            raise ArgumentError("a state is in the batch twice")
        self.in_order = sorted(self.states, key=id)  # locks in one order: no deadlock
        self.threads = default_threads() if threads is None else int(threads)
        if self.threads < 1:
            raise ArgumentError(f"threads = {threads} must be at least 1")
        self.pointers = ffi.new("td_state *[]", [state._pointer for state in self.states])
        self.systems = ffi.new("const td_system *[]",
                               [state.system._pointer for state in self.states])

    def run(self, call: Callable[[Any, Any, int, int], None]) -> None:
        """call(systems, states, first, n) for pieces of the batch; a few per thread, so that one
        that is slow does not keep the others waiting."""
        n = len(self.states)
        size = max(1, -(-n // (4 * self.threads)))
        pieces = [(first, min(size, n - first)) for first in range(0, n, size)]

        def work(piece: tuple[int, int]) -> None:
            first, count = piece
            call(self.systems + first, self.pointers + first, first, count)

        with ExitStack() as held:
            for state in self.in_order:
                held.enter_context(state._lock)
            if self.threads == 1 or len(pieces) == 1:
                for piece in pieces:
                    work(piece)
            else:
                list(_pool(self.threads).map(work, pieces))

    def solve(self, function: Any, arguments: tuple[Any, ...], check: bool) -> np.ndarray:
        statuses = np.zeros(len(self.states), np.intc)
        out = ffi.from_buffer("int[]", statuses)
        self.run(lambda systems, states, first, n: function(systems, states, n, *arguments,
                                                            out + first))
        return _judge(statuses, lambda i: lib.td_message(self.states[i]._pointer), check)


def step(states: Sequence[State], dt: float, n: int = 1, threads: int | None = None,
         check: bool = True) -> np.ndarray:
    """`n` steps of `dt` (s) of every state. Returns a status for each; with `check` a failure
    raises, after all had their turn, for the first that failed (`error.statuses` has all)."""
    return _Crew(states, threads).solve(lib.batch_step, (real(dt, "dt"), steps_of(n)), check)


def advance(states: Sequence[State], dt: float, n: int = 1, threads: int | None = None,
            check: bool = True) -> np.ndarray:
    """The same for steps that follow the signals of the inputs."""
    return _Crew(states, threads).solve(lib.batch_advance, (real(dt, "dt"), steps_of(n)), check)


def statics(states: Sequence[State], threads: int | None = None, check: bool = True) -> np.ndarray:
    """Equilibrium of every state under its inputs; returns as `step` does."""
    return _Crew(states, threads).solve(lib.batch_statics, (), check)


# What C tells of each robot, as fields of an array.
_ENERGY = np.dtype([(name, float) for name, _ in ffi.typeof("td_energy").fields])
_ACTUATOR = np.dtype([(name, float) for name, _ in ffi.typeof("td_actuator_state").fields])
_KINDS = {"any": lib.TD_BATCH_ANY, "states": lib.TD_BATCH_STATES, "lanes": lib.TD_BATCH_LANES,
          "gpu": lib.TD_BATCH_GPU}


def _make(system: System, n: int, options: Any) -> Any:
    error = ffi.new("td_error *")
    pointer = lib.td_batch_create(system._pointer, n, options, error)
    if pointer == ffi.NULL:
        raise failure(error.status, text(error.message), text(error.where))
    return pointer


class Batch:
    """`n` robots of one system, for sweeps and training. `batch.inputs` is an array (n, n_inputs)
    in the memory of the library, given to the robots before each computation.

    kind: "lanes" steps several robots side by side in wide registers where the model can,
    "states" has an ordinary state for each, "gpu" computes on a GPU (`library`: the path of
    libtendril_gpu.so; precision "float": faster, tips within about 1e-4 of the length); "any" takes
    lanes where there are any, and `batch.kind` says which."""

    def __init__(self, system: System, n: int, threads: int | None = None, kind: str = "any",
                 width: int = 0, library: str | None = None, precision: str = "double") -> None:
        expect(system, System, name="system")
        if n < 0:
            raise ArgumentError(f"n = {n} states must not be negative")
        if kind not in _KINDS:
            raise ArgumentError(f"kind = {kind!r} must be one of {', '.join(_KINDS)}")
        if precision not in ("double", "float"):
            raise ArgumentError(f"precision = {precision!r} must be 'double' or 'float'")
        self._path = ffi.NULL if library is None else ffi.new("char[]", library.encode())
        threads = default_threads() if threads is None else int(threads)
        self._made_with = (threads, kind, width, library, precision)
        options = ffi.new("td_batch_options *", {"kind": _KINDS[kind], "threads": threads,
                                                 "width": width, "library": self._path,
                                                 "single": precision == "float"})
        self._check_room(system, n, options)
        keep = system._pointer  # the system outlives the batch, also in a garbage collection

        def destroy(batch: Any, _keep: Any = keep) -> None:
            lib.td_batch_destroy(batch)

        def nothing(inputs: Any, _keep: Any) -> None:
            pass

        self._pointer = ffi.gc(_make(system, n, options), destroy)
        self._lock = threading.Lock()
        self.system: System = system
        self._n = n
        self._robot: Robot | None = None  # whose numbers may differ
        self._paths: tuple[str, ...] = ()
        self._values = np.full((n, 0), np.nan)  # at these paths; nan: as the file says
        shape = (n, len(system.inputs))
        # views of the inputs keep the batch
        values = ffi.gc(lib.td_batch_inputs(self._pointer), partial(nothing, _keep=self._pointer))
        memory = ffi.buffer(values, 8 * max(1, n * shape[1]))
        self._inputs = np.frombuffer(memory, float)[:n * shape[1]].reshape(shape)

    @staticmethod
    def _check_room(system: System, n: int, options: Any) -> None:
        """Refuses what this machine cannot hold before the first robot is made."""
        room = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        if n < 1000:
            return
        one = ffi.gc(_make(system, 8, options), lib.td_batch_destroy)
        size = lib.td_batch_bytes(one) // 8
        if n * size > room or n >= 2**31:
            raise OutOfMemoryError(f"n = {n} states of {size} bytes each do not fit into the "
                                   f"{room / 1e9:.3g} GB of this machine; at most {room // size} "
                                   "could", "TD_ERR_MEMORY")

    def __len__(self) -> int:
        return self._n

    def __repr__(self) -> str:
        return f"<Batch of {self._n} {self.system.name!r} as {self.kind}>"

    @property
    def inputs(self) -> np.ndarray:
        """(n, n_inputs), SI: no copy; what is written here is what the next call sees."""
        return self._inputs

    @inputs.setter
    def inputs(self, values: Any) -> None:
        if hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray):
            values = np.from_dlpack(values)  # of a processor; see device_inputs
        given = reals(values, "inputs")
        if given.shape != self._inputs.shape:
            raise ArgumentError(f"inputs have the shape {given.shape}; {self._inputs.shape} is "
                                "expected")
        self._inputs[:] = given

    # ------------------------------------------------------------ robots that differ
    def set_parameters(self, values: Mapping[str, ArrayLike],
                       which: "ArrayLike | None" = None) -> None:
        """Numbers of the robot's file that differ from robot to robot, by path, SI:
        `batch.set_parameters({"bodies.payload.mass": masses})`, a number for each robot, or for
        each that `which` names. These robots are built anew and start anew, each as if the file
        had its numbers. All robots differ in the same paths; a call for all of them may name
        others."""
        paths = tuple(values)
        if not paths or (which is not None and self._paths and set(paths) != set(self._paths)):
            raise ArgumentError(f"values: numbers at {', '.join(self._paths) or 'some path'} are "
                                f"expected, not at {', '.join(paths) or 'none'}")
        paths = self._paths if which is not None and self._paths else paths
        mask = self._chosen(which)
        table = np.full((self._n, len(paths)), np.nan)
        for column, path in enumerate(paths):
            given, named = reals(values[path], path), int(mask.sum())
            if given.shape not in ((), (self._n,), (named,)):
                raise ArgumentError(f"{path}: numbers of the shape {given.shape}; expected are one "
                                    f"number, ({self._n},) for all robots, or ({named},) for those "
                                    "that `which` names")
            table[mask, column] = given[mask] if given.shape == mask.shape else given
        self._build(paths, table, mask)
        if self._paths != paths:
            self._paths, self._values = paths, np.full(table.shape, np.nan)
        self._values[mask] = table[mask]

    def _build(self, paths: "tuple[str, ...]", table: np.ndarray, mask: np.ndarray) -> None:
        if self._robot is None:
            robot = self.system.robot
            self._robot = robot if robot.source else Robot.parse(robot.text)
        texts = [ffi.new("char[]", encoded(path, "path")) for path in paths]
        error = ffi.new("td_error *")
        with self._lock:
            status = lib.td_batch_set_parameters(
                self._pointer, self._robot._pointer, ffi.new("const char *[]", texts), len(paths),
                ffi.from_buffer("double[]", table), ffi.from_buffer("bool[]", mask), error)
        if status < 0:
            raise failure(error.status, text(error.message), text(error.where))

    @property
    def parameters(self) -> "dict[str, np.ndarray]":
        """What `set_parameters` set: by path a number for each robot; nan: as the file says."""
        return {path: self._values[:, i].copy() for i, path in enumerate(self._paths)}

    def _system(self, robot: int) -> System:
        """What a robot is built as."""
        if not 0 <= robot < self._n:
            raise ArgumentError(f"robot {robot}: there are only {self._n}")
        if self._robot is None or np.isnan(self._values[robot]).all():
            return self.system
        numbers = {path: float(value) for path, value in zip(self._paths, self._values[robot])}
        return System(Robot.parse(self._robot.source, set=numbers), options=self.system.options)

    @property
    def threads(self) -> int:
        """Threads that compute."""
        return self._made_with[0]

    @property
    def kind(self) -> str:
        """"lanes", "states" or "gpu"."""
        found = lib.td_batch_kind_of(self._pointer)
        return next(word for word, number in _KINDS.items() if number == found)

    @property
    def width(self) -> int:
        """Robots side by side in a register."""
        return lib.td_batch_width(self._pointer)

    @property
    def reason(self) -> str:
        """Why it is not of lanes: "a tendon has friction"; "" where it is."""
        return text(lib.td_batch_reason(self._pointer))

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        return lib.td_batch_bytes(self._pointer)

    def _mask(self, which: "ArrayLike | None") -> Any:
        """Robots by number or by a mask, as C wants them."""
        return ffi.NULL if which is None else ffi.from_buffer("bool[]", self._chosen(which))

    def _chosen(self, which: "ArrayLike | None") -> np.ndarray:
        mask = np.full(self._n, which is None)
        if which is None:
            return mask
        named = np.asarray(which)
        if named.dtype == bool and named.shape != (self._n,):
            raise ArgumentError(f"which: a mask of the shape {named.shape}; ({self._n},) is expected")
        if named.dtype != bool:
            whole = named.size == 0 or named.dtype.kind in "iu"
            if not whole or np.any(named < -self._n) or np.any(named >= self._n):
                raise ArgumentError(f"which: {which!r} must be numbers of robots below {self._n}, "
                                    "or a mask")
            named = named.astype(int)
        mask[named] = True
        return mask

    def _statuses(self, check: bool) -> np.ndarray:
        statuses = np.empty(self._n, np.intc)
        if self._n:
            memory = ffi.buffer(lib.td_batch_statuses(self._pointer), 4 * self._n)
            statuses[:] = np.frombuffer(memory, np.intc)
        return _judge(statuses, lambda i: lib.td_batch_message(self._pointer, i), check)

    def step(self, dt: float, n: int = 1, check: bool = True, which: "ArrayLike | None" = None,
             device_inputs: bool = False) -> np.ndarray:
        """`n` steps of `dt` (s) of every robot, or of those that `which` names (numbers, or a
        mask). Returns a status for each; with `check` a failure raises, after all had their turn
        (`error.statuses` has all). device_inputs: those of `batch.device_inputs` are taken."""
        with self._lock:
            if device_inputs:
                self._on_gpu(lib.td_batch_use_device_inputs(self._pointer))
            lib.td_batch_step(self._pointer, real(dt, "dt"), steps_of(n), self._mask(which))
            return self._statuses(check)

    def statics(self, check: bool = True, which: "ArrayLike | None" = None) -> np.ndarray:
        """Equilibrium of every robot; returns as `step` does."""
        with self._lock:
            lib.td_batch_statics(self._pointer, self._mask(which))
            return self._statuses(check)

    def apply_initial(self, check: bool = True, which: "ArrayLike | None" = None) -> np.ndarray:
        """Coordinates and rates that the robot's `initial` names, from the shape that is there;
        returns as `step` does."""
        with self._lock:
            lib.td_batch_apply_initial(self._pointer, self._mask(which))
            return self._statuses(check)

    def reset(self, which: "ArrayLike | None" = None) -> None:
        """The rest shape at time 0, of all robots or of those named, with their first inputs."""
        with self._lock:
            lib.td_batch_reset(self._pointer, self._mask(which))

    def restart(self, which: "ArrayLike | None" = None) -> None:
        """Inputs jump now: the next step of these robots starts afresh."""
        with self._lock:
            lib.td_batch_restart(self._pointer, self._mask(which))

    def message(self, robot: int) -> str:
        """Why a robot failed in the last call; "" where it did not."""
        return text(lib.td_batch_message(self._pointer, robot))

    def sample(self, rod: "int | str" = 0, s: ArrayLike | None = None) -> Samples:
        """Samples of a rod at arc lengths `s` (default: the tip at rest) of every robot; in
        front the arrays have the shape (n, *s.shape)."""
        index = self.system.index("rod", rod)
        places = places_of(self.system.length(index) if s is None else s)
        samples = Samples(places, (self._n,) + places.shape)
        flat = ffi.from_buffer("double[]", places.reshape(-1))
        with self._lock:
            lib.td_batch_get_samples(self._pointer, index, flat, places.size, samples._pointer)
        return samples

    def _read(self, function: Any, ctype: str, dtype: Any, shape: "tuple[int, ...]") -> np.ndarray:
        out = np.zeros(shape, dtype)
        if out.size:
            with self._lock:
                function(self._pointer, ffi.from_buffer(ctype, out))
        return out

    # ------------------------------------------------------------ memory on a GPU
    def _on_gpu(self, status: int) -> None:
        if status < 0:
            raise ArgumentError(f"a batch of {self.kind} has no memory on a GPU, or the GPU failed; "
                                'kind="gpu" has')

    @property
    def device_inputs(self) -> DeviceArray:
        """(n, n_inputs) on the GPU, to be written there, as by
        `torch.from_dlpack(batch.device_inputs)[:] = actions`, before
        `batch.step(dt, device_inputs=True)`. What writes it must have finished."""
        array = ffi.new("td_device_array *")
        with self._lock:
            self._on_gpu(lib.td_batch_device_inputs(self._pointer, array))
        return DeviceArray(array, self._pointer)

    def device_tips(self) -> DeviceArray:
        """(n, 13) on the GPU, found there now: of each tip its position, quaternion, angular and
        linear velocity in the body. The next call writes the same memory."""
        array = ffi.new("td_device_array *")
        with self._lock:
            self._on_gpu(lib.td_batch_device_tips(self._pointer, array))
        return DeviceArray(array, self._pointer)

    @property
    def time(self) -> np.ndarray:
        """s, of every robot: (n,)."""
        return self._read(lib.td_batch_get_times, "double[]", float, (self._n,))

    @property
    def energy(self) -> np.ndarray:
        """J: an array (n,) with the fields kinetic, gravity, elastic, dissipated and work; on a
        GPU the last two count only steps that the processor took."""
        return self._read(lib.td_batch_get_energies, "td_energy[]", _ENERGY, (self._n,))

    @property
    def actuators(self) -> np.ndarray:
        """An array (n, actuators), tendons first, with the fields effort, measure and more."""
        count = lib.td_n_actuators(self.system._pointer)
        return self._read(lib.td_batch_get_actuators, "td_actuator_state[]", _ACTUATOR,
                          (self._n, count))

    @property
    def tendons(self) -> np.ndarray:
        """The same of the tendons: `effort` is the tension (N), `measure` the length (m)."""
        return self.actuators[:, :lib.td_n_tendons(self.system._pointer)]

    def jacobian(self, rod: "int | str" = 0, s: "float | None" = None) -> np.ndarray:
        """How a point of a rod of each robot answers to its inputs, as `State.jacobian`:
        (n, 6, n_inputs); without `s` the tip at rest."""
        index = self.system.index("rod", rod)
        place = float(places_of(self.system.length(index) if s is None else real(s, "s")))
        out = np.zeros((self._n, 6, self._inputs.shape[1]))
        if out.size:
            with self._lock:
                lib.td_batch_get_jacobians(self._pointer, index, place,
                                           ffi.from_buffer("double[]", out))
                self._statuses(True)
        return out

    def state(self, robot: int) -> State:
        """A copy of a robot as a state of its own."""
        copy = State(self._system(robot))
        with self._lock:
            lib.td_batch_read(self._pointer, robot, copy._pointer)
        return copy

    def put(self, robot: int, state: State) -> None:
        """Makes a robot what the state is, with its time, inputs and past."""
        with self._lock, state._lock:
            if lib.td_batch_write(self._pointer, robot, state._pointer) < 0:
                raise ArgumentError(f"robot {robot}: there are only {self._n}, or the state is of "
                                    "another system")

    def copy(self) -> "Batch":
        """Another batch of the same system with the same robots."""
        return _batch_of(*self._recipe())

    def _recipe(self) -> "tuple[Any, ...]":
        snapshots = [self.state(i).save() for i in range(self._n)]
        return (self.system, self._n, self._made_with, self.parameters, self._inputs.copy(),
                snapshots)

    def __copy__(self) -> "Batch":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "Batch":
        return self.copy()

    def __reduce__(self) -> Any:
        return _batch_of, self._recipe()


def _batch_of(system: System, n: int, made_with: "tuple[Any, ...]",
              parameters: "dict[str, np.ndarray]", inputs: np.ndarray,
              snapshots: "list[bytes]") -> Batch:
    batch = Batch(system, n, *made_with)
    if parameters:
        batch.set_parameters(parameters, ~np.isnan(next(iter(parameters.values()))))
    for i, snapshot in enumerate(snapshots):
        state = State(batch._system(i))
        state.restore(snapshot)
        batch.put(i, state)
    batch.inputs[:] = inputs
    return batch
