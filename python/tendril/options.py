"""Options of a robot, and what a run does."""
from __future__ import annotations

from typing import Any

from ._core import ffi, lib
from .errors import text
from .fields import Fields, owned, unknown


class Options(Fields):
    """How a robot is computed: the model and all its choices. docs/models.md and the pages in docs/models
    say what they do.

    Attributes are the fields of `td_options`; those of one model are inside:
    `options.lumped.segments = 8`. Choices are words: `options.scheme = "sdirk2"`.
    """

    __slots__ = ()

    def __init__(self, struct: Any = None, frozen: bool = False) -> None:
        start = lib.td_default_options() if struct is None else struct
        super().__init__(owned("td_options", start), "options", frozen)

    @staticmethod
    def known() -> dict[str, str]:
        """All options by their path in a robot file, "simulation.time.scheme", and what each means."""
        found: dict[str, str] = {}
        while (option := lib.td_option_at(len(found))).path != ffi.NULL:
            found[text(option.path)] = text(option.text)
        return found

    def read(self) -> dict[str, str]:
        """What the model reads of them, by path, as a robot file would say it."""
        room = ffi.new("char[]", 160)
        return {path: text(room) for path in self.known()
                if lib.td_reads_option(self._struct, path.encode())
                and lib.td_get_option(self._struct, path.encode(), room, len(room)) != ffi.NULL}

    def copy(self) -> "Options":
        """A copy that can be changed."""
        return Options(self._struct[0])

    def __copy__(self) -> "Options":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "Options":
        return self.copy()

    def __reduce__(self) -> Any:
        return _options_of, (plain(self),)


class Scenario(Fields):
    """What a run does: `step` and `end` (s), `start` ("static" or "straight"), `record_every`
    (s; 0: every step), `record_points` along each rod, and `fields`, words of what is recorded."""

    __slots__ = ()

    def __init__(self, struct: Any) -> None:
        super().__init__(owned("td_scenario", struct), "scenario", False)

    @staticmethod
    def known_fields() -> dict[str, int]:
        """What can be recorded: pose, strain, wrench, velocity, energy, inputs, ..."""
        start = "TD_RECORD_"
        return {name[len(start):].lower(): getattr(lib, name)
                for name in dir(lib) if name.startswith(start)}

    @property
    def fields(self) -> list[str]:
        """Words of what is recorded; may be set."""
        return [word for word, bit in self.known_fields().items() if self.record_fields & bit]

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "fields":
            return super().__setattr__(name, value)
        known, bits = self.known_fields(), 0
        for word in value:
            if word not in known:
                raise unknown("field of a record", word, list(known))
            bits |= known[word]
        self.record_fields = bits


def plain(fields: Fields) -> dict[str, Any]:
    """Fields as a dict that another version can read: without the mark of this one's layout."""
    return {name: value for name, value in fields.as_dict().items() if name != "cookie"}


def _options_of(values: dict[str, Any]) -> Options:
    options = Options()
    options.update(**values)
    return options
