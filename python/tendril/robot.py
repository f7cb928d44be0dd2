"""The description of a robot: from a file, or built in code."""
from __future__ import annotations

import copy
import json
import os
from functools import wraps
from typing import Any, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._core import ffi, lib
from .actuators import KINDS, PLURALS, listing
from .errors import ArgumentError, OutOfMemoryError, failure_of, text
from .fields import fields_of, owned, unknown, write
from .geometry import quaternion_along
from .given import encoded, keywords, real, reals
from .options import Options, Scenario, _options_of, plain  # pickles may name _options_of here
from .signals import Signal, as_signal

_MODES = {"bending": (0, 1), "bending_x": (0,), "bending_y": (1,), "torsion": (2,),
          "shear": (3, 4), "shear_x": (3,), "shear_y": (4,), "extension": (5,)}
# What a piece takes beside the fields of its struct.
_PIECE = ("radius", "inner_radius", "width", "height", "poisson_ratio")


class Drive:
    """A number that an input drives: value + gain * input. Made by arithmetic with an input:
    `2 * pull + 0.5`."""

    __slots__ = ("value", "gain", "input")

    def __init__(self, value: float, gain: float, input: int) -> None:
        self.value, self.gain = real(value, "value"), real(gain, "gain")
        self.input = int(input)

    def __mul__(self, factor: float) -> "Drive":
        return Drive(self.value * factor, self.gain * factor, self.input)

    def __add__(self, constant: float) -> "Drive":
        return Drive(self.value + constant, self.gain, self.input)

    def __sub__(self, constant: float) -> "Drive":
        return self + -constant

    def __rsub__(self, constant: float) -> "Drive":
        return -self + constant

    def __neg__(self) -> "Drive":
        return self * -1.0

    __rmul__ = __mul__
    __radd__ = __add__

    def _fill(self, target: Any, what: str) -> None:
        target.value, target.gain, target.input = self.value, self.gain, self.input

    def __repr__(self) -> str:
        return f"Drive({self.value:g} + {self.gain:g} * input {self.input})"


def _input_of(word: str, given: Any) -> Any:
    """The number of an actuator's input by its word in files."""
    kind = next(kind for kind in KINDS if kind.word == word)
    names = [quantity.name for quantity in kind.inputs]
    if not isinstance(given, str):
        return given
    if given not in names:
        raise unknown(f"input of a {word}", given, names)
    return names.index(given)


def _building(method: Any) -> Any:
    """Notes down a call that builds, so that a copy can be built the same way. Calls within
    such a call are part of it."""

    @wraps(method)
    def call(self: "Robot", *arguments: Any, **given: Any) -> Any:
        outer, self._inside = self._inside, True
        try:
            answer = method(self, *arguments, **given)
        finally:
            self._inside = outer
        if not outer:
            self._built.append(copy.deepcopy((method.__name__, arguments, given)))
        return answer

    return call


_PARTS = ("input", "rod", "body", *(kind.word for kind in KINDS))


