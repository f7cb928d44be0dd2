"""Mechanics of continuum and soft robots: statics, dynamics, Jacobians and inverse statics of rods
with tendons, chambers and bodies, under several published models.

    import tendril
    robot = tendril.Robot.load(tendril.examples / "arm.yaml")
    state = tendril.System(robot).state()
    state.inputs["pull"] = 3.0
    state.statics()
    print(state.pose("arm").p)

Three objects: a `Robot` is a description, a `System` is that compiled under a model and never
changes, a `State` is one trajectory. SI units. `tendril.examples` is a folder with robot files. The
guide is docs/python.md.
"""
from pathlib import Path

from . import batch, signals
from .arcs import Arc, clarke, clarke_inverse
from .batch import Batch
from .env import Box, Env
from .errors import (ArgumentError, BifurcationWarning, Caveat, Error, FileError, LooseWarning,
                     NotConvergedError, NotFiniteError, OutOfMemoryError, ParseError, RuleError,
                     SingularError, UnsupportedError)
from .estimating import Estimate, Estimator, box_qp
from .fields import Fields
from .fitting import Fit, FitValue, Misfit, Recording, fit
from .geometry import Pose, quaternion_along, rotation_matrix
from .gradient import Gradient, Slopes
from .importing import import_file, import_text
from .linear import Linearisation, Mode, StateSpace, StepMap
from .models import Model, features, models, version
from .optimising import BestParameter, Bound, Optimum, optimise
from .options import Options, Scenario
from .results import Result, Series, run
from .robot import Drive, Robot
from .samples import Samples
from .signals import Signal
from .state import Inputs, Parts, State
from .study import Index, Study, Table
from .system import System

__version__ = version()
examples = Path(__file__).with_name("examples")
__all__ = [
    "Arc", "ArgumentError", "Batch", "BestParameter", "BifurcationWarning", "Bound", "Box", "Caveat", "Drive", "Env", "Error", "Estimate", "Estimator", "Fields",
    "FileError", "Fit", "FitValue", "Gradient", "Index", "Inputs", "Linearisation", "LooseWarning", "Misfit", "Mode", "Model", "NotConvergedError", "NotFiniteError",
    "Optimum", "Options", "OutOfMemoryError", "ParseError", "Parts", "Pose", "Recording", "Result", "Robot", "RuleError",
    "Samples", "Scenario", "Series", "Signal", "SingularError", "Slopes", "State", "StateSpace",
    "StepMap", "Study", "System", "Table",
    "UnsupportedError", "batch", "box_qp",
    "clarke", "clarke_inverse", "examples", "features", "fit", "import_file", "import_text", "models", "optimise", "quaternion_along", "rotation_matrix", "run",
    "signals", "version",
]
