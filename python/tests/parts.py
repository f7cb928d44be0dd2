"""What the tests share: paths, and a steel wire in code."""
import os
import subprocess
from pathlib import Path

import tendril

SOURCE = Path(os.environ["SOURCE"])
EXAMPLES = SOURCE / "examples"
PROGRAM = os.environ["TENDRIL"]

LENGTH, RADIUS, YOUNG, DENSITY = 0.4, 1e-3, 207e9, 8000.0
PI = 3.141592653589793
EI = YOUNG * PI * RADIUS**4 / 4
MASS = DENSITY * PI * RADIUS**2  # kg/m


def wire(gravity=(0, 0, 0), **more):
    """A clamped steel wire along world z, its tip free."""
    robot = tendril.Robot("wire", gravity=gravity)
    robot.add_rod("wire", length=LENGTH, youngs_modulus=YOUNG, poisson_ratio=0.3, density=DENSITY,
                  radius=RADIUS, **more)
    return robot


def program(*arguments):
    """Runs the program; its standard output."""
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True,
                          text=True).stdout
