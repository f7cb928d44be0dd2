"""Robots of other formats, by the program `tendril`."""
from __future__ import annotations

import os
import shutil
import subprocess
from typing import Sequence

from .errors import Error, ParseError
from .robot import Robot


def import_text(path: "str | os.PathLike[str]", *, passive: Sequence[str] = (),
                free_base: bool = False, shapes: bool = False,
                program: "str | os.PathLike[str] | None" = None) -> str:
    """Bodies and joints of a URDF or MJCF file as the text of a robot file, by `tendril import`.

    Each movable joint is driven by an input of its name, unless `passive` names it. `free_base`:
    the first link is not fixed to the world. `shapes`: also what collides, as bodies without mass.
    `program` is the program `tendril`; by default the one that is found on the path."""
    found = os.fspath(program) if program is not None else shutil.which("tendril")
    if not found:
        raise Error("the program tendril is not on the path; name it by program=", "TD_ERR_FILE",
                    os.fspath(path))
    words = [found, "import", os.fspath(path)]
    for joint in passive:
        words += ["--passive", joint]
    words += ["--free-base"] * free_base + ["--shapes"] * shapes
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ParseError(done.stderr.strip(), "TD_ERR_PARSE")
    return done.stdout


def import_file(path: "str | os.PathLike[str]", *, passive: Sequence[str] = (),
                free_base: bool = False, shapes: bool = False,
                program: "str | os.PathLike[str] | None" = None) -> Robot:
    """The robot of `import_text`: rods, loads and more can be added to it.

        arm = tendril.import_file("ur.urdf")
        arm.add_rod("finger", 0.2, steel, section, base=arm.base(body="flange"))
    """
    text = import_text(path, passive=passive, free_base=free_base, shapes=shapes, program=program)
    return Robot.parse(text, name=f"import of {os.fspath(path)}")
