"""One trajectory: inputs, steps, equilibria, and what can be read from it."""
from __future__ import annotations

import threading
import warnings
from functools import partial
from typing import Any, Callable, Iterator, Mapping, MutableMapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._core import ffi, lib
from .actuators import KINDS, ActuatorState, Kind, state_of
from .errors import (ArgumentError, Caveat, Error, OutOfMemoryError, UnsupportedError, check,
                     text, failure_of)
from .fields import Fields, owned, unknown
from .geometry import Pose
from .given import places_of, real, reals
from .linear import Linearisation, Mode
from .samples import Samples, points_along, spread
from .system import System


class Inputs(MutableMapping[str, float]):
    """Inputs of a state by name or index: `inputs["east"] = 3.0`; all of them as an array:
    `np.asarray(inputs)`, `inputs[:] = values`, `inputs.update(east=3.0, north=1.0)`."""

    def __init__(self, state: "State") -> None:
        self._state = state

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self.array()[key]
        return self._state._get(lib.td_get_input, self._state.system.index("input", key))

    def __setitem__(self, key: Any, value: Any) -> None:
        state = self._state
        if isinstance(key, slice):
            values = self.array()
            values[key] = reals(value, "inputs")
            return state._call(lib.set_inputs, ffi.from_buffer("double[]", values))
        number = real(value, f"inputs[{key!r}]")
        state._call(lib.td_set_input, state.system.index("input", key), number)

    def __delitem__(self, key: str) -> None:
        raise ArgumentError("inputs belong to the robot and cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._state.system.inputs)

    def __len__(self) -> int:
        return len(self._state.system._names["input"])

    def array(self) -> np.ndarray:
        """The values, in the order of `system.inputs`."""
        values = np.empty(len(self))
        self._state._get(lib.get_inputs, ffi.from_buffer("double[]", values))
        return values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.array().astype(dtype or float)

    def set_rate(self, name: "int | str", rate: float) -> None:
        """How fast an input moves, per second; it matters where an input moves a base or feeds a
        rod. Without it the change since the last step divided by the step is used."""
        state = self._state
        state._call(lib.td_set_input_rate, state.system.index("input", name), real(rate, "rate"))

    def __repr__(self) -> str:
        return f"Inputs({dict(self)})"


class Parts(Mapping[str, Any]):
    """Bodies, or actuators of a kind, of a state by name: each as it is when it is asked for."""

    def __init__(self, state: "State", kind: str, get: Callable[[Any], Any]) -> None:
        self._state, self._kind, self._of = state, kind, get

    def __getitem__(self, name: Any) -> Any:
        return self._of(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._state.system._names[self._kind])

    def __len__(self) -> int:
        return len(self._state.system._names[self._kind])

    def __repr__(self) -> str:
        return f"Parts({dict(self)})"


class State:
    """One trajectory's memory. A call that fails raises and leaves it as it was.

    Calls release the interpreter's lock while C computes; each state takes one call at a time,
    further threads wait for their turn. Different states of one system compute at the same time.
    """

    def __init__(self, system: System) -> None:
        pointer = lib.td_state_create(system._pointer)
        if pointer == ffi.NULL:
            raise OutOfMemoryError("out of memory for a state", "TD_ERR_MEMORY")
        keep = system._pointer  # the system outlives the state, also in a garbage collection

        def destroy(state: Any, _keep: Any = keep) -> None:
            lib.td_state_destroy(state)

        self._pointer = ffi.gc(pointer, destroy)
        self._asked = ffi.new("double *")
        lib.heed_signals(pointer, self._asked)
        self._lock = threading.Lock()
        self._tips: dict[tuple, Any] = {}  # of step_jacobian, by place
        self.system: System = system
        self._inputs: Inputs = Inputs(self)
        self.bodies: Parts = Parts(self, "body", self._body)
        self.sensors: Parts = Parts(self, "sensor", lambda name: self.reading(name)[0])
        self.controllers: Parts = Parts(self, "controller", self._said)
        self._functions: dict[int, Any] = {}  # of controllers
        self._raised: list[BaseException] = []  # by these
        for kind in KINDS:  # self.tendons, ...
            setattr(self, kind.plural, Parts(self, kind.word, partial(self._actuator, kind)))

    def _body(self, name: "int | str") -> Fields:
        struct = self._get(lib.td_get_body, self.system.index("body", name))
        return Fields(owned("td_body_state", struct), "body")

    def _actuator(self, kind: Kind, name: "int | str") -> ActuatorState:
        index = self.system._actuator(kind, name)
        return state_of(kind, self._get(lib.td_get_actuator, index))

    def _path(self, kind: Kind, name: "int | str", n: int) -> np.ndarray:
        points = np.empty((n, 3))
        self._get(lib.path_of_actuator, self.system._actuator(kind, name), n,
                  ffi.from_buffer("double[]", points))
        return points

    def _call(self, function: Callable[..., int], *arguments: Any, stacklevel: int = 4) -> None:
        with self._lock:
            status = function(self.system._pointer, self._pointer, *arguments)
            if status == 0:
                return
            message = self.message
        check(status, message, stacklevel)

    def _pass_on(self) -> None:
        if self._raised:
            raise self._raised.pop()

    def _get(self, function: Callable[..., Any], *arguments: Any) -> Any:
        with self._lock:
            return function(self.system._pointer, self._pointer, *arguments)

    @property
    def inputs(self) -> Inputs:
        """The inputs by name or index. `state.inputs = values` is `state.inputs[:] = values`, or with
        a mapping `state.inputs.update(values)`."""
        return self._inputs

    @inputs.setter
    def inputs(self, values: "Mapping[str, float] | ArrayLike") -> None:
        if isinstance(values, Mapping):
            self._inputs.update(values)
        else:
            self._inputs[:] = values

    # ------------------------------------------------------------ motion and equilibrium
    def begin(self) -> None:
        """Begins as the file says: inputs as before time 0, in equilibrium or straight
        (simulation.start), then with the coordinates and rates of `initial`."""
        self._call(lib.td_begin)

    def reset(self) -> None:
        """The rest shape at time 0; inputs as their signals are before time 0."""
        self._get(lib.td_state_reset)

    def statics(self) -> None:
        """Equilibrium under the present inputs, from the present shape where that leads to a
        stable one, otherwise by following the load from zero."""
        self._call(lib.td_solve_statics)

    def step(self, dt: float, n: int = 1) -> None:
        """`n` implicit steps of `dt` (s); the inputs set now are those at their end. When one
        fails, those before it have happened."""
        self._call(lib.step_many, real(dt, "dt"), steps_of(n), ffi.new("int *"))

    def advance(self, dt: float, n: int = 1) -> None:
        """`n` steps of `dt` (s) that follow the signals of the inputs, split where they jump."""
        each = 1 if self._functions else steps_of(n)  # which may raise something at every step
        for _ in range(steps_of(n) if self._functions else 1):
            self._call(lib.advance_many, real(dt, "dt"), each, ffi.new("int *"))
            self._pass_on()

    def restart(self) -> None:
        """A load or input jumps now: the next step starts afresh, which keeps the scheme's
        order."""
        self._get(lib.td_restart)

    def set_time(self, t: float) -> None:
        """The clock reads t (s) from now on: what has passed stays so long ago, and what happens at
        multiples of a period, formulas and signals go by the new clock. Shape and inputs stay."""
        self._call(lib.td_set_time, real(t, "t"))

    def apply_signals(self, t: float, side: str = "after") -> None:
        """Sets every input from its own signal at time t (s)."""
        sides = {"before": lib.TD_BEFORE, "after": lib.TD_AFTER}
        if side not in sides:
            raise unknown("side", side, list(sides))
        self._call(lib.td_apply_signals, real(t, "t"), sides[side])

    def apply_controllers(self) -> None:
        """For loops of `step`: controllers that are due act, and what they say is added to the inputs as they
        are set now. `advance` does it by itself."""
        self._get(lib.td_apply_controllers)
        self._pass_on()

    # ------------------------------------------------------------ reading
    @property
    def time(self) -> float:
        """Time, s."""
        return self._get(lib.td_get_time)

    @property
    def energy(self) -> Fields:
        """Kinetic, gravity and elastic energy, and dissipated and work since the start, J."""
        return Fields(owned("td_energy", self._get(lib.td_get_energy)), "energy")

    @property
    def stats(self) -> Fields:
        """Effort and residual of the last solve or step."""
        return Fields(owned("td_stats", lib.td_get_stats(self._pointer)[0]), "stats")

    @property
    def message(self) -> str:
        """What the last call had to say, in words; "" if it was fine."""
        return text(lib.td_message(self._pointer))

    def length(self, rod: "int | str" = 0) -> float:
        """The length of a rod outside its base now, m; its own length plus what is fed."""
        return self._get(lib.td_get_length, self.system.index("rod", rod))

    def place(self, s: float, rod: "int | str" = 0) -> float:
        """The arc length now, m, of what is at s of the rod at rest; more only of rods that are fed."""
        return self._get(lib.td_get_place, self.system.index("rod", rod), real(s, "s"))

    def _at(self, rod: int, s: "float | None") -> float:
        place = self.length(rod) if s is None else real(s, "s")
        if place != place:
            raise ArgumentError("s = nan m is no place on a rod")
        return place

    def pose(self, rod: "int | str" = 0, s: float | None = None) -> Pose:
        """The frame of a rod's section at arc length `s` (m); without it, at the tip."""
        index = self.system.index("rod", rod)
        return Pose._of(self._get(lib.td_get_pose, index, self._at(index, s)))

    def sample(self, rod: "int | str" = 0, s: ArrayLike | None = None) -> Samples:
        """Pose, strain, wrench and velocity at arc length `s`: a number (default: the tip), or
        an array, for which the results have its shape in front."""
        index = self.system.index("rod", rod)
        places = places_of(self.length(index) if s is None else s)
        samples = Samples(places)
        self._get(lib.sample_many, index, ffi.from_buffer("double[]", places.reshape(-1)),
                  places.size, samples._pointer)
        return samples

    def shape(self, rod: "int | str" = 0, n: int = 41) -> Samples:
        """Samples at `n` points from the base to the tip."""
        return self.sample(rod, spread(self.length(rod), n))

    def _points(self, rod: "int | str", n: int) -> np.ndarray:
        """Of a record, as places of the rod at rest."""
        return points_along(self.system.length(rod), self.system.growing(rod), n)

    def _shape(self, rod: "int | str", n: int) -> Samples:
        """Those points where they are now."""
        return self.sample(rod, [self.place(s, rod) for s in self._points(rod, n)])

    def tension(self, tendon: "int | str", s: float) -> float:
        """Tension of a tendon at arc length s of its rod, N; it varies with friction."""
        return self._get(lib.td_get_tension, self.system.index("tendon", tendon), real(s, "s"))

    def tendon_path(self, tendon: "int | str", n: int = 41) -> np.ndarray:
        """Where a tendon runs: (n, 3) points in the world, m, from where it enters the rod."""
        return self._path(KINDS[0], tendon, n)

    def reaction(self, rod: "int | str" = 0, end: str = "base",
                 body: "int | str | None" = None) -> Fields:
        """What holds an end of a rod ("base" or "tip") exerts on it, or what rods and other bodies
        exert on a body, with `end="hold"` what its `held` does: `moment` (N m, about that point)
        and `force` (N) in the world, of the last equilibrium or step."""
        if body is not None:
            get = lib.td_get_hold_reaction if end == "hold" else lib.td_get_body_reaction
            value = self._get(get, self.system.index("body", body))
        else:
            ends = {"base": lib.TD_BASE, "tip": lib.TD_TIP}
            if end not in ends:
                raise unknown("end", end, list(ends))
            value = self._get(lib.td_get_reaction, self.system.index("rod", rod), ends[end])
        return Fields(owned("td_reaction", value), "reaction")

    # ------------------------------------------------------------ motors and valves
    def drive(self, actuator: str) -> Fields:
        """Angle, speed, current, torque, flow, kinetic energy, that of the coil, work and loss of the motor or
        valve of a tendon or chamber, the fields of `td_drive_state`; all 0 where an input drives it directly."""
        names = {kind: self.system._names[kind.word] for kind in KINDS}
        kind = next((kind for kind in KINDS if actuator in names[kind]), None)
        if kind is None:
            raise unknown("actuator", actuator, [name for all in names.values() for name in all])
        index = self.system._actuator(kind, actuator)
        return Fields(owned("td_drive_state", self._get(lib.td_get_drive, index)), "drive", True)

    # ------------------------------------------------------------ sensors
    def reading(self, sensor: "int | str") -> "tuple[np.ndarray, float, int]":
        """The latest reading of a sensor that is there, when it was taken (s), and how many have
        arrived; `sensors[name]` is the first of these."""
        index = self.system.index("sensor", sensor)
        values = np.zeros(lib.td_sensor_channels(self.system._pointer, index))
        taken = ffi.new("double *")
        n = self._get(lib.td_get_sensor, index, ffi.from_buffer("double[]", values), taken)
        return values, taken[0], n

    def sensor_truth(self, sensor: "int | str") -> np.ndarray:
        """What a perfect sensor would read now."""
        index = self.system.index("sensor", sensor)
        values = np.zeros(lib.td_sensor_channels(self.system._pointer, index))
        self._get(lib.td_get_sensor_truth, index, ffi.from_buffer("double[]", values))
        return values

    def read_sensors(self) -> None:
        """Every sensor reads now and at once, whatever its rate and delay."""
        self._call(lib.td_read_sensors)

    def set_seed(self, seed: int) -> None:
        """Noise of another run: a whole number, 0 to 2^53. A reset goes back to `options.seed`."""
        self._call(lib.td_set_seed, real(seed, "seed"))

    # ------------------------------------------------------------ controllers
    def _said(self, name: "int | str") -> np.ndarray:
        index = self.system.index("controller", name)
        values = np.zeros(self._get(lib.td_get_controller, index, ffi.NULL))
        self._get(lib.td_get_controller, index, ffi.from_buffer("double[]", values))
        return values

    def set_controller_on(self, controller: "int | str", on: bool = True) -> None:
        """Off, it adds nothing to its inputs."""
        self._call(lib.td_set_controller_on, self.system.index("controller", controller), bool(on))

    def set_controller(self, controller: "int | str",
                       function: "Callable[[float, dict[str, np.ndarray]], Any]") -> None:
        """The function of a controller of the kind "callback": it is given the time (s) and the
        latest readings by the names of sensors, and returns what is added to the controller's
        inputs. It is called from within `advance`, and is no part of snapshots. What it raises, the
        call raises after that step."""
        names = list(self.system.sensors)
        raised = self._raised
        sizes = [lib.td_sensor_channels(self.system._pointer, i) for i in range(len(names))]

        @ffi.callback("td_controller_function *")
        def call(system: Any, state: Any, t: float, said: Any, n: int, _context: Any) -> None:
            readings = {}
            for i, (name, size) in enumerate(zip(names, sizes)):
                readings[name] = np.zeros(size)
                lib.td_get_sensor(system, state, i, ffi.from_buffer("double[]", readings[name]),
                                  ffi.NULL)
            if raised:
                return
            try:
                said[0:n] = [float(value) for value in np.broadcast_to(function(t, readings), n)]
            except BaseException as what:  # C cannot pass it on
                raised.append(what)

        index = self.system.index("controller", controller)
        self._call(lib.td_set_controller, index, call, ffi.NULL)
        self._functions[index] = call

    # ------------------------------------------------------------ contact
    def contacts(self) -> list[Fields]:
        """All points that touch, of the last equilibrium or step: `rod` and `s` (m), or `body`,
        which is -1 otherwise; `obstacle`, by its index; or, where that is -1, `contact` and what
        is touched, `other_rod` at `other_s` or `other_body`, each pair from both sides; `length`
        (m of rod that it stands for), `point`, `normal`, `gap` (m) and `force` (N, on what
        touches) in the world."""
        n = self._get(lib.td_get_contacts, ffi.NULL, 0)
        points = ffi.new("td_contact_point[]", max(n, 1))
        n = min(n, self._get(lib.td_get_contacts, points, n))
        return [Fields(owned("td_contact_point", points[i]), "contact") for i in range(n)]

    def obstacle_wrench(self, obstacle: "int | str" = 0) -> Fields:
        """What the robot exerts on an obstacle: `moment` (N m, about the origin of its frame) and
        `force` (N) in the world."""
        value = self._get(lib.td_get_obstacle_wrench, self.system.index("obstacle", obstacle))
        return Fields(owned("td_reaction", value), "reaction")

    def obstacle_pose(self, obstacle: "int | str" = 0) -> Pose:
        """Where the frame of an obstacle is."""
        return Pose._of(self._get(lib.td_get_obstacle_pose,
                                  self.system.index("obstacle", obstacle)))

    def distance(self, obstacle: "int | str", p: ArrayLike) -> "tuple[float, np.ndarray]":
        """How far a point of the world is from an obstacle (m; negative: inside), and the unit
        vector that points away from it there."""
        normal = np.zeros(3)
        at = np.ascontiguousarray(reals(p, "p"))
        if at.shape != (3,) or not np.isfinite(at).all():
            raise ArgumentError("p must be three numbers")
        phi = self._get(lib.td_get_distance, self.system.index("obstacle", obstacle),
                        ffi.from_buffer("double[3]", at), ffi.from_buffer("double[3]", normal))
        return phi, normal

    # ------------------------------------------------------------ derivatives of equilibria
    def _jacobian_part(self, rod, s, body, position_only, inputs):
        """The C structure, what must outlive it, and the shape of the answer."""
        columns = None if inputs is None else [self.system.index("input", i) for i in inputs]
        part = ffi.new("td_jacobian_part *", {"body": -1, "position_only": bool(position_only)})
        if body is not None:
            part.body = self.system.index("body", body)
        else:
            part.rod = self.system.index("rod", rod)
            part.s = self._at(part.rod, s)
        keep = ffi.NULL if columns is None else ffi.new("int[]", columns or [0])
        part.inputs, part.n_inputs = keep, 0 if columns is None else len(columns)
        n = len(self.inputs) if columns is None else len(columns)
        return part, keep, (3 if position_only else 6, n)

    def jacobian(self, rod: "int | str" = 0, s: float | None = None,
                 body: "int | str | None" = None, position_only: bool = False,
                 inputs: "Sequence[int | str] | None" = None) -> np.ndarray:
        """How a point of a rod, or a free body, answers to the inputs in equilibrium: (6,
        n_inputs), rows rotation (rad) and translation (m) in the world, columns in the order of
        `system.inputs`; `position_only` leaves the rows of translation, `inputs` the columns that it
        names, in its order."""
        part, keep, shape = self._jacobian_part(rod, s, body, position_only, inputs)
        J = np.zeros(shape)
        out = ffi.from_buffer("double[]", J) if J.size else ffi.new("double[6]")
        self._call(lib.td_get_jacobian_part, part, out)
        del keep
        return J

    def step_jacobian(self, dt: float, rod: "int | str" = 0, s: float | None = None,
                      body: "int | str | None" = None) -> tuple[np.ndarray, np.ndarray]:
        """Takes a step of dt (s), as `step` does, and tells how pose and velocity of the tip, of the point `s`
        of a rod or of a body at its end answer to the inputs then: (6, n_inputs) each, rotation and translation,
        angular and linear velocity, in the world. It is cheap for rods of cosserat without joints, with up to 8
        inputs."""
        if body is not None:
            at = {"body": self.system.index("body", body)}
        else:
            place = self.system.index("rod", rod)
            at = {"body": -1, "rod": place, "s": self._at(place, s)}
        index = tuple(at.values())
        if index not in self._tips:
            outputs = ffi.new("td_output[]", [{"quantity": lib.TD_OUTPUT_POSE, **at},
                                              {"quantity": lib.TD_OUTPUT_VELOCITY, **at}])
            err = ffi.new("td_error *")
            pointer = lib.td_linearisation_create(self.system._pointer, outputs, 2, err)
            if pointer == ffi.NULL:
                raise failure_of(err)
            self._tips[index] = ffi.gc(pointer, lib.td_linearisation_destroy)
        tip = self._tips[index]
        self._call(lib.td_differentiate_step_by_inputs, real(dt, "dt"), tip)
        D = lib.td_get_step_map(tip).D
        n = len(self.inputs)
        both = np.frombuffer(ffi.buffer(D, 8 * 12 * n)).reshape(12, n).copy() if n else np.zeros((12, 0))
        return both[:6], both[6:]

    def compliance(self, rod: "int | str" = 0, s: float | None = None,
                   load_rod: "int | str | None" = None, load_s: float | None = None,
                   body: "int | str | None" = None) -> np.ndarray:
        """How it answers to a wrench (moment, force) there or at `load_s` of `load_rod`: (6, 6)."""
        C = np.zeros((6, 6))
        out = ffi.from_buffer("double[]", C)
        if body is not None:
            self._call(lib.td_get_body_compliance, self.system.index("body", body), out)
            return C
        index = self.system.index("rod", rod)
        other = index if load_rod is None else self.system.index("rod", load_rod)
        place = self._at(index, s)
        same = load_rod is None and load_s is None
        self._call(lib.td_get_compliance, index, place, other,
                   place if same else self._at(other, load_s), out)
        return C

    def sensitivity(self, plus: System, minus: System, step: float, rod: "int | str" = 0,
                    s: float | None = None) -> np.ndarray:
        """How a point answers to a parameter: `plus` and `minus` are systems of the same robot
        with the parameter changed by + and - `step`. (6,)"""
        out, index = np.zeros(6), self.system.index("rod", rod)
        self._call(lib.td_get_sensitivity, plus._pointer, minus._pointer, step, index,
                   self._at(index, s), ffi.from_buffer("double[]", out))
        return out

    def stability(self) -> float:
        """Smallest eigenvalue of the second variation of the energy: 1 without load, 0 where
        stability is lost, negative beyond."""
        smallest = ffi.new("double *")
        self._call(lib.td_get_stability, smallest)
        return smallest[0]

    def reach(self, position: ArrayLike, orientation: ArrayLike | None = None, *,
              rod: "int | str" = 0, s: float | None = None, body: "int | str | None" = None,
              inputs: "Sequence[int | str] | None" = None, steps: int = 1) -> dict[str, float]:
        """Inverse statics: changes `inputs` (default: all) so that a point of a rod, or a free
        body, comes to `position` (m, world) in equilibrium, and to `orientation` (w, x, y, z) if
        given. Far targets: `steps` on the straight way there. Returns the inputs; state and
        inputs are at the answer."""
        target = ffi.new("td_target *")
        target.body = -1 if body is None else self.system.index("body", body)
        target.rod = self.system.index("rod", rod)
        target.s = self._at(target.rod, s)
        target.position_only = orientation is None
        start = self.pose(rod, s) if body is None else self.bodies[body].pose
        end = Pose(position, start.q if orientation is None else orientation)
        names: Sequence["int | str"] = self.system.inputs if inputs is None else inputs
        chosen = ffi.new("int[]", [self.system.index("input", name) for name in names])
        before = self.save()
        try:
            for k in range(1, steps + 1):
                _between(start, end, k / steps)._fill(target.pose, "pose")
                with warnings.catch_warnings():
                    if k < steps:  # a caveat on the way says nothing of the end
                        warnings.simplefilter("ignore", Caveat)
                    self._call(lib.td_solve_inverse, target, chosen, len(names))
        except Error:
            self.restore(before)
            raise
        return {self.system.inputs[i]: self.inputs[i] for i in chosen}

    # ------------------------------------------------------------ coordinates
    def _numbers(self, values: ArrayLike, n: int, what: str) -> tuple[Any, np.ndarray]:
        array = reals(values, what)
        if array.shape != (n,):
            raise ArgumentError(f"{what} has the shape {array.shape}; ({n},) is expected")
        return ffi.from_buffer("double[]", array), array

    def _n_coordinates(self) -> int:
        n = self.system.n_coordinates
        if n == 0:
            raise UnsupportedError("this spatial scheme has no coordinates; collocation has",
                                   "TD_ERR_UNSUPPORTED", self.system.model)
        return n

    def coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        """Generalised coordinates and their rates: docs/models/ says which."""
        n = self._n_coordinates()
        both = np.zeros((2, n))
        self._call(lib.td_get_coordinates, ffi.from_buffer("double[]", both[0]),
                   ffi.from_buffer("double[]", both[1]))
        return both[0], both[1]

    def set_coordinates(self, q: ArrayLike, rates: ArrayLike | None = None) -> None:
        """Puts the robot there; without rates at rest."""
        n = self._n_coordinates()
        q_pointer, q = self._numbers(q, n, "q")
        rate_pointer, kept = (ffi.NULL, None) if rates is None else self._numbers(rates, n, "rates")
        self._call(lib.td_set_coordinates, q_pointer, rate_pointer)

    def _inverse(self, function: Any, size: int, motion: Sequence[ArrayLike]) -> np.ndarray:
        n, out = self._n_coordinates(), np.zeros(max(size, 1))
        numbers = [self._numbers(values, n, what)
                   for values, what in zip(motion, ("q", "rates", "accelerations"))]
        self._call(function, *(pointer for pointer, _ in numbers), ffi.from_buffer("double[]", out),
                   stacklevel=5)
        return out[:size]

    def inverse_dynamics(self, q: ArrayLike, rates: ArrayLike,
                         accelerations: ArrayLike) -> np.ndarray:
        """Computed torque: the generalised forces that this motion needs under the present
        loads."""
        return self._inverse(lib.td_inverse_dynamics, self.system.n_coordinates,
                             (q, rates, accelerations))

    def inverse_efforts(self, q: ArrayLike, rates: ArrayLike,
                        accelerations: ArrayLike) -> np.ndarray:
        """The same as efforts of all actuators: tensions of tendons, then pressures of chambers."""
        size = lib.td_n_actuators(self.system._pointer)
        return self._inverse(lib.td_inverse_efforts, size, (q, rates, accelerations))

    def fit_shape(self, points: ArrayLike, rod: "int | str" = 0,
                  s: ArrayLike | None = None) -> float:
        """Puts a rod, at rest, where `points` (n, 3) on it were measured (m, world), at arc lengths
        `s` (n), or from base to tip by their distances. Returns the root mean square distance
        left, m. Of models that have it: rom."""
        table = reals(points, "points")
        if table.ndim != 2 or table.shape[1] != 3:
            raise ArgumentError(f"points have the shape {table.shape}; (n, 3) is expected")
        places, kept = (ffi.NULL, None) if s is None else self._numbers(s, len(table), "s")
        self._call(lib.td_fit_shape, self.system.index("rod", rod),
                   ffi.from_buffer("double[]", table), places, len(table))
        return self.stats.residual

    # ------------------------------------------------------------ small motions
    def linearise(self, outputs: Sequence[str] = ()) -> Linearisation:
        """Small motions about this state, in equilibrium or not; `outputs` by name, like "tip.pose",
        "rod.arm.50 %.velocity_x", "tendon.east.tension"."""
        return Linearisation(self, outputs)

    def modes(self, n: int | None = None, outputs: Sequence[str] = ()) -> list[Mode]:
        """The n slowest modes about this equilibrium, or all of them."""
        return Linearisation(self, outputs).modes(n)

    # ------------------------------------------------------------ snapshots
    # ------------------------------------------------------------ pictures
    def plot(self, ax: Any = None, n: int = 41, **more: Any) -> Any:
        """Draws the robot as it is now, rods with their true sections at `n` points, on a 3-D axes of matplotlib (a new one
        by default), and returns that; `color` is that of the rods."""
        from .drawing import plot_state
        return plot_state(self, ax, n, **more)

    def save(self) -> bytes:
        """Everything that decides the future of the trajectory."""
        buffer = bytearray(lib.td_snapshot_bytes(self.system._pointer))
        self._call(lib.td_state_save, ffi.from_buffer(buffer), len(buffer))
        return bytes(buffer)

    def restore(self, snapshot: bytes) -> None:
        """Back to what `save` returned, to the bit; also of another state of the same system."""
        size = lib.td_snapshot_bytes(self.system._pointer)
        if len(snapshot) != size:
            raise ArgumentError(f"the snapshot has {len(snapshot)} bytes, but those of this system "
                                f"have {size}: it is of another robot, or not whole")
        self._call(lib.td_state_restore, ffi.from_buffer(snapshot), len(snapshot))

    def copy(self) -> "State":
        """A second state that continues from here."""
        twin = State(self.system)
        twin.restore(self.save())
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "State":
        return self.copy()

    def __reduce__(self) -> Any:
        return _state_of, (self.system, self.save())

    def __repr__(self) -> str:
        return f"<State of {self.system.name!r} at t = {self.time:g} s>"


def _state_of(system: System, snapshot: bytes) -> State:
    state = State(system)
    state.restore(snapshot)
    return state


def steps_of(n: int) -> int:
    """How many steps one call takes: none or more."""
    if n < 0:
        raise ArgumentError(f"n = {n} steps must not be negative")
    return n


def _between(a: Pose, b: Pose, x: float) -> Pose:
    """On the straight way from a to b: places linearly, turning at a constant rate."""
    p = a.p + x * (b.p - a.p)
    cosine = float(np.dot(a.q, b.q))
    q = b.q if cosine >= 0 else -b.q
    angle = np.arccos(min(1.0, abs(cosine)))
    if angle < 1e-8:
        return Pose(p, b.q)
    return Pose(p, (np.sin((1 - x) * angle) * a.q + np.sin(x * angle) * q) / np.sin(angle))
