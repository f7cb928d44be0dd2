"""Runs in memory against the program's result folders."""
import builtins
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import tendril
from parts import EXAMPLES, SOURCE, program, wire

try:
    import h5py
except ImportError:
    h5py = None
PARTS = SOURCE / "tests" / "cli" / "data" / "parts.yaml"


def without_h5py(name, *arguments, **more):
    if name == "h5py":
        raise ImportError(name)
    return real_import(name, *arguments, **more)


real_import = builtins.__import__


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name) / "out"
        program("run", PARTS, "--csv", "--quiet", "--out", cls.out)
        cls.ours = tendril.run(tendril.Robot.load(PARTS))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compare(self, read, fields):
        np.testing.assert_array_equal(read.time, self.ours.time)
        for kind, names in fields.items():
            ours, theirs = getattr(self.ours, kind), getattr(read, kind)
            self.assertEqual(list(ours), list(theirs))
            for part in ours:
                for name in names:
                    np.testing.assert_array_equal(theirs[part][name], ours[part][name],
                                                  f"{kind}.{part}.{name}")
        for name in self.ours.inputs:
            np.testing.assert_array_equal(read.inputs[name], self.ours.inputs[name])
        for name in ("kinetic", "elastic", "gravity", "dissipated", "work"):
            np.testing.assert_array_equal(read.energy[name], self.ours.energy[name])

    def test_a_run_here_has_the_bits_of_the_program_in_its_tables(self):
        with mock.patch("builtins.__import__", without_h5py):
            read = tendril.Result.read(self.out)
        self.assertEqual(read.ending, "")  # tables do not say
        self.compare(read, {"rods": ("position", "orientation", "length"),
                            "tendons": ("tension", "end_tension", "length", "displacement",
                                        "slack"),
                            "chambers": ("pressure", "volume", "amount")})

    @unittest.skipIf(h5py is None, "h5py is not installed")
    def test_a_run_here_has_the_bits_of_the_program_in_its_file(self):
        read = tendril.Result.read(self.out)
        self.assertEqual(read.ending, "finished")
        self.compare(read, {"rods": ("s", "position", "orientation", "length"),
                            "tendons": ("tension", "displacement", "slack", "path"),
                            "chambers": ("pressure", "volume", "amount"),
                            "bodies": ("position", "orientation", "velocity", "attached")})
        for name in ("iterations", "evaluations", "fallbacks", "residual"):
            np.testing.assert_array_equal(read.solver[name], self.ours.solver[name])

    @unittest.skipIf(h5py is None, "h5py is not installed")
    def test_points_of_a_fed_rod_stay_on_its_material(self):
        out, file = Path(self.folder.name) / "fed", EXAMPLES / "fed-catheter.yaml"
        program("run", file, "--quiet", "--out", out)
        ours, read = tendril.run(tendril.Robot.load(file)), tendril.Result.read(out)
        for name in ("s", "position", "orientation", "length"):
            np.testing.assert_array_equal(read.rods["catheter"][name], ours.rods["catheter"][name])
        self.assertEqual(ours.state.system.growing("catheter"), (0.0, 0.03))
        self.assertEqual(ours.rods["catheter"].s[30], 0.03)
        np.testing.assert_allclose(ours.rods["catheter"].position[-1, 30], (0.09, 0, 0), atol=3e-4)

    def test_records_are_as_far_apart_as_asked_and_end_at_the_end(self):
        robot = tendril.Robot.load(EXAMPLES / "cantilever.yaml")
        robot.scenario.record_every = 0.02
        robot.scenario.fields = ["pose", "wrench"]
        result = tendril.run(robot, end=0.0503)
        np.testing.assert_allclose(result.time, (0, 0.02, 0.04, 0.0503), atol=1e-12)
        self.assertEqual(result.rods["wire"].wrench.shape, (4, 41, 6))
        self.assertFalse(hasattr(result.rods["wire"], "strain"))
        self.assertEqual(result.inputs, {})

    def test_a_run_that_fails_keeps_what_it_recorded(self):
        state_type = tendril.State
        advance, calls = state_type.advance, []

        def fail_later(self, dt, n=1):
            calls.append(dt)
            advance(self, -1.0 if len(calls) == 4 else dt, n)

        with mock.patch.object(state_type, "advance", fail_later):
            with self.assertRaises(tendril.Error) as caught:
                tendril.run(wire(), step=1e-3, end=1e-2)
        self.assertEqual(len(caught.exception.result.time), 4)
        self.assertTrue(caught.exception.result.ending.startswith("failed"))

    def test_tables_alone_are_read_and_a_broken_file_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for table in self.out.glob("*.csv"):
                (folder / table.name).write_bytes(table.read_bytes())
            np.testing.assert_array_equal(tendril.Result.read(folder).time, self.ours.time)
            if h5py is None:
                return
            (folder / "result.h5").write_bytes((self.out / "result.h5").read_bytes()[:5000])
            with self.assertRaisesRegex(tendril.FileError, "result.h5: not a result"):
                tendril.Result.read(folder)

    def test_a_folder_that_is_not_there_is_refused(self):
        with self.assertRaises(tendril.FileError):
            tendril.Result.read("no such folder")


if __name__ == "__main__":
    unittest.main()
