"""Errors and warnings: what the library says, as Python's own."""
from __future__ import annotations

import warnings

from ._core import ffi, lib


class Error(Exception):
    """A call that gave no answer. What it was called on is as it was before.

    `status` is the library's code in words ("TD_ERR_VALUE"), `where` the place ("arm.yaml:14:13:
    rods.backbone.length", or ""), `message` what was found and expected; `line` and `column` count
    from 1 and are 0 where there is no file.
    """

    def __init__(self, message: str, status: str = "TD_ERR_ARGUMENT", where: str = "",
                 line: int = 0, column: int = 0) -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.message, self.status, self.where = message, status, where
        self.line, self.column = line, column


class ArgumentError(Error, ValueError):
    """A call with an impossible argument: an unknown name, a wrong shape, a snapshot of another
    robot."""


class OutOfMemoryError(Error, MemoryError):
    """Out of memory."""


class FileError(Error, OSError):
    """A file cannot be read."""


class ParseError(Error, ValueError):
    """A file is not well formed."""


class RuleError(Error, ValueError):
    """A value breaks a rule: a negative length, a tendon outside its rod."""


class UnsupportedError(Error, NotImplementedError):
    """The model cannot represent that; the message says what, and which models can."""


class NotConvergedError(Error, ArithmeticError):
    """A solve or a step did not converge; the message says what was tried and what to try."""


class SingularError(Error, ArithmeticError):
    """The equations lost rank: a fold, a bifurcation, a mechanism."""


class NotFiniteError(Error, ArithmeticError):
    """A number overflowed on the way."""


class Caveat(UserWarning):
    """There is an answer, with something to know about it."""


class LooseWarning(Caveat):
    """Converged, but not as closely as asked for."""


class BifurcationWarning(Caveat):
    """An equilibrium, but the way there crossed a bifurcation: it may be unstable."""


_classes = {
    "TD_ERR_ARGUMENT": ArgumentError,
    "TD_ERR_MEMORY": OutOfMemoryError,
    "TD_ERR_FILE": FileError,
    "TD_ERR_PARSE": ParseError,
    "TD_ERR_VALUE": RuleError,
    "TD_ERR_UNSUPPORTED": UnsupportedError,
    "TD_ERR_NOT_CONVERGED": NotConvergedError,
    "TD_ERR_SINGULAR": SingularError,
    "TD_ERR_NOT_FINITE": NotFiniteError,
}
_warnings = {"TD_LOOSE": LooseWarning, "TD_BIFURCATION": BifurcationWarning}


def text(pointer) -> str:
    """A C string as Python's."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


def status_name(status: int) -> str:
    """The name of a status: -7 is "TD_ERR_NOT_CONVERGED"."""
    return text(lib.td_status_name(status))


def failure(status: int, message: str, where: str = "", line: int = 0,
            column: int = 0) -> "Error | KeyboardInterrupt":
    """The exception for a negative status."""
    name = status_name(status)
    if name == "TD_ERR_STOPPED":  # Ctrl-C within a long call
        return KeyboardInterrupt(message)
    return _classes.get(name, Error)(message or name, name, where, line, column)


def failure_of(err) -> "Error | KeyboardInterrupt":
    """The exception for a td_error that the library has filled."""
    return failure(err.status, text(err.message), text(err.where), err.line, err.column)


_MADE_BY = {"Robot": "tendril.Robot.load(path) reads a file", "System": "tendril.System(robot) makes one"}


def expect(value: object, *kinds: type, name: str) -> None:
    """Refuses an argument that is none of these."""
    if not isinstance(value, kinds):
        what = " or ".join(kind.__name__ for kind in kinds)
        raise ArgumentError(f"{name} = {value!r:.60} is no {what}; {_MADE_BY[kinds[0].__name__]}")


def check(status: int, message: str, stacklevel: int = 3) -> None:
    """Raises for a negative status, warns for a positive one."""
    if status == 0:
        return
    if status < 0:
        raise failure(status, message)
    name = status_name(status)
    warnings.warn(message or name, _warnings.get(name, Caveat), stacklevel=stacklevel)
