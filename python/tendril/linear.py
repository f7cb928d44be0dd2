"""Small motions about a state: matrices, modes, frequency response."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._core import ffi, lib
from .errors import ArgumentError, UnsupportedError, failure, failure_of, text
from .given import real, reals

if TYPE_CHECKING:
    from .state import State
    from .system import System

_KINDS = {lib.TD_MODE_OSCILLATES: "oscillates", lib.TD_MODE_DECAYS: "decays",
          lib.TD_MODE_NEUTRAL: "neutral", lib.TD_MODE_DIVERGES: "diverges",
          lib.TD_MODE_FLUTTERS: "flutters"}


class Outputs:
    """Outputs by name, as C wants them, and which of its rows are meant."""

    def __init__(self, system: "System", names: Sequence[str]) -> None:
        if isinstance(names, str):
            raise ArgumentError(f"outputs must be a list of names: [{names!r}]")
        found = ffi.new("td_named_output[]", max(len(names), 1))
        err = ffi.new("td_error *")
        for i, name in enumerate(names):
            if lib.td_find_output(system._pointer, name.encode(), ffi.addressof(found, i), err) < 0:
                raise failure_of(err)
        self.plain = ffi.new("td_output[]", [found[i].output for i in range(len(names))] or 1)
        self.n = len(names)
        self.rows: list[int] = []
        self.names: list[str] = []
        self.units: list[str] = []
        self.size = 0  # of all rows
        for named in found[0:len(names)]:
            for i in range(named.n):
                self.rows.append(self.size + named.first + i)
                self.names.append(text(named.names[i]))
                self.units.append(text(named.units[i]))
            self.size += lib.td_output_size(named.output.quantity)


class Mode(NamedTuple):
    """One way to move freely: exp(s t) times a shape."""

    kind: str  # oscillates, decays, neutral, diverges, flutters
    s: complex  # 1/s; of a pair the one with a positive imaginary part
    frequency: float  # Hz, |s|/2 pi
    damping: float  # ratio
    shape: np.ndarray  # (n) complex: coordinates, then multipliers
    outputs: np.ndarray  # (n_outputs) complex


class StateSpace(NamedTuple):
    """x' = A x + B u, y = C x + D u with x = (z, z')."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


class StepMap(NamedTuple):
    """x+ = A x + B u+ + B0 u, y+ = C x + D u+ + D0 u: one step, u when it begins, u+ when it ends."""

    A: np.ndarray
    B: np.ndarray
    B0: np.ndarray
    C: np.ndarray
    D: np.ndarray
    D0: np.ndarray


