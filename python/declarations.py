"""What cffi is told of the library, taken from its public headers by the C preprocessor.

There is no second copy of the declarations that could drift: a new function, field, enumerator or
constant of include/tendril is known to Python when the package is built again.
"""
import re
import shlex
import subprocess
import sysconfig
import tempfile
from pathlib import Path

import cffi

# Words of the standard that cffi knows by itself: their headers are replaced by empty ones.
STANDARD = ("stdbool.h", "stddef.h", "stdint.h")


def compiler():
    import os
    return shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[:1]


def preprocessed(headers, names):
    """All public headers as one text, without macros, comments and headers of the system."""
    with tempfile.TemporaryDirectory() as folder:
        for name in STANDARD:
            Path(folder, name).write_text("")
        text = "".join(f'#include "tendril/{name}"\n' for name in names)
        command = compiler() + ["-E", "-P", "-nostdinc", "-I", folder, "-I", str(headers), "-"]
        return subprocess.run(command, input=text, capture_output=True, text=True,
                              check=True).stdout


def without_bodies(text):
    """Leaves out functions that are defined in a header: Python has its own ways for them."""
    while True:
        found = re.search(r"static inline [^;{]*\{", text)
        if not found:
            return text
        depth, end = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[:found.start()] + text[end:]


def constants(headers, names):
    """#define TD_X of a number, for cffi to ask the compiler for its value."""
    lines = []
    for name in names:
        for word, value in re.findall(r"^#define (TD_\w+) +([^\s/].*?)\s*(?://.*)?$",
                                      (headers / "tendril" / name).read_text(), re.MULTILINE):
            if re.fullmatch(r"\(?-?\d+[uU]?\)?", value):
                lines.append(f"#define {word} ...")
            elif re.fullmatch(r"\(?-?[\d.]+(?:e-?\d+)?\)?", value):
                lines.append(f"static const double {word};")
    return "\n".join(lines) + "\n"


def helper_declarations(source):
    """The prototypes of helpers.c."""
    return "\n".join(f"{head.strip()};" for head in
                     re.findall(r"^static ((?:void|int|td_status) [^{;]*)\{", source, re.MULTILINE))


def make(headers, helpers):
    """An FFI that emits the C code of tendril._core. headers: the folder that holds tendril/."""
    names = sorted(path.name for path in (headers / "tendril").glob("*.h"))
    source = helpers.read_text()
    ffi = cffi.FFI()
    ffi.cdef(without_bodies(preprocessed(headers, names)))
    ffi.cdef(constants(headers, names))
    ffi.cdef(helper_declarations(source))
    ffi.set_source("tendril._core",
                   "".join(f"#include <tendril/{name}>\n" for name in names) + source)
    return ffi
