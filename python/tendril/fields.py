"""Structs of the library as Python objects, by looking at their declarations.

What a struct holds is asked of cffi, never listed here: a new option, a new field of a part or a
new kind of scheme is there as soon as the header has it.
"""
from __future__ import annotations

import difflib
from functools import lru_cache
from os.path import commonprefix
from typing import Any, Callable

import numpy as np

from ._core import ffi
from .errors import ArgumentError


def unknown(kind: str, name: object, known: list[str]) -> ArgumentError:
    """The error for a name that is not there, with what may have been meant."""
    near = difflib.get_close_matches(str(name), known, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known) or 'none'}"
    return ArgumentError(f"{name!r} is no {kind}; {hint}")


# ---------------------------------------------------------------- enumerations
@lru_cache(None)
def words(ctype) -> dict[str, int]:
    """The enumerators as the file format spells them: TD_BDF_ALPHA is "bdf-alpha"."""
    names = dict(ctype.relements)
    shared = commonprefix(list(names))
    start = shared.rfind("_") + 1
    return {name[start:].lower().replace("_", "-"): value for name, value in names.items()}


def word_of(ctype, value: int) -> str:
    """The word for a value of an enumeration."""
    return next((word for word, number in words(ctype).items() if number == value), str(value))


def value_of(ctype, word: Any, what: str) -> int:
    """The value of an enumeration for its word, or for its number."""
    if isinstance(word, str):
        known = words(ctype)
        key = word.lower().replace("_", "-")
        if key not in known:
            raise unknown(what, word, sorted(known))
        return known[key]
    return int(word)


# ---------------------------------------------------------------- reading
# Structs that have a class of their own: name of the type -> what makes one of a struct's copy.
converters: dict[str, Callable[[Any], Any]] = {}


_DTYPES = {"double": "f8", "float": "f4", "int": "i4", "unsigned int": "u4", "_Bool": "?"}


def _is_number(ctype) -> bool:
    return ctype.kind == "primitive" and ctype.cname in _DTYPES


@lru_cache(None)
def fields_of(ctype) -> dict[str, Any]:
    """The fields of a type of struct by name."""
    return dict(ctype.fields)


# ---------------------------------------------------------------- writing
def is_complex(value: Any) -> bool:
    """A complex number, or an array or list with one in it."""
    if isinstance(value, (list, tuple)):
        return any(is_complex(item) for item in value)
    return isinstance(value, (complex, np.ndarray, np.generic)) and np.iscomplexobj(value)


def _write_array(target: Any, ctype, value: Any, what: str) -> None:
    if ctype.item.cname == "char":
        data = str(value).encode()
        if b"\0" in data:
            raise ArgumentError(f"{what} = {value!r}: a NUL in it would cut it short")
        if len(data) >= ctype.length:
            raise ArgumentError(f"{what} = {value!r} is longer than {ctype.length - 1} bytes")
        ffi.memmove(target, data + b"\0", len(data) + 1)
        return
    values = list(value) if np.ndim(value) or not np.isscalar(value) else [value]
    if len(values) != ctype.length:
        raise ArgumentError(f"{what} has {len(values)} numbers; {ctype.length} are expected")
    for i, item in enumerate(values):
        if ctype.item.kind == "struct":
            write_struct(target[i], item, what)
        else:
            target[i] = item


def write_struct(target: Any, value: Any, what: str) -> None:
    """Fills a struct from a mapping, from Fields, or from what knows how (`_fill`)."""
    ctype = ffi.typeof(target)
    if hasattr(value, "_fill"):
        value._fill(target, what)
    elif isinstance(value, Fields):
        ffi.memmove(ffi.addressof(target), value._bytes(), ffi.sizeof(ctype))
    elif ctype.cname in ("td_number", "struct td_number"):
        target.value, target.gain, target.input = float(value), 0.0, 0
    else:
        for name, item in dict(value).items():
            write(target, name, item, what)


