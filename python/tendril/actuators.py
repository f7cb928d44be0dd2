"""The kinds of actuators, as the library's table has them: tendons, chambers, and those to come."""
from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Callable, NamedTuple, TypeVar

from ._core import ffi, lib
from .errors import text

_T = TypeVar("_T", bound=type)


class Quantity(NamedTuple):
    """A number of an actuator's state, or one that may be given."""

    name: str
    unit: str
    offset: int  # in td_actuator_state, in doubles
    whole: bool

    def value(self, numbers: Any) -> Any:
        """The quantity among the numbers of a td_actuator_state."""
        return bool(numbers[self.offset]) if self.whole else numbers[self.offset]


class Kind(NamedTuple):
    """A kind of actuators; `plural` is its list in files, results and objects."""

    word: str
    plural: str
    thin: bool  # a line along its path
    inputs: tuple[Quantity, ...]
    recorded: tuple[Quantity, ...]


class ActuatorState(SimpleNamespace):
    """The numbers of an actuator by their names: `state.tendons["east"].tension`."""

    def as_dict(self) -> dict[str, Any]:
        """All of them by name."""
        return dict(vars(self))


def _quantities(first: Any, n: int) -> tuple[Quantity, ...]:
    return tuple(Quantity(text(q.name), text(q.unit), q.offset // ffi.sizeof("double"), q.whole)
                 for q in first[0:n])


def _kind(row: Any) -> Kind:
    return Kind(text(row.word), text(row.plural), row.thin,
                _quantities(row.inputs, row.n_inputs), _quantities(row.recorded, row.n_recorded))


KINDS = tuple(_kind(lib.td_actuator_kind_at(i)) for i in range(lib.td_n_actuator_kinds()))
PLURALS = tuple(kind.plural for kind in KINDS)


def names_in(system: Any) -> dict[str, list[str]]:
    """The names of all actuators of a td_system, by the words of their kinds."""
    names: dict[str, list[str]] = {kind.word: [] for kind in KINDS}
    for i in range(lib.td_n_actuators(system)):
        word = text(lib.td_actuator_kind_of(system, i).word)
        names[word].append(text(lib.td_actuator_name(system, i)))
    return names


def state_of(kind: Kind, struct: Any) -> ActuatorState:
    """What a td_actuator_state holds of an actuator of this kind."""
    numbers = ffi.cast("double *", ffi.addressof(struct))
    return ActuatorState(**{q.name: q.value(numbers) for q in kind.recorded})


def listing(names: Callable[[Any, str], list[str]]) -> Callable[[_T], _T]:
    """Gives a class a property for each kind that lists its names: `system.tendons`."""
    def of(kind: Kind) -> property:
        def get(self: Any) -> list[str]:
            return list(names(self, kind.word))
        get.__doc__ = f"Names of its {kind.plural}."
        return property(get)

    def add(cls: _T) -> _T:
        for kind in KINDS:
            setattr(cls, kind.plural, of(kind))
        return cls
    return add
