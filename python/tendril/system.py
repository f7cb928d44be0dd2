"""A robot compiled under one model."""
from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Sequence

from ._core import ffi, lib
from .actuators import KINDS, Kind, listing, names_in
from .errors import ArgumentError, expect, failure_of, text
from .fields import unknown
from .given import keywords
from .models import models
from .options import Options
from .robot import Robot, _robot_of

if TYPE_CHECKING:
    from .linear import Linearisation
    from .state import State

_KINDS = {"rod": "rods", "body": "bodies", "input": "inputs", "obstacle": "obstacles",
          "contact": "contacts", "sensor": "sensors",
          "controller": "controllers"}


@listing(lambda system, word: system._names[word])
class System:
    """A robot compiled under one model: it never changes, and any number of states and threads
    share it.

    `System(robot)` takes the robot's own options; `model` and further options override them:
    `System(robot, model="eba", lumped={"segments": 8}, tolerance=1e-8)`.
    """

    @keywords("td_options")
    def __init__(self, robot: Robot, model: str | None = None, options: Options | None = None,
                 **changes: Any) -> None:
        expect(robot, Robot, name="robot")
        chosen = (options or robot.options).copy()
        if model is not None:
            if model not in models():
                raise unknown("model", model, list(models()))
            changes = {**changes, "model": model}
        chosen.update(**changes)
        err = ffi.new("td_error *")
        pointer = lib.td_system_create(robot._pointer, chosen._struct, err)
        if pointer == ffi.NULL:
            raise failure_of(err)
        self._pointer = ffi.gc(pointer, lib.td_system_destroy)
        self._names = {kind: _names(pointer, kind, plural) for kind, plural in _KINDS.items()}
        self._names |= names_in(pointer)
        self.name: str = robot.name
        self._recipe, self._chosen = copy.deepcopy(robot._recipe()), chosen

    @property
    def robot(self) -> Robot:
        """The robot as it was compiled: a copy."""
        return _robot_of(*copy.deepcopy(self._recipe))

    def __copy__(self) -> "System":
        return self  # it never changes

    def __deepcopy__(self, memo: Any) -> "System":
        return self

    def __reduce__(self) -> Any:
        return _system_of, (self._recipe, self._chosen)

    @property
    def options(self) -> Options:
        """The options as they were compiled; read only."""
        return Options(lib.td_system_options(self._pointer)[0], frozen=True)

    @property
    def model(self) -> str:
        """The model's name."""
        return self.options.model

    @property
    def notes(self) -> list[str]:
        """What the model only approximates in this robot, in words with its place first."""
        found: list[str] = []
        while (note := lib.td_system_note(self._pointer, len(found))) != ffi.NULL:
            found.append(text(note))
        return found

    @property
    def rods(self) -> list[str]:
        """Names of the rods."""
        return list(self._names["rod"])

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, riding and free."""
        return list(self._names["body"])

    @property
    def obstacles(self) -> list[str]:
        """Names of the obstacles."""
        return list(self._names["obstacle"])

    @property
    def contacts(self) -> list[str]:
        """Names of the contacts between parts."""
        return list(self._names["contact"])

    @property
    def sensors(self) -> list[str]:
        """Names of the sensors."""
        return list(self._names["sensor"])

    @property
    def controllers(self) -> list[str]:
        """Names of the controllers."""
        return list(self._names["controller"])

    def controller_inputs(self, controller: "int | str") -> list[str]:
        """Names of the inputs that a controller adds to."""
        index = self.index("controller", controller)
        found = ffi.new("int[]", lib.td_controller_inputs(self._pointer, index, ffi.NULL))
        lib.td_controller_inputs(self._pointer, index, found)
        return [self._names["input"][i] for i in found]

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs, in the order of columns of Jacobians."""
        return list(self._names["input"])

    @property
    def units(self) -> dict[str, str]:
        """The unit of each input."""
        return {name: text(lib.td_input_unit(self._pointer, i))
                for i, name in enumerate(self._names["input"])}

    @property
    def n_coordinates(self) -> int:
        """How many generalised coordinates the model has; 0: it offers none."""
        return lib.td_n_coordinates(self._pointer)

    @property
    def coordinates(self) -> list[str]:
        """Names of the generalised coordinates: "rod.arm.node3.curvature_x"."""
        return [text(lib.td_coordinate_name(self._pointer, i)) for i in range(self.n_coordinates)]

    @property
    def coordinate_units(self) -> list[str]:
        """Their units; "1": none. Rates are in these per second."""
        return [text(lib.td_coordinate_unit(self._pointer, i)) for i in range(self.n_coordinates)]

    @property
    def state_bytes(self) -> int:
        """Memory that one state takes."""
        return lib.td_state_bytes(self._pointer)

    def length(self, rod: "int | str" = 0) -> float:
        """The length of a rod at rest, m."""
        return lib.td_rod_length(self._pointer, self.index("rod", rod))

    def growing(self, rod: "int | str" = 0) -> tuple[float, float]:
        """The stretch of a rod at rest, m, that gets longer when it is fed; none, both at the tip, of others."""
        ends = ffi.new("double[2]")
        lib.td_rod_growing(self._pointer, self.index("rod", rod), ends)
        return ends[0], ends[1]

    def tip_held(self, rod: "int | str" = 0) -> bool:
        """Is the tip of a rod held by a body or the world?"""
        return lib.td_rod_tip_held(self._pointer, self.index("rod", rod))

    def index(self, kind: str, name: "int | str") -> int:
        """The index of a part: kind is rod, body, input, obstacle, contact, sensor, controller, or a kind of actuator: tendon, chamber."""
        names = self._names[kind]
        if isinstance(name, str):
            if name not in names:
                raise unknown(kind, name, names)
            return names.index(name)
        if not 0 <= name < len(names):
            raise unknown(kind, name, [f"{i} ({known})" for i, known in enumerate(names)])
        return int(name)

    def _actuator(self, kind: Kind, name: "int | str") -> int:
        """The index of an actuator among all of them."""
        before = KINDS[:KINDS.index(kind)]
        return self.index(kind.word, name) + sum(len(self._names[k.word]) for k in before)

    def state(self) -> "State":
        """A new state: a trajectory of its own. The same as `State(system)`."""
        from .state import State
        return State(self)

    def linearise(self, state: "State", outputs: Sequence[str] = ()) -> "Linearisation":
        """Small motions about a state of this system. The same as `state.linearise(outputs)`."""
        if state.system is not self:
            raise ArgumentError("the state is of another system")
        return state.linearise(outputs)

    def __repr__(self) -> str:
        return f"<System {self.name!r} under {self.model}>"


def _system_of(recipe: Any, options: Options) -> System:
    return System(_robot_of(*recipe), options=options)


def _names(pointer: Any, kind: str, plural: str) -> list[str]:
    count, name = getattr(lib, f"td_n_{plural}"), getattr(lib, f"td_{kind}_name")
    return [text(name(pointer, i)) for i in range(count(pointer))]
