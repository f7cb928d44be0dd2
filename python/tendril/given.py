"""What callers give: texts, numbers and names of keywords, checked before C sees them."""
from __future__ import annotations

import inspect
from functools import wraps
from typing import Any, Callable, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ._core import ffi
from .errors import ArgumentError
from .fields import fields_of, is_complex, unknown

_Function = TypeVar("_Function", bound=Callable[..., Any])


def encoded(text: str, what: str) -> bytes:
    """A text for C, where NUL would end it."""
    if "\0" in text:
        raise ArgumentError(f"{what} = {text!r}: a NUL in it would cut it short")
    return text.encode()


def real(value: Any, what: str) -> float:
    """A real number as Python's own."""
    if is_complex(value):
        raise ArgumentError(f"{what} = {value!r}: a complex number; a real one is expected")
    return float(value)


def reals(values: ArrayLike, what: str) -> np.ndarray:
    """An array of doubles in one block; NumPy would drop imaginary parts with a mere warning."""
    given = np.asarray(values)
    if np.iscomplexobj(given):
        raise ArgumentError(f"{what}: complex numbers; real ones are expected")
    return np.ascontiguousarray(given, float).reshape(given.shape)


def places_of(s: ArrayLike) -> np.ndarray:
    """Arc lengths (m) in an array of their own."""
    places = reals(s, "s").copy()
    if np.isnan(places).any():
        raise ArgumentError("s = nan m is no place on a rod")
    return places


def keywords(*structs: str, also: tuple[str, ...] = ()) -> Callable[[_Function], _Function]:
    """Refuses a keyword that the function does not know, with what may have been meant. Known are
    its parameters, fields of the structs that its other keywords fill, and `also`."""

    def decorate(function: _Function) -> _Function:
        named = inspect.signature(function).parameters.values()
        known = [p.name for p in named if p.kind is not p.VAR_KEYWORD and p.name != "self"]
        for struct in structs:
            known += [name for name in fields_of(ffi.typeof(struct)) if name not in known]
        known += also
        owner = function.__qualname__.removesuffix(".__init__")

        @wraps(function)
        def call(*arguments: Any, **given: Any) -> Any:
            for name in given:
                if name not in known:
                    raise unknown(f"keyword of {owner}", name, known)
            return function(*arguments, **given)

        return call  # type: ignore[return-value]

    return decorate