def write(struct: Any, name: str, value: Any, what: str) -> None:
    """struct.name = value, whatever the field's type; `what` names the struct in messages."""
    ctype = ffi.typeof(struct)
    ctype = ctype.item if ctype.kind == "pointer" else ctype
    fields = fields_of(ctype)
    if name not in fields:
        raise unknown(f"field of {what}", name, list(fields))
    kind, place = fields[name].type, f"{what}.{name}"
    if is_complex(value):
        raise ArgumentError(f"{place} = {value!r}: a complex number; real ones are expected")
    try:
        if kind.kind == "enum":
            setattr(struct, name, value_of(kind, value, place))
        elif kind.kind == "array":
            _write_array(getattr(struct, name), kind, value, place)
        elif kind.kind == "struct":
            write_struct(getattr(struct, name), value, place)
        elif kind.cname == "int" and isinstance(value, float) and value.is_integer():
            setattr(struct, name, int(value))
        elif kind.cname == "_Bool":
            setattr(struct, name, bool(value))
        else:
            setattr(struct, name, value)
    except (TypeError, OverflowError) as error:
        raise ArgumentError(f"{place} = {value!r}: {error}") from None


# ---------------------------------------------------------------- objects
class Fields:
    """The fields of a struct as attributes. Arrays are NumPy views of it, words stand for
    enumerators.

    `fields.as_dict()` lists them; `fields.update(name=value)` sets several.
    """

    __slots__ = ("_memory", "_type", "_offset", "_what", "_frozen")

    def __init__(self, memory: Any, what: str = "fields", frozen: bool = True, ctype: Any = None,
                 offset: int = 0) -> None:
        # `memory` owns the struct; one inside another is a place in the same memory, so that
        # views of it keep it alive.
        for name, value in (("_memory", memory), ("_what", what), ("_frozen", frozen),
                            ("_type", ctype or ffi.typeof(memory).item), ("_offset", offset)):
            object.__setattr__(self, name, value)

    @property
    def _struct(self) -> Any:
        start = ffi.cast("char *", self._memory) + self._offset
        return ffi.cast(ffi.getctype(self._type, "*"), start)

    def _bytes(self) -> Any:
        return ffi.buffer(self._memory)[self._offset:self._offset + ffi.sizeof(self._type)]

    def _field(self, name: str) -> Any:
        field = fields_of(self._type).get(name)
        if field is None:
            raise AttributeError(f"no field {name!r}; there are: {', '.join(self.keys())}")
        return field

    def _array(self, kind: Any, offset: int) -> np.ndarray:
        view = np.frombuffer(ffi.buffer(self._memory), dtype=_DTYPES[kind.item.cname],
                             count=kind.length, offset=offset)
        view.flags.writeable = not self._frozen
        return view

    def __getattr__(self, name: str) -> Any:
        field = self._field(name)
        kind, offset = field.type, self._offset + field.offset
        if kind.kind == "struct" and kind.cname not in converters:
            return Fields(self._memory, f"{self._what}.{name}", self._frozen, kind, offset)
        if kind.kind == "array" and _is_number(kind.item):
            return self._array(kind, offset)
        value = getattr(self._struct, name)
        if kind.kind == "struct":
            return converters[kind.cname](value)
        if kind.kind == "enum":
            return word_of(kind, int(value))
        if kind.kind == "array" and kind.item.cname == "char":
            return ffi.string(value).decode()
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if self._frozen:
            raise AttributeError(f"{name}: these fields are read only")
        write(self._struct, name, value, self._what)

    def update(self, **values: Any) -> None:
        """Sets several fields; of a struct inside, a mapping sets those that it names."""
        for name, value in values.items():
            setattr(self, name, value)

    def keys(self) -> list[str]:
        """Names of the fields."""
        return list(fields_of(self._type))

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __dir__(self) -> list[str]:
        return self.keys() + ["as_dict", "keys", "update"]

    def as_dict(self) -> dict[str, Any]:
        """A plain dict, with dicts for structs inside; later changes do not show in it."""
        plain = {}
        for name in self.keys():
            value = getattr(self, name)
            if isinstance(value, Fields):
                value = value.as_dict()
            plain[name] = value.copy() if isinstance(value, np.ndarray) else value
        return plain

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.keys())
        return f"{type(self).__name__}({inside})"


def owned(ctype: str, value: Any) -> Any:
    """A copy of a struct in memory that Python owns."""
    memory = ffi.new(f"{ctype} *")
    memory[0] = value
    return memory