@listing(lambda robot, word: robot._names(word))
class Robot:
    """What is there: rods, bodies, tendons, chambers, loads, and the inputs that drive them.

    `Robot.load("arm.yaml")` reads a file; `Robot("arm")` is empty, and the `add_*` methods fill
    it. What a part names comes before it: inputs, free bodies, the rods that they hold, what
    rods carry. Parts are named by their names or by the indices that `add_*` return. SI units;
    frames and signs as in docs/conventions.md. `options` and `scenario` are what `System` and
    `run` start from.
    """

    @keywords()
    def __init__(self, name: str = "", gravity: Sequence[Any] | None = None) -> None:
        pointer = lib.td_robot_create()
        self._take(pointer, {kind: [] for kind in _PARTS})
        self._name = name
        if name:
            self._set(lib.td_robot_set_name, encoded(name, "name"))
        if gravity is not None:
            self.set_gravity(gravity)

    def _take(self, pointer: Any, names: dict[str, list[str]] | None) -> None:
        if pointer == ffi.NULL:
            raise OutOfMemoryError("out of memory for a robot", "TD_ERR_MEMORY")
        self._pointer = ffi.gc(pointer, lib.td_robot_destroy)
        self._known = names  # None: read from a file, not asked for yet
        self._built: list[Any] = []  # calls that built it, after what was read
        self._inside = False
        self._name = ""
        self._lengths: list[float] = []
        self.options = Options(lib.td_robot_options(pointer))
        self.scenario = Scenario(lib.td_robot_scenario(pointer))

    # ------------------------------------------------------------ files
    @classmethod
    def load(cls, path: "str | os.PathLike[str]", set: Mapping[str, Any] | None = None) -> "Robot":
        """Reads a robot file. `set` overrides values by path, as `--set` does on the command line:
        `Robot.load("arm.yaml", set={"rods.arm.length": "0.3 m", "gravity": [0, 0, 0]})`."""
        file = os.fsencode(path)
        if b"\0" in file:
            raise ArgumentError(f"path = {path!r}: a NUL in it would cut it short")
        return cls._read(lambda sets, n, err: lib.td_robot_load(file, sets, n, err), set)

    @classmethod
    def parse(cls, source: "str | bytes", set: Mapping[str, Any] | None = None,
              name: str = "robot.yaml") -> "Robot":
        """Reads a robot from the text of a file; `name` stands for the file in messages."""
        data = source if isinstance(source, bytes) else source.encode()
        stands = encoded(name, "name")
        return cls._read(lambda sets, n, err: lib.td_robot_parse(data, len(data), stands, sets, n,
                                                                 err), set)

    @classmethod
    def _read(cls, call: Any, overrides: Mapping[str, Any] | None) -> "Robot":
        if overrides is not None and not isinstance(overrides, Mapping):
            raise ArgumentError('set: a mapping of paths to values is expected, e.g. '
                                '{"rods.arm.length": "0.3 m"}')
        texts = [ffi.new("char[]", encoded(f"{path}={_yaml(value)}", "set"))
                 for path, value in (overrides or {}).items()]
        sets, err = ffi.new("const char *[]", texts), ffi.new("td_error *")
        pointer = call(sets, len(texts), err)
        if pointer == ffi.NULL:
            raise failure_of(err)
        robot = cls.__new__(cls)
        robot._take(pointer, None)
        return robot

    @property
    def source(self) -> str:
        """The text it was read from with every override in it; "" for one built in code."""
        return text(lib.td_robot_source(self._pointer))

    @property
    def text(self) -> str:
        """The robot as the text of a file, whether it was read or built in code, with its
        `options` and `scenario` as they are now."""
        err = ffi.new("td_error *")
        written = lib.td_robot_write(self._pointer, self.options._struct, self.scenario._struct,
                                     err)
        if written == ffi.NULL:
            raise failure_of(err)
        return text(ffi.gc(written, lib.td_free_text))

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes it as a file, from which `load` reads the same robot; inputs that drive nothing
        are left out, and the others numbered by their first use in the file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    # ------------------------------------------------------------ copies
    def _recipe(self) -> tuple[Any, ...]:
        """All that a second one is made from."""
        return (self.source, self._name, tuple(self._built), plain(self.options),
                plain(self.scenario))

    def copy(self) -> "Robot":
        """A robot that is the same and can be changed by itself."""
        return _robot_of(*copy.deepcopy(self._recipe()))

    def __copy__(self) -> "Robot":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "Robot":
        return self.copy()

    def __reduce__(self) -> Any:
        return _robot_of, self._recipe()

    # ------------------------------------------------------------ looking
    @property
    def name(self) -> str:
        """Its name."""
        return text(lib.td_robot_name(self._pointer))

    @property
    def inputs(self) -> list[str]:
        """Names of its inputs."""
        return list(self._names("input"))

    @property
    def rods(self) -> list[str]:
        """Names of its rods."""
        return list(self._names("rod"))

    @property
    def bodies(self) -> list[str]:
        """Names of its bodies, riding and free."""
        return list(self._names("body"))

    def plot(self, ax: Any = None, model: str | None = None, **more: Any) -> Any:
        """Draws the robot where its run begins: `State.plot`."""
        from .system import System
        state = System(self, model).state()
        state.begin()
        return state.plot(ax, **more)

    def __repr__(self) -> str:
        counts = [(getattr(lib, f"td_robot_n_{kind}")(self._pointer), kind)
                  for kind in ("rods", "bodies", *PLURALS, "loads", "inputs")]
        inside = ", ".join(f"{n} {kind}" for n, kind in counts if n)
        return f"<Robot {self.name!r}: {inside or 'empty'}>"

    def _names(self, kind: str) -> list[str]:
        if self._known is None:
            from .system import System
            system = System(self)
            self._known = {kind: list(system._names[kind]) for kind in _PARTS}
            self._lengths = [system.length(rod) for rod in system.rods]
        return self._known[kind]

    def _index(self, kind: str, name: Any) -> int:
        if not isinstance(name, str):
            return int(name)
        names = self._names(kind)
        if name not in names:
            raise unknown(kind, name, names)
        return names.index(name)

    def _place(self, rod: int, place: Any) -> float:
        if not isinstance(place, str):
            return real(place, "place")
        self._names("rod")
        places = {"base": 0.0, "tip": self._lengths[rod] if rod < len(self._lengths) else 0.0}
        if place not in places:
            raise unknown("place on a rod", place, list(places))
        return places[place]

    # ------------------------------------------------------------ building
    def _set(self, call: Any, *arguments: Any) -> None:
        err = ffi.new("td_error *")
        if call(self._pointer, *arguments, err) < 0:
            raise failure_of(err)

    def _add(self, kind: str, call: Any, definition: Any, name: str) -> int:
        err = ffi.new("td_error *")
        index = call(self._pointer, definition, err)
        if index < 0:
            raise failure_of(err)
        if self._known is not None and kind in self._known:
            self._known[kind].append(name)
        return index

    def _add_actuator(self, word: str, definition: Any, name: str, value: Any) -> int:
        kind = next(kind for kind in KINDS if kind.word == word)
        which = getattr(definition, "input", 0)  # some have one input alone
        known = 0 <= which < len(kind.inputs)
        unit = kind.inputs[which].unit if known else ""
        owner = f"{kind.plural}.{name}"
        self._fill(definition, owner, {"value": self._effort(name, value, unit)})
        return self._add(word, getattr(lib, f"td_robot_add_{word}"), definition, name)

    def _number(self, value: Any) -> Any:
        return Drive(0.0, 1.0, self._index("input", value)) if isinstance(value, str) else value

    def _resolved(self, ctype: Any, name: str, value: Any) -> Any:
        """Names of inputs become drives where the struct has a number that an input may drive."""
        field = fields_of(ctype).get(name)
        number = ffi.typeof("td_number")
        if field and field.type is number:
            return self._number(value)
        if field and field.type.kind == "array" and field.type.item is number:
            return [self._number(item) for item in value]
        return value

    def _fill(self, struct: Any, what: str, values: Mapping[str, Any]) -> None:
        ctype = ffi.typeof(struct)
        ctype = ctype.item if ctype.kind == "pointer" else ctype
        for name, value in values.items():
            write(struct, name, self._resolved(ctype, name, value), what)

    @_building
    def set_gravity(self, gravity: Sequence[Any]) -> None:
        """Gravity, m/s^2 in the world; (0, 0, -9.81) by default. An input may drive it."""
        numbers = ffi.new("td_number[3]")
        holder = [self._number(item) for item in gravity]
        for target, value in zip(numbers, holder):
            if isinstance(value, Drive):
                value._fill(target, "gravity")
            else:
                target.value = real(value, "gravity")
        self._set(lib.td_robot_set_gravity, numbers)

    @_building
    def set_limits(self, input: "int | str", low: float = 0.0, high: float = 0.0,
                   rate: float = 0.0) -> None:
        """What is computed for an input, by inverse statics and controllers, stays between low and high (SI; equal:
        anywhere) and changes no faster than `rate` (per s; 0: any)."""
        self._set(lib.td_robot_set_limits, self._index("input", input), real(low, "low"),
                  real(high, "high"), real(rate, "rate"))

    @_building
    @keywords()
    def set_initial(self, coordinates: "Mapping[str, float] | None" = None,
                    velocities: "Mapping[str, float] | None" = None,
                    motion: "Mapping[str, Sequence[float]] | None" = None) -> None:
        """Where a motion starts (`state.begin()`), on top of simulation.start: coordinates of the model
        and their rates, SI, by the names of `system.coordinates`, in which `*` stands for any letters:
        {"rod.arm.node*.curvature_x": 2.0}. motion: of a robot that nothing joins to the world, linear (m/s), angular (rad/s)
        and about (m), three numbers each: all of it moves as one rigid body."""
        if motion is not None:
            known = ("linear", "angular", "about")
            for key in motion:
                if key not in known:
                    raise ArgumentError(f"initial.motion: unknown key '{key}'; there are {', '.join(known)}")
            vectors = [ffi.new("double[3]", [real(x, f"initial.motion.{key}") for x in motion.get(key, (0.0, 0.0, 0.0))])
                       for key in known]
            self._set(lib.td_robot_set_initial_motion, *vectors)
        for values, function, what in ((coordinates, lib.td_robot_set_initial, "coordinates"),
                                       (velocities, lib.td_robot_set_initial_rate, "velocities")):
            for name, value in (values or {}).items():
                self._set(function, encoded(name, f"initial.{what}"),
                          real(value, f"initial.{what}.{name}"))

    @_building
    @keywords()
    def add_input(self, name: str, unit: str = "", signal: "Signal | float" = 0.0) -> Drive:
        """An input: a name that numbers in parts refer to, its SI unit for people, and the
        signal that a run follows (see `tendril.signals`). Returns it for arithmetic: `2 * pull +
        0.5`."""
        definition = ffi.new("td_input_def *")
        texts = [ffi.new("char[]", encoded(name, "name")), ffi.new("char[]", encoded(unit, "unit"))]
        definition.name, definition.unit = texts
        kept = as_signal(signal)
        kept._fill(definition.signal, "signal")
        return Drive(0.0, 1.0, self._add("input", lib.td_robot_add_input, definition, name))

    # ------------------------------------------------------------ rods
    @_building
    @keywords("td_piece_def", also=_PIECE)
    def add_rod(self, name: str, *, length: float | None = None,
                pieces: Sequence[Mapping[str, Any]] | None = None,
                base: Mapping[str, Any] | None = None, tip: Mapping[str, Any] | None = None,
                feed: Any = 0.0, tube: Mapping[str, Any] | None = None, envelope: float = 0.0,
                mean_stretch: bool = False, feed_at_tip: bool = False, **properties: Any) -> int:
        """A rod of one piece with this `length` and these properties, or of several `pieces`,
        mappings of length and properties each; a property given here holds for all of them.

        Properties are the fields of `td_piece_def`: youngs_modulus, shear_modulus (or
        poisson_ratio), density, damping_time, drag, rest_curvature, ... The section is `radius` and
        `inner_radius`, `width` and `height`, or `section` and `section_end` with such keys;
        `stiffness` and `damping` are six numbers or {"bending": ..., "torsion": ..., "shear": ...,
        "extension": ...}. A `stiffness` of six rows of six couples modes. `law` is "hookean",
        "neo-hookean", "rubber" (`mooney_share`) or "superelastic" (`superelastic`, {"martensite_modulus":
        ..., "forward": [...], "backward": [...], "strain": ...}); `hysteresis` {"moment": ...,
        "curvature": ..., "exponent": ..., "shape": ...} rubs as it bends; `relaxation` {"shares": [...], "times": [...]} is a Prony series of the
        moduli, which are those of long times; with mean_stretch sections and chambers follow the mean stretch of the rod.

        base: "free" (nothing holds it), or position, one of direction, orientation (quaternion) and rotation; body (a free one
        that it stands on), joint, axis, axis2, spring (stiffness, damping, rest). tip: the same, where it is held; without it the
        tip is free. feed: m, how far it is pushed out of its base, or, with feed_at_tip, grown at its tip.

        tube: of concentric tubes, which share a centre line: within (the rod that it runs in),
        rotation and translation of its back end (rad, m; an input may drive them), friction
        against that rod and slip_rate about which it becomes full. Model "tubes".
        """
        owner = f"rods.{name}"
        if (length is None) == (pieces is None):
            raise ArgumentError(f"{owner}: give either length or pieces")
        parts: list[Mapping[str, Any]] = [{"length": length}] if pieces is None else list(pieces)
        array = ffi.new("td_piece_def[]", max(len(parts), 1))
        for struct, part in zip(array, parts):
            self._fill_piece(struct, owner, {**properties, **part})
        definition, kept = self._named(lib.td_default_rod_def(), "td_rod_def", name)
        definition.pieces, definition.n_pieces = array, len(parts)
        self._fill(definition, owner, {"feed": feed, "envelope": envelope,
                                       "mean_stretch": mean_stretch, "feed_at_tip": feed_at_tip})
        if base is not None:
            self._fill_end(definition.base, f"{owner}.base", {"joint": base} if base == "free" else base)
        if tip is not None:
            self._fill_end(definition.tip, f"{owner}.tip", tip)
            definition.tip.held = True
        if tube is not None:
            values = dict(tube)
            if "within" in values:
                within = values["within"]
                values["within"] = -1 if within is None else self._index("rod", within)
            self._fill(definition.tube, f"{owner}.tube", values)
        index = self._add("rod", lib.td_robot_add_rod, definition, name)
        self._lengths.append(sum(piece.length for piece in array[0:len(parts)]))
        return index

    def _fill_piece(self, struct: Any, owner: str, values: dict[str, Any]) -> None:
        default = lib.td_default_piece_def()
        ffi.memmove(ffi.addressof(struct), ffi.addressof(default), ffi.sizeof("td_piece_def"))
        values = dict(values)
        plain = {key: values.pop(key) for key in _PIECE[:4] if key in values}
        if plain:
            values["section"] = {**values.get("section", {}), **plain}
        ratio = values.pop("poisson_ratio", None)
        if ratio is not None:
            values.setdefault("shear_modulus", values["youngs_modulus"] / (2.0 * (1.0 + ratio)))
        if np.ndim(values.get("stiffness")) == 2:
            values["stiffness_matrix"] = np.ravel(values.pop("stiffness"))
        if isinstance(values.get("relaxation"), Mapping):
            values["relaxation"] = {key: _series(f"{owner}.relaxation.{key}", items)
                                    for key, items in values["relaxation"].items()}
        for key in ("stiffness", "damping"):
            if isinstance(values.get(key), Mapping):
                values[key] = _modes(f"{owner}.{key}", values[key])
        for key in ("section", "section_end"):
            if isinstance(values.get(key), Mapping):
                values[key] = {"shape": _shape(values[key]), **values[key]}
        self._fill(struct, owner, values)

    def _fill_end(self, struct: Any, what: str, values: Mapping[str, Any]) -> None:
        values = dict(values)
        if "direction" in values:
            values["orientation"] = quaternion_along(values.pop("direction"))
        if "quaternion" in values:  # the word of the file
            values["orientation"] = values.pop("quaternion")
        if "body" in values:
            body = values["body"]
            values["body"] = lib.TD_WORLD if body in (None, "world") else self._index("body", body)
        self._fill(struct, what, values)

    # ------------------------------------------------------------ what rods carry
    def _span(self, rod: int, start: Any, end: Any) -> dict[str, float]:
        return {"from": self._place(rod, start), "to": self._place(rod, end)}

    def _effort(self, name: str, value: Any, unit: str) -> Any:
        """What drives an actuator: what is given, or an input of the actuator's own name."""
        if value is not None:
            return value
        if name in self._names("input"):
            return name
        return self.add_input(name, unit)

    def _named(self, default: Any, ctype: str, name: str) -> tuple[Any, Any]:
        definition, kept = owned(ctype, default), ffi.new("char[]", encoded(name, "name"))
        definition.name = kept
        return definition, kept

    @_building
    @keywords("td_body_def")
    def add_body(self, name: str, *, rod: "int | str | None" = None, at: "float | str" = "tip",
                 mass: float = 0.0, held: "Mapping[str, Any] | None" = None,
                 **properties: Any) -> int:
        """A rigid body: it rides on `rod` at arc length `at` (m, "base" or "tip"), or without a
        rod it is free, to be held by ends of rods. Properties are the fields of `td_body_def`:
        inertia, products, centre, attached (an input may drive it), radius, height; of a free one
        position and orientation. held: of a free one, how the world, or another body, holds it, as the tip of a
        rod; inputs may drive its position and rotation."""
        definition, kept = self._named(lib.td_default_body_def(), "td_body_def", name)
        index = -1 if rod is None else self._index("rod", rod)
        place = {} if rod is None else {"at": self._place(index, at)}
        self._fill(definition, f"bodies.{name}",
                   {"rod": index, "mass": mass, **place, **properties})
        if held is not None:
            self._fill_end(definition.hold, f"bodies.{name}.held", held)
            definition.hold.held = True
        return self._add("body", lib.td_robot_add_body, definition, name)

    @_building
    @keywords("td_tendon_def")
    def add_tendon(self, name: str, *, rod: "int | str" = 0, offset: ArrayLike | None = None,
                   offset_end: ArrayLike | None = None, start: "float | str" = "base",
                   end: "float | str" = "tip", helix: Mapping[str, float] | None = None,
                   points: ArrayLike | None = None, polar: ArrayLike | None = None,
                   input: str = "tension", value: Any = None,
                   **properties: Any) -> int:
        """A tendon along `rod` from `start` to `end`, parallel at `offset` (m, local x and y) or
        on the line to `offset_end`; or `helix={"radius": , "turns": , "phase": }`; or through
        `points` (n, 3), rows of s, x, y; or through `polar` points (n, 3), rows of s, distance
        from the axis, angle (rad). input: "tension" (N) or "displacement" (m) is given,
        or what its motor is told, "torque", "current", "voltage", "speed" or "angle",
        with `motor={"travel": 0.006, "inertia": 1e-6, ...}`, the fields of `td_motor_def`;
        `value` gives it: a number, an input's name, a drive; without it an input of the tendon's
        own name does. Properties are the fields of `td_tendon_def`: stiffness, friction,
        compliance, pretension, pushes, ..."""
        definition, kept = self._named(lib.td_default_tendon_def(), "td_tendon_def", name)
        index, owner = self._index("rod", rod), f"tendons.{name}"
        values: dict[str, Any] = {"rod": index, "input": _input_of("tendon", input),
                                  **self._span(index, start, end)}
        table = None
        if helix is not None:
            values |= dict(helix, routing="helix")
        elif points is not None or polar is not None:
            routing, rows = ("points", points) if polar is None else ("polar", polar)
            table = reals(rows, f"{owner}.{routing}").reshape(-1, 3)
            values |= {"routing": routing, "from": table[0, 0], "to": table[-1, 0]}
            definition.points, definition.n_points = ffi.from_buffer("double[]", table), len(table)
        elif offset is None:
            raise ArgumentError(f"{owner}: give one of offset, helix, points and polar")
        else:
            values |= {"offset": offset, "offset_end": offset if offset_end is None else offset_end}
        self._fill(definition, owner, {**values, **properties})
        return self._add_actuator("tendon", definition, name, value)

    @_building
    @keywords("td_chamber_def")
    def add_chamber(self, name: str, *, rod: "int | str" = 0, offset: ArrayLike = (0.0, 0.0),
                    radius: float = 0.0, area: float = 0.0, start: "float | str" = "base",
                    end: "float | str" = "tip", input: str = "pressure", value: Any = None,
                    **properties: Any) -> int:
        """A chamber along `rod` with its centre at `offset`, of this `radius` or `area`. input:
        "pressure" (Pa above the atmosphere), "volume" (m^3 of a liquid) or "amount" (mol of a
        gas) is given by `value`, as for tendons; or "opening", with `valve={"supply": , ...}`, the
        fields of `td_valve_def`, or what a pump is told, as the motor of a tendon. Properties:
        temperature (K), atmosphere (Pa), compliance (m^3/Pa, of tubes with a liquid), path_volume."""
        definition, kept = self._named(lib.td_default_chamber_def(), "td_chamber_def", name)
        index, owner = self._index("rod", rod), f"chambers.{name}"
        self._fill(definition, owner,
                   {"rod": index, "offset": offset, "radius": radius, "area": area,
                    "input": _input_of("chamber", input),
                    **self._span(index, start, end), **properties})
        return self._add_actuator("chamber", definition, name, value)

    @_building
    @keywords("td_muscle_def")
    def add_muscle(self, name: str, *, rod: "int | str" = 0, curvature: ArrayLike = (0.0, 0.0, 0.0),
                   stretch: ArrayLike = (0.0, 0.0, 0.0), start: "float | str" = "base",
                   end: "float | str" = "tip", value: Any = None) -> int:
        """A muscle along `rod`: its activation, which `value` gives as for tendons, times `curvature` (1/m) and
        `stretch` is added to the curvature and stretch of the rod at rest."""
        definition, kept = self._named(lib.td_default_muscle_def(), "td_muscle_def", name)
        index, owner = self._index("rod", rod), f"muscles.{name}"
        self._fill(definition, owner, {"rod": index, "curvature": curvature, "stretch": stretch,
                                       **self._span(index, start, end)})
        return self._add_actuator("muscle", definition, name, value)

    @_building
    @keywords("td_temperature_def")
    def add_temperature(self, name: str, *, rod: "int | str" = 0, at_rest: float = 293.15,
                        expansion: float = 0.0, curvature: ArrayLike = (0.0, 0.0, 0.0),
                        moduli: "ArrayLike | None" = None, start: "float | str" = "base",
                        end: "float | str" = "tip", value: Any = None) -> int:
        """The temperature (K) of `rod`, which `value` gives as for tendons: what it is above `at_rest` times
        `expansion` (1/K, along the axis) and `curvature` (1/(m K)) is added to the shape at rest, and the stiffness
        follows the table `moduli` of temperatures (K) and Young's moduli (Pa)."""
        definition, kept = self._named(lib.td_default_temperature_def(), "td_temperature_def", name)
        index, owner = self._index("rod", rod), f"temperatures.{name}"
        if moduli is not None:
            table = reals(moduli, f"{owner}.moduli").reshape(-1, 2)
            definition.moduli, definition.n_moduli = ffi.from_buffer("double[]", table), len(table)
        self._fill(definition, owner, {"rod": index, "at_rest": at_rest, "expansion": expansion,
                                       "curvature": curvature, **self._span(index, start, end)})
        return self._add_actuator("temperature", definition, name, value)

    @_building
    @keywords("td_stiffener_def")
    def add_stiffener(self, name: str, *, rod: "int | str" = 0, start: "float | str" = "base",
                      end: "float | str" = "tip", value: Any = None) -> int:
        """What changes the stiffness of `rod`: 1 and what `value` gives, as for tendons, times what it is."""
        definition, kept = self._named(lib.td_default_stiffener_def(), "td_stiffener_def", name)
        index, owner = self._index("rod", rod), f"stiffeners.{name}"
        self._fill(definition, owner, {"rod": index, **self._span(index, start, end)})
        return self._add_actuator("stiffener", definition, name, value)

    @_building
    @keywords("td_joint_motor_def")
    def add_joint_motor(self, name: str, *, stiffness: float, motor: "Mapping[str, Any]",
                        rod: "int | str" = 0, end: str = "base", body: "int | str | None" = None,
                        input: str = "torque", value: Any = None) -> int:
        """A motor that turns or slides the `end` of `rod`, "base" or "tip", or a `body`, in its revolute or prismatic joint,
        through a shaft of `stiffness` (N m/rad). input: what `value` gives, as for tendons: "torque", "current",
        "voltage", "speed" or "angle". motor: the fields of `td_motor_def`; `travel` is how far a joint slides for
        each radian (m/rad)."""
        definition, kept = self._named(lib.td_default_joint_motor_def(), "td_joint_motor_def", name)
        owner = f"joint_motors.{name}"
        ends = ("base", "tip")
        if end not in ends:
            raise unknown("end of a rod", end, list(ends))
        self._fill(definition, owner,
                   {"rod": self._index("rod", rod) if body is None else -1, "end": ends.index(end),
                    "body": 0 if body is None else self._index("body", body), "motor": motor,
                    "input": _input_of("joint_motor", input), "stiffness": stiffness})
        return self._add_actuator("joint_motor", definition, name, value)

    @_building
    @keywords()
    def add_load(self, name: str, *, rod: "int | str | None" = None,
                 body: "int | str | None" = None, at: "float | str" = "tip",
                 over: "tuple[Any, Any] | None" = None,
                 force: Sequence[Any] = (0, 0, 0), moment: Sequence[Any] = (0, 0, 0),
                 frame: str = "world") -> int:
        """A force (N) and moment (N m) on `rod` at arc length `at`, or on a free `body`; with
        over=(start, end) distributed between two places, per metre. frame: "world" keeps its
        direction, "body" turns with the section. Inputs may drive every number."""
        definition, kept = self._named(lib.td_default_load_def(), "td_load_def", name)
        owner = f"loads.{name}"
        values: dict[str, Any] = {"force": force, "moment": moment, "frame": frame}
        if body is not None:
            values |= {"rod": -1, "body": self._index("body", body)}
        else:
            index = self._index("rod", 0 if rod is None else rod)
            start, end = over or (at, at)
            values |= {"rod": index, "distributed": over is not None}
            values |= self._span(index, start, end)
        self._fill(definition, owner, values)
        return self._add("load", lib.td_robot_add_load, definition, name)

    @_building
    @keywords("td_field_def")
    def add_field(self, name: str, *, moment: "Sequence[Any] | None" = None,
                  **values: Any) -> int:
        """A magnetic field, which acts on rods with a magnetisation and bodies with a magnet. Uniform:
        flux (T) and gradient (T/m: xx, yy, xy, xz, yz), at position (m). With `moment` (A m^2) that of a
        dipole at its position, turned by orientation (w, x, y, z) and rotation (rad). Inputs may drive every
        number but the orientation."""
        definition, kept = self._named(lib.td_default_field_def(), "td_field_def", name)
        if moment is not None:
            values = {"kind": "dipole", "moment": moment, **values}
        self._fill(definition, f"fields.{name}", values)
        return self._add("field", lib.td_robot_add_field, definition, name)

    @_building
    @keywords()
    def set_fluid(self, density: float, velocity: Sequence[Any] = (0.0, 0.0, 0.0)) -> None:
        """What the robot is in: its density (kg/m^3) and the velocity of its current (m/s), which inputs may
        drive. It carries, drags by drag_coefficient and is moved along by added_mass of the pieces."""
        definition = ffi.new("td_fluid_def *")
        self._fill(definition, "fluid", {"density": density, "velocity": velocity})
        self._set(lib.td_robot_set_fluid, definition)

    @_building
    @keywords("td_sensor_def")
    def add_sensor(self, name: str, measures: str, **values: Any) -> int:
        """A sensor: what it measures (`tip.position`, `rod.arm.50 %.gauge`, `tendon.east.tension`, `estimate.tip.x`)
        and fields of `td_sensor_def`: every, offset, angle, rate, delay, noise, density, bias,
        drift, quantum, low, high."""
        definition, kept = self._named(lib.td_default_sensor_def(), "td_sensor_def", name)
        words = ffi.new("char[]", encoded(measures, "measures"))
        definition.measures = words
        self._fill(definition, f"sensors.{name}", values)
        return self._add("sensor", lib.td_robot_add_sensor, definition, name)

    @_building
    @keywords("td_controller_def", also=("limits", "formula", "reference", "path"))
    def add_controller(self, name: str, inputs: Any, kind: str, *,
                       formula: Any = None, reference: Any = 0.0, path: Any = None,
                       limits: "Sequence[float] | None" = None, gain: Any = None,
                       sensor: "str | None" = None, point: "str | None" = None,
                       **values: Any) -> int:
        """A controller of these inputs. kind: "pid" with `sensor` ("camera.x"), `reference`,
        proportional, integral, derivative, filter; "formula", one or a list; "feedback" with
        `gain`, a row for each input; "track" with `point`, `path` (three formulas), proportional,
        `sensor`; "computed_torque" with `reference`, formulas by the names of coordinates,
        proportional, derivative (both also `estimated`); "callback": see `State.set_controller`. All have period, delay and `limits`."""
        definition, kept = self._named(lib.td_default_controller_def(), "td_controller_def", name)
        names = [inputs] if isinstance(inputs, (str, int)) else list(inputs)
        motion = dict(reference) if kind == "computed_torque" else {}
        texts = {"pid": [reference], "track": path or [], "computed_torque": list(motion.values()),
                 "formula": [formula] if isinstance(formula, (str, int, float)) else formula or []}
        kept_texts = [ffi.new("char[]", encoded(str(one), "formula")) for one in texts.get(kind, [])]
        indices = ffi.new("int[]", [self._index("input", one) for one in names])
        pointers = ffi.new("char *[]", kept_texts)
        kept_names = [ffi.new("char[]", encoded(one, "reference")) for one in motion]
        coordinates = ffi.new("char *[]", kept_names)
        definition.coordinates = coordinates
        definition.inputs, definition.n_inputs = indices, len(names)
        definition.formulas, definition.n_formulas = pointers, len(kept_texts)
        words = {"sensor": sensor, "point": point}
        held = {key: ffi.new("char[]", encoded(one, key)) for key, one in words.items() if one}
        for key, one in held.items():
            setattr(definition, key, one)
        if gain is not None:
            rows = np.atleast_2d(reals(gain, "gain"))
            if rows.shape[0] != len(names):
                raise ArgumentError(f"gain has a row for each of {len(names)} inputs, not "
                                    f"{rows.shape[0]}")
            rows = np.ascontiguousarray(rows)
            definition.gain = ffi.from_buffer("double[]", rows)
            definition.n_columns = rows.shape[1]
        values = {"kind": kind, **values}
        if limits is not None:
            values["low"], values["high"] = limits
        self._fill(definition, f"controllers.{name}", values)
        return self._add("controller", lib.td_robot_add_controller, definition, name)


