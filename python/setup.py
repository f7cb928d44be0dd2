"""Builds the package `tendril`: the C library, and the module `tendril._core` around it.

    pip install ./python          (see docs/python.md)

The library is built by CMake, from the checkout or from the folder `library` of a source distribution, and linked into the
module. TENDRIL_BUILD names a build tree, from the checkout's root, to take it from instead. With TENDRIL_BUNDLE=1 the shared
libraries that the module needs go into the package, so that it runs where they are not installed (make wheel).
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
ROOT = HERE / "library" if (HERE / "library").is_dir() else HERE.parent
sys.path.insert(0, str(HERE))

import declarations  # noqa: E402  (beside this file, which a build backend does not look at)


def version():
    header = ROOT / "include" / "tendril" / "version.h"
    if not header.is_file():
        sys.exit(f"{header}: not there; the package is installed from a checkout of Tendril")
    return re.search(r'#define TD_VERSION "(.*)"', header.read_text()).group(1)


def run(*command, **options):
    print(*command, flush=True)
    return subprocess.run([str(word) for word in command], check=True, **options)


def build_library(tree):
    """Up to date with the headers also in a tree that is there: a struct must not differ."""
    if not (tree / "CMakeCache.txt").is_file():
        run("cmake", "-S", ROOT, "-B", tree, "-DCMAKE_BUILD_TYPE=Release", "-DTENDRIL_PROGRAM=OFF",
            "-DTENDRIL_TESTS=OFF", "-DTENDRIL_BENCH=OFF", "-DTENDRIL_WERROR=OFF")
    run("cmake", "--build", tree, "--parallel", os.environ.get("JOBS", os.cpu_count() or 2),
        "--target", "tendril", "tendril_static")


def link_flags(prefix):
    """What the static library needs, as its pkg-config file says."""
    config = next(prefix.rglob("tendril.pc"))
    environment = dict(os.environ)
    environment["PKG_CONFIG_PATH"] = os.pathsep.join(
        filter(None, [str(config.parent), environment.get("PKG_CONFIG_PATH")]))
    words = run("pkg-config", "--static", "--libs", "tendril", env=environment,
                stdout=subprocess.PIPE, text=True).stdout.split()
    return [word for word in words if word != "-ltendril"]


class BuildCore(build_ext):
    def build_extension(self, ext):
        work = Path(self.build_temp).resolve()
        tree = (ROOT / (os.environ.get("TENDRIL_BUILD") or work / "library")).resolve()
        build_library(tree)
        prefix = work / "prefix"
        run("cmake", "--install", tree, "--prefix", prefix, stdout=subprocess.DEVNULL)
        headers = prefix / "include"
        source = work / "_core.c"
        declarations.make(headers, HERE / "helpers.c").emit_c_code(str(source))
        ext.sources = [str(source)]
        ext.include_dirs = [str(headers)]
        ext.extra_objects = [str(next(prefix.rglob("libtendril.a")))]
        ext.extra_link_args = link_flags(prefix)
        ext.extra_compile_args = ["-std=gnu17"]
        bundle = os.environ.get("TENDRIL_BUNDLE")
        if bundle:
            ext.extra_link_args += ["-Wl,--disable-new-dtags,-rpath,$ORIGIN/libraries"]
        super().build_extension(ext)
        if bundle:
            core = Path(self.get_ext_fullpath(ext.name)).resolve()
            run("bash", ROOT / "scripts" / "bundle-libraries", core.parent / "libraries", core)


class BuildModules(build_py):
    """The modules, and the robot files that the documents speak of."""

    def run(self):
        super().run()
        target = Path(self.build_lib) / "tendril" / "examples"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(ROOT / "examples", target, ignore=shutil.ignore_patterns("c", "fmi", "model"))


setup(
    name="tendril",
    version=version(),
    description="Mechanics of continuum and soft robots",
    license="MIT",
    packages=["tendril"],
    package_data={"tendril": ["py.typed"]},
    ext_modules=[Extension("tendril._core", sources=[])],
    cmdclass={"build_py": BuildModules, "build_ext": BuildCore},
    python_requires=">=3.9",
    install_requires=["cffi>=1.15", "numpy>=1.21"],
    extras_require={"results": ["h5py"]},
    zip_safe=False,
)
