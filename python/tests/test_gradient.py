"""Gradients of runs against differences of runs, and forward against adjoint."""
import unittest

import numpy as np

import tendril

ARM = """
tendril: 1
rods:
  - name: arm
    length: 0.2
    material: {youngs_modulus: 2 MPa, poisson_ratio: 0.4, density: 1000}
    section: {radius: 10 mm}
    damping: {time: 5 ms}
    base: {direction: [1, 0, 0]}
tendons: [{name: one, offset: [8 mm, 0]}, {name: two, offset: [0, 8 mm]}]
"""
STEPS, DT = 40, 5e-3


def started(model, **more):
    state = tendril.System(tendril.Robot.parse(ARM), model=model, tolerance=1e-13, **more).state()
    state.inputs[:] = [0.5, 0.5]
    state.statics()
    return state


def inputs():
    t = np.arange(STEPS)[:, None]
    return 0.5 + 0.3 * np.sin(0.2 * t + [0.0, 1.0]) + 0.2 * (t > 20)


class Gradients(unittest.TestCase):
    def setUp(self):
        draw = np.random.default_rng(3)
        self.along = draw.standard_normal((STEPS, 2))
        self.by_outputs = draw.standard_normal((STEPS, 4))
        self.restarts = np.arange(STEPS) == 21

    def test_adjoint_forward_and_differences_agree(self):
        for model in ("constant_curvature", "cosserat"):
            start = started(model, nodes=3)
            g = tendril.Gradient(start.system, ["tip.velocity_x", "tip.position"], steps=STEPS)
            self.assertEqual(g.outputs, ["tip.velocity_x", "tip.x", "tip.y", "tip.z"])
            y = g.run(start, inputs(), DT, self.restarts)
            np.testing.assert_array_equal(g.run(start, inputs(), DT, [21]), y)  # by number
            slopes = g.adjoint(self.by_outputs)
            told = np.sum(slopes.inputs * self.along)
            dy = g.forward(inputs=self.along[None])
            self.assertAlmostEqual(np.sum(dy[0] * self.by_outputs) / told, 1.0, delta=1e-9)
            sides = [np.sum(self.by_outputs * g.run(start, inputs() + e * self.along, DT, self.restarts))
                     for e in (1e-4, -1e-4)]
            self.assertAlmostEqual((sides[0] - sides[1]) / 2e-4 / told, 1.0, delta=1e-6)
            np.testing.assert_array_equal(slopes.start_inputs, 0.0)  # it began with a jump
            state = start.copy()
            for k in range(STEPS):
                state.inputs[:] = inputs()[k]
                if self.restarts[k]:
                    state.restart()
                state.step(DT)
            np.testing.assert_array_equal(y[-1, 1:], state.pose().p)

    def test_numbers_of_the_robot_by_path(self):
        start = started("srl", lumped={"segments": 2})
        path, value = "rods.arm.material.youngs_modulus", 2e6
        g = tendril.Gradient(start.system, ["tip.position"], steps=STEPS, parameters={path: value})
        g.run(start, inputs(), DT)
        told = g.adjoint(self.by_outputs[:, 1:]).parameters[path]
        dy = g.forward(parameters={path: [1.0]})
        self.assertAlmostEqual(np.sum(dy[0] * self.by_outputs[:, 1:]) / told, 1.0, delta=1e-9)
        q, sides = start.coordinates()[0], []
        for e in (1e-4 * value, -1e-4 * value):
            system = tendril.System(tendril.Robot.parse(ARM, set={path: value + e}),
                                    options=start.system.options)
            state = system.state()
            state.set_coordinates(q)
            other = tendril.Gradient(system, ["tip.position"], steps=STEPS)
            sides.append(np.sum(self.by_outputs[:, 1:] * other.run(state, inputs(), DT)))
        self.assertAlmostEqual((sides[0] - sides[1]) / 2e-4 / value / told, 1.0, delta=1e-6)

    def test_checkpoints_bound_memory_and_change_nothing(self):
        start = started("constant_curvature")
        found = []
        for checkpoints in (STEPS, 0, 3):
            g = tendril.Gradient(start.system, ["tip.position"], steps=STEPS, checkpoints=checkpoints)
            g.run(start, inputs(), DT)
            found.append((g.adjoint(self.by_outputs[:, 1:]).inputs, g.bytes))
        for by_inputs, held in found[1:]:
            np.testing.assert_array_equal(by_inputs, found[0][0])
            self.assertLess(held, found[0][1])

    def test_what_does_not_fit_is_said(self):
        start = started("constant_curvature")
        g = tendril.Gradient(start.system, ["tip.x"], steps=STEPS)
        with self.assertRaisesRegex(tendril.ArgumentError, "no run"):
            g.adjoint(np.zeros((STEPS, 1)))
        with self.assertRaisesRegex(tendril.ArgumentError, r"\(40, 2\) is expected"):
            g.run(start, inputs()[1:], DT)
        for wrong in ([STEPS], [2.5], np.ones(3, bool)):
            with self.assertRaisesRegex(tendril.ArgumentError, "restarts: numbers of steps from 0 to 39"):
                g.run(start, inputs(), DT, restarts=wrong)
        with self.assertRaisesRegex(tendril.ArgumentError, "own system"):
            g.run(started("constant_curvature"), inputs(), DT)
        with self.assertRaisesRegex(tendril.ArgumentError, "as many of each"):
            g.forward()
        with self.assertRaisesRegex(tendril.ArgumentError, "they are none"):
            g.forward(parameters={"rods.arm.length": [1.0]})
        with self.assertRaisesRegex(tendril.ArgumentError, "41 checkpoints"):
            tendril.Gradient(start.system, ["tip.x"], steps=STEPS, checkpoints=41)
        with self.assertRaisesRegex(tendril.UnsupportedError, "chosen by tolerance"):
            chosen = tendril.System(start.system.robot, model="rom", integration={"method": "implicit"})
            tendril.Gradient(chosen, ["tip.x"], steps=STEPS)


if __name__ == "__main__":
    unittest.main()
