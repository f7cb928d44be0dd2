"""Many states at once, on several threads, without the interpreter's lock.

`step(states, dt)`, `advance(states, dt)` and `statics(states)` take any states, also of different
systems. `Batch(system, n)` owns n states of one system and keeps their inputs as one array.
"""
from __future__ import annotations

import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._core import ffi, lib
from .errors import (ArgumentError, Caveat, OutOfMemoryError, failure, status_name, text)
from .given import real, reals
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

    def judge(self, statuses: np.ndarray, check: bool) -> np.ndarray:
        """Raises for the first that failed; one warning for all that have something to say."""
        bad, loose = np.flatnonzero(statuses < 0), np.flatnonzero(statuses > 0)
        if check and bad.size:
            first = int(bad[0])
            message = text(lib.td_message(self.states[first]._pointer))
            where = f"state {first}" + (f" and {bad.size - 1} more" if bad.size > 1 else "")
            error = failure(int(statuses[first]), message, where)
            error.statuses = statuses  # type: ignore[attr-defined]
            raise error
        if check and loose.size:
            warnings.warn(f"{loose.size} of {len(statuses)} states: "
                          f"{status_name(int(statuses[loose[0]]))}", Caveat, stacklevel=4)
        return statuses

    def solve(self, function: Any, arguments: tuple[Any, ...], check: bool) -> np.ndarray:
        statuses = np.zeros(len(self.states), np.intc)
        out = ffi.from_buffer("int[]", statuses)
        self.run(lambda systems, states, first, n: function(systems, states, n, *arguments,
                                                            out + first))
        return self.judge(statuses, check)


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


def _check_room(n: int, size: int) -> None:
    """Refuses what this machine cannot hold before the first state is made."""
    room = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if n * size > room:
        raise OutOfMemoryError(f"n = {n} states of {size} bytes each do not fit into the "
                               f"{room / 1e9:.3g} GB of this machine; at most {room // size} could",
                               "TD_ERR_MEMORY")


class Batch:
    """`n` states of one system, for sweeps and training: `batch.inputs` is an array (n,
    n_inputs) that is given to the states before each computation; `batch.states` are the states
    themselves."""

    def __init__(self, system: System, n: int, threads: int | None = None) -> None:
        if n < 0:
            raise ArgumentError(f"n = {n} states must not be negative")
        _check_room(n, system.state_bytes)
        self.system: System = system
        self.states: list[State] = [State(system) for _ in range(n)]
        self._crew = _Crew(self.states, threads)
        self.inputs: np.ndarray = np.array([state.inputs.array() for state in self.states],
                                           float).reshape(n, len(system.inputs))

    def __len__(self) -> int:
        return len(self.states)

    def _solve(self, function: Any, arguments: tuple[Any, ...], check: bool) -> np.ndarray:
        values = reals(self.inputs, "inputs")
        shape = (len(self.states), len(self.system.inputs))
        if values.shape != shape:
            raise ArgumentError(f"inputs have the shape {values.shape}; {shape} is expected")
        statuses = np.zeros(len(self.states), np.intc)
        if values.size:
            given, out = ffi.from_buffer("double[]", values), ffi.from_buffer("int[]", statuses)
            self._crew.run(lambda systems, states, first, n: lib.batch_set_inputs(
                systems, states, n, given + first * shape[1], out + first))
            self._crew.judge(statuses, True)
        return self._crew.solve(function, arguments, check)

    def step(self, dt: float, n: int = 1, check: bool = True) -> np.ndarray:
        """`n` steps of `dt` (s) of every state."""
        return self._solve(lib.batch_step, (real(dt, "dt"), steps_of(n)), check)

    def statics(self, check: bool = True) -> np.ndarray:
        """Equilibrium of every state."""
        return self._solve(lib.batch_statics, (), check)

    def reset(self, which: "Sequence[int] | None" = None) -> None:
        """The rest shape at time 0, of all states or of those named, with their first inputs."""
        for i in range(len(self.states)) if which is None else which:
            self.states[i].reset()
            self.inputs[i] = self.states[i].inputs.array()

    def sample(self, rod: "int | str" = 0, s: ArrayLike | None = None) -> Samples:
        """Samples of a rod at arc lengths `s` (default: the tip at rest) of every state; in
        front the arrays have the shape (n, *s.shape)."""
        index = self.system.index("rod", rod)
        places = reals(self.system.length(index) if s is None else s, "s").copy()
        samples = Samples(places, (len(self.states),) + places.shape)
        out, flat = samples._pointer, ffi.from_buffer("double[]", places.reshape(-1))
        self._crew.run(lambda systems, states, first, n: lib.batch_sample(
            systems, states, n, index, flat, places.size, out + first * places.size))
        return samples