class Linearisation:
    """Small motions about a state, as arrays of its own:

        M z'' + D z' + K z = B u + B1 u' + B2 u''
        y = C z + C1 z' + C2 z'' + F u + F1 u' + F2 u''

    z: `n_coordinates` coordinates, named by `coordinates`, of which the last `n_flows` are strains that have flowed in
    materials that relax, then multipliers; u: all inputs of the system; y: the outputs whose
    rows `outputs` names, in `units`. `accelerations`: z'' of the state itself. `note`: what was held as
    it is.
    """

    def __init__(self, state: "State", outputs: Sequence[str] = ()) -> None:
        system = state.system
        found = Outputs(system, outputs)
        err = ffi.new("td_error *")
        pointer = lib.td_linearisation_create(system._pointer, found.plain, found.n, err)
        if pointer == ffi.NULL:
            raise failure_of(err)
        keep = system._pointer  # the system outlives it

        def destroy(linearisation: Any, _keep: Any = keep) -> None:
            lib.td_linearisation_destroy(linearisation)

        self._pointer = ffi.gc(pointer, destroy)
        self._lock = threading.Lock()
        self._rows, self._all_outputs = found.rows, found.size
        self.coordinates: list[str] = system.coordinates
        self.coordinate_units: list[str] = system.coordinate_units
        self.inputs: list[str] = system.inputs
        self.outputs: list[str] = found.names
        self.units: list[str] = found.units
        state._call(lib.td_linearise, self._pointer, stacklevel=5)
        self._copy(lib.td_get_linear(self._pointer))

    def _copy(self, of: Any) -> None:
        n, n_u = of.n_coordinates + of.n_multipliers, of.n_inputs
        self.n_coordinates: int = of.n_coordinates
        self.n_multipliers: int = of.n_multipliers
        self.n_flows: int = of.n_flows
        self.coordinates = self.coordinates + [f"flow{i + 1}" for i in range(of.n_flows)]
        self.coordinate_units = self.coordinate_units + [""] * of.n_flows
        self.note: str = text(of.note)
        self.M, self.D, self.K = (_array(a, n, n) for a in (of.M, of.D, of.K))
        self.B, self.B1, self.B2 = (_array(a, n, n_u) for a in (of.B, of.B1, of.B2))
        self.C, self.C1, self.C2 = (self._chosen(a, n) for a in (of.C, of.C1, of.C2))
        self.F, self.F1, self.F2 = (self._chosen(a, n_u) for a in (of.F, of.F1, of.F2))
        self.accelerations: np.ndarray = _array(of.z_tt, 1, n)[0]

    def _chosen(self, pointer: Any, columns: int) -> np.ndarray:
        return _array(pointer, self._all_outputs, columns)[self._rows]

    def _check(self, status: int) -> None:
        if status < 0:
            raise failure(status, text(lib.td_linearisation_message(self._pointer)))

    def modes(self, n: int | None = None) -> list[Mode]:
        """The n slowest modes, or all of them. Of an equilibrium only. Whether an equilibrium is stable is known
        from all of them."""
        if n is not None and n < 1:
            return []
        with self._lock:
            self._check(lib.td_solve_modes(self._pointer, n or 0))
            return [self._mode(i) for i in range(lib.td_n_modes(self._pointer))]

    def _mode(self, i: int) -> Mode:
        mode = lib.td_get_mode(self._pointer, i)
        shape = np.zeros(len(self.K), complex)
        outputs = np.zeros(self._all_outputs, complex)
        self._check(lib.td_get_mode_shape(self._pointer, i, _into(shape), _into(outputs)))
        return Mode(_KINDS[mode.kind], complex(mode.re, mode.im), mode.frequency, mode.damping,
                    shape, outputs[self._rows])

    def frequency_response(self, omega: ArrayLike) -> np.ndarray:
        """What the outputs do under inputs exp(i omega t), omega in rad/s: complex, (n_outputs,
        n_inputs), or of an array of omega (..., n_outputs, n_inputs)."""
        asked = reals(omega, "omega")
        H = np.zeros((asked.size, self._all_outputs, len(self.inputs)), complex)
        with self._lock:
            for i, w in enumerate(asked.ravel()):
                self._check(lib.td_get_frequency_response(self._pointer, w, _into(H[i])))
        return H[:, self._rows].reshape(asked.shape + (len(self._rows), len(self.inputs)))

    def state_space(self) -> StateSpace:
        """Of the first order, with x = (z, z', f): f the numbers without mass, which have no z' in x: what flows in
        materials. Where there are multipliers, where rates of inputs count, or where a motor holds what
        it is told exactly, there is none."""
        if self.n_multipliers or any(a.any() for a in (self.B1, self.B2, self.F1, self.F2)):
            raise UnsupportedError("multipliers, or rates of inputs that move bases: there is no "
                                   "state space of z and z' alone", "TD_ERR_UNSUPPORTED")
        s = self.M.any(axis=1)
        f = ~s
        if not self.D[f].any(axis=1).all():
            raise UnsupportedError("what a motor holds exactly has no rate: there is no state space", "TD_ERR_UNSUPPORTED")

        def of(rows: np.ndarray) -> np.ndarray:
            return np.hstack([self.K[rows][:, s], self.D[rows][:, s], self.K[rows][:, f], -self.B[rows]])
        flows = np.linalg.solve(self.D[f][:, f], of(f))  # -f' by (z, z', f, u)
        moves = np.linalg.solve(self.M[s][:, s], of(s) - self.D[s][:, f] @ flows)  # -z''
        told = (np.hstack([self.C[:, s], self.C1[:, s], self.C[:, f], self.F])
                - self.C1[:, f] @ flows - self.C2[:, s] @ moves)
        n, x = int(s.sum()), len(s) + int(s.sum())
        return StateSpace(np.vstack([np.eye(n, x, n), -moves[:, :x], -flows[:, :x]]),
                          np.vstack([np.zeros_like(moves[:, x:]), -moves[:, x:], -flows[:, x:]]),
                          told[:, :x], told[:, x:])

    def step_map(self, dt: float) -> StepMap:
        """The derivative of one step of dt (s) in the scheme of the system. x: z of the coordinates, z', and
        what else the scheme remembers. Of an equilibrium only."""
        dt = real(dt, "dt")
        with self._lock:
            self._check(lib.td_solve_step_map(self._pointer, dt))
            of = lib.td_get_step_map(self._pointer)
            n, n_u = of.n_states, len(self.inputs)
            return StepMap(_array(of.A, n, n), _array(of.B, n, n_u), _array(of.B0, n, n_u),
                           self._chosen(of.C, n), self._chosen(of.D, n_u),
                           self._chosen(of.D0, n_u))

    def lqr(self, dt: float, inputs: "Sequence[str]", Q: Any, R: Any) -> "tuple[np.ndarray, np.ndarray]":
        """The gain K of u+ = -K (x, u) for steps of dt that makes the sum of x'Q x + u+'R u+ least, and P: that sum
        from (x, u) on is (x, u)'P (x, u). x: coordinates and rates; u: what was said last. For
        `Robot.add_controller(..., "feedback", gain=K)`."""
        n = len(self.step_map(dt).A)
        indices = [self.inputs.index(name) for name in inputs]
        m = len(indices)
        weights, prices = _square(Q, "Q", n), _square(R, "R", m)
        K, P = np.zeros((m, n + m)), np.zeros((n + m, n + m))
        buffers = [ffi.from_buffer("double[]", one) for one in (weights, prices, K, P)]
        with self._lock:
            self._check(lib.td_design_lqr(self._pointer, indices, m, *buffers))
        return K, P

    def __repr__(self) -> str:
        return (f"<Linearisation: {self.n_coordinates} coordinates, {self.n_multipliers} "
                f"multipliers, {len(self.inputs)} inputs, {len(self.outputs)} outputs>")


def _square(given: Any, name: str, n: int) -> np.ndarray:
    """A matrix, or its diagonal: n numbers or one."""
    values = reals(given, name)
    if values.ndim < 2:
        values = np.diag(np.broadcast_to(values, n))
    if values.shape != (n, n):
        raise ArgumentError(f"{name} has the shape {values.shape}; ({n}, {n}) is expected")
    return np.ascontiguousarray(values)


def _array(pointer: Any, rows: int, columns: int) -> np.ndarray:
    """A copy of what C holds."""
    size = rows * columns
    if size == 0:
        return np.zeros((rows, columns))
    return np.frombuffer(ffi.buffer(pointer, 8 * size)).reshape(rows, columns).copy()


def _into(array: np.ndarray) -> Any:
    """For C to fill; NULL: there is nothing to fill."""
    return ffi.from_buffer("double[]", array.view(float)) if array.size else ffi.NULL
