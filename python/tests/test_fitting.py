"""Numbers from measurements: arcs under a moment at the tip, whose shape is known."""
import math
import unittest

import numpy as np

import tendril

ARC = """
tendril: 1
gravity: [0, 0, 0]
materials: {rubber: {youngs_modulus: 1 MPa, poisson_ratio: 0.45, density: 1000}}
rods: [{name: arm, length: 0.3, material: rubber, section: {radius: 5 mm}}]
loads: [{name: bend, at: tip, moment: [0, bend, 0]}]
inputs: {bend: 0 N m}
"""
PATH = "materials.rubber.youngs_modulus"
MOMENTS = 5e-4 * np.arange(1, 9)


def arcs(young):
    """A moment bends a rod into an arc of curvature M/EI."""
    k = MOMENTS / (young * math.pi / 4 * 5e-3**4)
    return {"tip.x": (1 - np.cos(0.3 * k)) / k, "tip.z": np.sin(0.3 * k) / k}


class Fits(unittest.TestCase):
    def setUp(self):
        self.robot = tendril.Robot.parse(ARC)
        self.seen = tendril.Recording(inputs={"bend": MOMENTS}, outputs=arcs(1.37e6))

    def test_a_modulus_follows_from_arcs(self):
        found = tendril.fit(self.robot, self.seen, {PATH: (1e5, 1e7)}, held_out=0.25)
        value = found.values[PATH]
        self.assertAlmostEqual(value.value / 1.37e6, 1, delta=1e-8)
        self.assertEqual((value.start, value.at_bound), (1e6, False))
        self.assertEqual((found.misfits["tip.x"].unit, found.misfits["tip.x"].held_out), ("m", 2))
        np.testing.assert_allclose(found.computed[0]["tip.z"], self.seen.outputs["tip.z"], atol=1e-9)
        again = tendril.fit(found.robot, self.seen, {PATH: (1e5, 1e7)})
        self.assertLessEqual(again.iterations, 1)
        self.assertEqual(found.unknown, [])
        self.assertEqual(found.correlations.tolist(), [[1.0]])

    def test_what_is_known_only_together_is_said(self):
        found = tendril.fit(self.robot, self.seen, {PATH: (1e5, 1e7), "data.gain.bend": (0.1, 10)})
        self.assertEqual(len(found.unknown), 1)
        self.assertAlmostEqual(found.unknown[0][PATH] / found.unknown[0]["data.gain.bend"], 1, delta=1e-4)
        self.assertTrue(math.isinf(found.values[PATH].error))

    def test_markers_and_wild_points(self):
        seen = {"marker.m.x": arcs(1.2e6)["tip.x"], "marker.m.z": arcs(1.2e6)["tip.z"].copy()}
        seen["marker.m.z"][2] = 7.0
        recording = tendril.Recording(inputs={"bend": MOMENTS}, outputs=seen)
        found = tendril.fit(self.robot, recording, {PATH: (1e5, 1e7), "data.marker.m.z": (-0.1, 0.1)},
                            markers={"m": ("tip", (0, 0, 0.01))}, loss="huber", scale=1e-5)
        self.assertAlmostEqual(found.values[PATH].value / 1.2e6, 1, delta=1e-3)

    def test_mistakes_are_told(self):
        with self.assertRaisesRegex(tendril.ArgumentError, r"input bend: .*\(8,\) are expected"):
            tendril.fit(self.robot, tendril.Recording(self.seen.outputs, {"bend": [1.0]}), {PATH: (1, 2)})
        with self.assertRaisesRegex(tendril.RuleError, "not within"):
            tendril.fit(self.robot, self.seen, {PATH: (2e6, 3e6)})
        with self.assertRaisesRegex(tendril.ArgumentError, "low, high"):
            tendril.fit(self.robot, self.seen, {PATH: (1,)})
        with self.assertRaisesRegex(tendril.ArgumentError, "noise: tip.z"):
            tendril.fit(self.robot, tendril.Recording(self.seen.outputs, noise={"tip.x": 1.0}), {PATH: (1, 2)})
        with self.assertRaises(tendril.Error):
            tendril.fit(self.robot, self.seen, {PATH: (1e5, 1e7)}, loss="cubes")


if __name__ == "__main__":
    unittest.main()