def _robot_of(source: str, name: str, built: Sequence[Any], options: dict[str, Any],
              scenario: dict[str, Any]) -> Robot:
    robot = Robot.parse(source) if source else Robot(name)
    for method, arguments, given in built:
        getattr(robot, method)(*arguments, **given)
    robot.options.update(**options)
    robot.scenario.update(**scenario)
    return robot


def _yaml(value: Any) -> str:
    """Text as it is, with units or not; lists, mappings and truth as JSON, which is YAML too."""
    return value if isinstance(value, str) else json.dumps(value, default=lambda v: v.tolist())


def _shape(section: Mapping[str, Any]) -> str:
    """Which shape these dimensions belong to."""
    if "width" in section or "height" in section:
        return "rectangle"
    return "general" if "area" in section or "ixx" in section else "circle"


def _series(what: str, values: Any) -> list[float]:
    """Up to TD_MOST_RELAXATIONS numbers, filled up with zeros."""
    numbers = list(np.atleast_1d(values))
    if len(numbers) > lib.TD_MOST_RELAXATIONS:
        raise ArgumentError(f"{what} has {len(numbers)} numbers; at most "
                            f"{lib.TD_MOST_RELAXATIONS} are expected")
    return numbers + [0.0] * (lib.TD_MOST_RELAXATIONS - len(numbers))


def _modes(what: str, values: Mapping[str, float]) -> list[float]:
    """Six numbers in the order of the strain from names of modes."""
    numbers = [0.0] * 6
    for name, value in values.items():
        if name not in _MODES:
            raise unknown(f"mode of {what}", name, list(_MODES))
        for index in _MODES[name]:
            numbers[index] = real(value, f"{what}.{name}")
    return numbers
