"""Searches over studies: problems whose best point is known."""
import math
import os
import tempfile
import unittest
from pathlib import Path

import tendril

BOWL = """
study: 1
parameters: {x: {range: [-5, 5], start: 4}, y: {range: [-5, 5], start: 4}}
results: {f: (x - 1)^2 + 4*(y + 2)^2, sum: x + y}
optimise: {minimise: f, subject_to: [sum >= 0]}
"""
ARM = """
tendril: 1
gravity: [0, 0, 0]
rods: [{name: arm, length: 0.3, section: {radius: 5 mm}, material: {youngs_modulus: 1 MPa, poisson_ratio: 0.45, density: 1000}}]
loads: [{name: bend, at: tip, moment: [0, bend, 0]}]
inputs: {bend: 0 N m}
"""


def needs_nlopt(call):
    def run(self):
        try:
            call(self)
        except tendril.UnsupportedError as e:
            self.skipTest(str(e))
    return run


class Searches(unittest.TestCase):
    @needs_nlopt
    def test_a_bowl_with_a_wall_has_its_lowest_point_on_it(self):
        """On x + y = 0: 2 (x - 1) = 8 (2 - x), x = 9/5; the price of the wall is the gradient there."""
        best = tendril.optimise(BOWL)
        self.assertAlmostEqual(best.parameters["x"].value, 1.8, places=6)
        self.assertAlmostEqual(best.parameters["y"].value, -1.8, places=6)
        self.assertAlmostEqual(best.value, 0.8, places=6)
        self.assertAlmostEqual(best.bounds["sum >= 0"].price, 1.6, places=5)
        self.assertTrue(best.bounds["sum >= 0"].active)
        self.assertLess(best.slope_left, 1e-6)
        self.assertGreater(len(best.history), 2)
        self.assertIsNone(best.robot)

    @needs_nlopt
    def test_the_moment_that_makes_a_half_circle_is_that_of_the_formula(self):
        """Curvature M/EI is pi/L: the tip is at 2 L/pi."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "arm.yaml").write_text(ARM)
            path = Path(folder, "study.yaml")
            path.write_text("study: 1\nrobot: arm.yaml\n"
                            "parameters: {m: {input: bend, range: [0.001, 0.01]}}\n"
                            "results: {z: tip.z}\noptimise: {minimise: z^2*1e4, tolerance: 1e-9}\n")
            best = tendril.optimise(path)
        EI = 1e6 * math.pi / 4 * 5e-3**4
        self.assertAlmostEqual(best.parameters["m"].value / (EI * math.pi / 0.3), 1.0, places=4)
        self.assertEqual(best.parameters["m"].unit, "N m")
        self.assertIsInstance(best.robot, tendril.Robot)

    @needs_nlopt
    def test_what_cannot_be_met_is_said(self):
        with self.assertRaisesRegex(tendril.Error, "nothing was found that meets 'sum >= 20'"):
            tendril.optimise(BOWL.replace("sum >= 0", "sum >= 20"))
        with self.assertRaisesRegex(tendril.Error, "no parameter or earlier result 'q'"):
            tendril.optimise(BOWL.replace("minimise: f", "minimise: q"))
        with self.assertRaisesRegex(tendril.Error, "nowhere.yaml"):
            tendril.optimise(os.path.join("nowhere.yaml"))


if __name__ == "__main__":
    unittest.main()
