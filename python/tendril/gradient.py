"""Gradients along a trajectory: outputs over a run by its inputs, its start and numbers of the robot."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._core import ffi, lib
from .errors import ArgumentError, check, expect, failure_of, text
from .given import real, reals
from .linear import Outputs
from .robot import Robot
from .system import System

if TYPE_CHECKING:
    from .state import State

_STEP = 1e-4  # of a number of the robot, to either side


class Slopes(NamedTuple):
    """What a cost changes by: against the inputs when each step ends (steps, n_inputs), the state at the
    start, the inputs that it has, and numbers of the robot by path."""

    inputs: np.ndarray
    start: np.ndarray
    start_inputs: np.ndarray
    parameters: dict[str, float]


class Gradient:
    """A run of `steps` steps and its derivatives, for costs of the outputs that are named:

        g = tendril.Gradient(system, ["tip.position"], steps=200)
        y = g.run(state, inputs, dt)            # (200, 3), of inputs (200, n_inputs)
        slopes = g.adjoint(2 * (y - wanted))    # of the cost sum (y - wanted)^2
        slopes.inputs                           # (200, n_inputs)

    `checkpoints`: states that are kept along the run, between which steps are taken again; 0: about the
    root of `steps`. `directions`: at most, of `forward`. `parameters`: numbers of the robot by path, with
    the values that they have, `{"rods.arm.length": 0.2}`; the start then stays, in its coordinates.
    """

    def __init__(self, system: System, outputs: Sequence[str], steps: int, checkpoints: int = 0,
                 directions: int = 1, parameters: Mapping[str, float] | None = None) -> None:
        expect(system, System, name="system")
        found = Outputs(system, outputs)
        self.system = system
        self.steps = int(steps)
        self.directions = int(directions)
        self.outputs: list[str] = found.names
        self.units: list[str] = found.units
        self.parameters: dict[str, float] = {k: real(v, k) for k, v in (parameters or {}).items()}
        self._rows, self._size = found.rows, found.size
        self._sides = [_sides(system, path, value) for path, value in self.parameters.items()]
        options = ffi.new("td_gradient_options *", lib.td_default_gradient_options())
        options.outputs, options.n_outputs = found.plain, found.n
        options.n_steps, options.n_checkpoints = self.steps, int(checkpoints)
        options.n_directions = self.directions
        options.n_parameters = len(self._sides)
        plus = ffi.new("td_system *[]", [side[0]._pointer for side in self._sides] or 1)
        minus = ffi.new("td_system *[]", [side[1]._pointer for side in self._sides] or 1)
        sizes = ffi.new("double[]", [side[2] for side in self._sides] or 1)
        options.plus, options.minus, options.steps = plus, minus, sizes
        err = ffi.new("td_error *")
        pointer = lib.td_gradient_create(system._pointer, options, err)
        if pointer == ffi.NULL:
            raise failure_of(err)
        keep = (system._pointer, self._sides)  # systems outlive it

        def destroy(gradient: Any, _keep: Any = keep) -> None:
            lib.td_gradient_destroy(gradient)

        self._pointer = ffi.gc(pointer, destroy)
        self._lock = threading.Lock()
        self.n_states: int = lib.td_gradient_n_states(pointer)
        self._n_inputs = len(system.inputs)

    @property
    def bytes(self) -> int:
        """Memory that it holds."""
        return lib.td_gradient_bytes(self._pointer)

    def _check(self, status: int) -> None:
        if status:
            check(status, text(lib.td_gradient_message(self._pointer)), 4)

    def run(self, start: "State", inputs: ArrayLike, dt: float,
            restarts: ArrayLike | None = None) -> np.ndarray:
        """Takes the steps of `dt` (s) from `start`, which stays as it is, with `inputs` (steps, n_inputs)
        when each of them ends; `restarts`: the steps before which inputs jump, by number (from 0) or as a
        mask (steps), as `state.restart()` has it. Returns the outputs after each step (steps, n_outputs)."""
        if start.system is not self.system:
            raise ArgumentError("start must be a state of the gradient's own system")
        given = self._shaped(inputs, (self.steps, self._n_inputs), "inputs")
        fresh = np.zeros(self.steps, bool)
        if restarts is not None:
            try:
                fresh[np.asarray(restarts, None if np.size(restarts) else int)] = True
            except IndexError as error:
                raise ArgumentError(f"restarts: numbers of steps from 0 to {self.steps - 1} or a mask "
                                    f"of {self.steps} are expected: {error}") from None
        y = np.zeros((self.steps, self._size))
        with self._lock, start._lock:
            self._check(lib.td_gradient_run(self._pointer, start._pointer, real(dt, "dt"),
                                            _from(given), ffi.from_buffer("bool[]", fresh), _from(y)))
        return y[:, self._rows]

    def adjoint(self, by_outputs: ArrayLike) -> Slopes:
        """Of the last run: what a cost changes by whose derivative by the outputs is `by_outputs` (steps,
        n_outputs)."""
        w = np.zeros((self.steps, self._size))
        given = self._shaped(by_outputs, (self.steps, len(self._rows)), "by_outputs")
        np.add.at(w, (slice(None), self._rows), given)
        inputs, start = np.zeros((self.steps, self._n_inputs)), np.zeros(self.n_states)
        first, numbers = np.zeros(self._n_inputs), np.zeros(len(self._sides))
        result = ffi.new("td_gradient_result *")
        result.by_inputs, result.by_start = _from(inputs), _from(start)
        result.by_start_inputs, result.by_parameters = _from(first), _from(numbers)
        with self._lock:
            self._check(lib.td_gradient_adjoint(self._pointer, _from(w), result))
        return Slopes(inputs, start, first, dict(zip(self.parameters, numbers.tolist())))

    def forward(self, inputs: ArrayLike | None = None, start: ArrayLike | None = None,
                parameters: Mapping[str, ArrayLike] | None = None) -> np.ndarray:
        """Of the last run: how the outputs change, (directions, steps, n_outputs), along directions of
        inputs (directions, steps, n_inputs), of the start (directions, n_states) and of numbers of the
        robot by path (directions)."""
        unknown = set(parameters or {}) - set(self.parameters)
        if unknown:
            raise ArgumentError(f"parameters: {', '.join(sorted(unknown))}: they are "
                                f"{', '.join(self.parameters) or 'none'}")
        given = [np.shape(a)[0] for a in (inputs, start) if a is not None]
        given += [np.size(a) for a in (parameters or {}).values()]
        if not given or min(given) != max(given):
            raise ArgumentError(f"directions: {given or 'none'}; as many of each are expected")
        n = given[0]
        u = None if inputs is None else self._shaped(inputs, (n, self.steps, self._n_inputs), "inputs")
        x = None if start is None else self._shaped(start, (n, self.n_states), "start")
        p = np.zeros((n, len(self.parameters)))
        for i, path in enumerate(self.parameters):
            p[:, i] = reals((parameters or {}).get(path, 0.0), path)
        dy = np.zeros((n, self.steps, self._size))
        with self._lock:
            self._check(lib.td_gradient_forward(self._pointer, n, _from(u), _from(x), _from(p),
                                                _from(dy)))
        return dy[:, :, self._rows]

    @staticmethod
    def _shaped(values: ArrayLike, shape: "tuple[int, ...]", what: str) -> np.ndarray:
        given = reals(values, what)
        if given.shape != shape:
            raise ArgumentError(f"{what}: an array of shape {given.shape}; {shape} is expected")
        return given

    def __repr__(self) -> str:
        return (f"<Gradient: {self.steps} steps, {self._n_inputs} inputs, {len(self._rows)} outputs, "
                f"{len(self.parameters)} parameters>")


def _sides(system: System, path: str, value: float) -> "tuple[System, System, float]":
    """The same robot with more and less of a number."""
    if value == 0.0:
        raise ArgumentError(f"parameters: {path} = 0: a step of {_STEP:g} of it is none")
    robot, step = system.robot, _STEP * abs(value)
    source = robot.source or robot.text
    made = [System(Robot.parse(source, set={path: value + by}), options=system.options)
            for by in (step, -step)]
    return made[0], made[1], step


def _from(array: "np.ndarray | None") -> Any:
    """For C to read or fill; NULL: there is nothing."""
    return ffi.NULL if array is None or array.size == 0 else ffi.from_buffer("double[]", array)
