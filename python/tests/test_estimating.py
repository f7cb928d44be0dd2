"""Estimators and quadratic programs, as NumPy sees them."""
import unittest

import numpy as np

import tendril
from parts import EXAMPLES


class Estimating(unittest.TestCase):
    def setUp(self):
        self.system = tendril.System(tendril.Robot.load(EXAMPLES / "payload.yaml"))

    def test_the_payload_is_found(self):
        state, e = self.system.state(), tendril.Estimator(self.system)
        self.assertEqual(e.numbers, ["weight", "side"])
        self.assertEqual(e.units, ["N", "N"])
        state.begin()
        e.begin()
        for _ in range(375):
            state.advance(4e-3)
            e.follow(state)
        weight = e["weight"]
        self.assertLess(abs(weight.value + 0.06), 4 * weight.deviation)
        self.assertLess(weight.deviation, 0.01)
        seen = e.sensor("camera")
        np.testing.assert_allclose(seen.value, e.pose()[0], atol=1e-12)
        self.assertTrue((seen.deviation > 0).all())
        self.assertGreater(np.linalg.eigvalsh(e.covariance).min(), -1e-18)
        of = e.covariance_of(["tip.z", "tip.x", "rod.arm.50 %.pose"])
        self.assertEqual(of.shape, (8, 8))
        np.testing.assert_allclose(np.sqrt(np.diag(of)[:2]), seen.deviation[[2, 0]], rtol=1e-9)
        np.testing.assert_array_equal(of, of.T)
        with self.assertRaises(tendril.UnsupportedError):
            e.covariance_of(["rod.arm.base_reaction"])

    def test_biases_are_found(self):
        sensors = ("[{name: camera, measures: tip.position, rate: 50 Hz, noise: 0.3 mm}, {name: imu, measures: "
                   "tip.accelerometer, noise: 0.02, bias: 0.4}, {name: foot, measures: rod.arm.base_reaction.force, noise: 1}]")
        robot = tendril.Robot.load(EXAMPLES / "payload.yaml", set={
            "sensors": sensors, "controllers": "[]",
            "estimator": "{unknowns: [{bias: imu, deviation: 1}], noise: {rates: 1e-3}}"})
        system = tendril.System(robot)
        state, e = system.state(), tendril.Estimator(system)
        self.assertEqual(e.numbers, ["imu.x.bias", "imu.y.bias", "imu.z.bias"])
        self.assertEqual(e.units, ["m/s^2"] * 3)
        self.assertIsNone(e.refusal("imu"))
        self.assertIsNone(e.refusal("foot", at_rest=True))
        self.assertIn("accelerations", e.refusal("foot"))
        state.begin()
        e.begin()
        for _ in range(50):
            state.advance(4e-3)
            e.follow(state)
        for name in e.numbers:
            self.assertAlmostEqual(e.truth(state, name), 0.4)
            self.assertLess(abs(e[name].value - 0.4), 4 * e[name].deviation)

    def test_readings_by_hand(self):
        e = tendril.Estimator(self.system)
        e.begin()
        e.set_input("east", 0.5)
        e.restart()
        e.step(4e-3)
        before = e.covariance
        e.update({"camera": [0.0, 0.0, -0.25], "gyro": [np.nan, 0.0, 0.0]})
        self.assertEqual(e.surprise[1], 5)
        self.assertLess(np.trace(e.covariance), np.trace(before))
        with self.assertRaises(tendril.ArgumentError):
            e.update({"camera": [0.0, 0.0]})
        with self.assertRaises(tendril.ArgumentError):
            e.set_input("weight", 1.0)
        e.rest({"gauges": np.zeros(3), "others": np.zeros(3)})

    def test_limits_and_torques(self):
        robot = tendril.Robot("arc")
        robot.add_rod("arm", length=0.2, youngs_modulus=5e6, poisson_ratio=0.4, density=1000.0, radius=4e-3,
                      damping_time=5e-3)
        offsets = {"east": (5e-3, 0), "west": (-5e-3, 0), "north": (0, 5e-3), "south": (0, -5e-3)}
        for name, offset in offsets.items():
            robot.add_tendon(name, offset=offset)
        robot.add_controller("torque", list(offsets), "computed_torque", reference={"*x": 0.2},
                             proportional=400.0, derivative=40.0)
        reached = []
        for most in (5.0, 0.01):
            for name in offsets:
                robot.set_limits(name, 0.0, most)
            state = tendril.System(robot, model="constant_curvature", theory="kirchhoff").state()
            state.begin()
            for _ in range(500):
                state.advance(1e-3)
                self.assertLessEqual(np.asarray(state.inputs).max(), most)
                self.assertGreaterEqual(np.asarray(state.inputs).min(), 0.0)
            reached.append(state.coordinates()[0][0])
        self.assertLess(abs(reached[0] - 0.2), 1e-3)
        self.assertLess(reached[1], 0.1)

    def test_programs_between_bounds(self):
        rng = np.random.default_rng(1)
        M = rng.normal(size=(8, 8))
        H, g = M.T @ M + np.eye(8), 3 * rng.normal(size=8)
        np.testing.assert_allclose(tendril.box_qp(H, g, -np.inf, np.inf), -np.linalg.solve(H, g),
                                   atol=1e-9)
        x = tendril.box_qp(H, g, -0.1, 0.2)
        slope = H @ x + g
        inside = (x > -0.1) & (x < 0.2)
        self.assertLess(np.abs(slope[inside]).max(initial=0.0), 1e-9)
        self.assertTrue((slope[x == -0.1] >= 0).all() and (slope[x == 0.2] <= 0).all())
        with self.assertRaises(tendril.ArgumentError):
            tendril.box_qp(-H, g, -np.inf, np.inf)
