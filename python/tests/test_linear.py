"""Small motions against closed forms, and against the motions that steps make."""
import copy
import gc
import unittest

import numpy as np

import tendril

LENGTH, EI, MASS = 0.4, 207e9 * np.pi / 4 * 1e-12, 0.1
STIFFNESS, TAU = 3 * EI / LENGTH**3, 2e-3
MOVED = MASS + 33 / 140 * 1.0 * np.pi * 1e-6 * LENGTH  # with what a rod of 1 kg/m^3 adds (Rayleigh)


def beam(density, **more):
    robot = tendril.Robot("beam", gravity=(0, 0, 0))
    robot.add_rod("beam", length=LENGTH, youngs_modulus=207e9, poisson_ratio=0.3, density=density,
                  radius=1e-3, **more)
    return robot


def spring():
    """One mass on a rod without weight that bends."""
    robot = beam(1.0, damping_time=TAU)
    push = robot.add_input("push", unit="N")
    robot.add_body("weight", rod="beam", mass=MASS)
    robot.add_load("push", rod="beam", force=(push, 0, 0))
    state = tendril.System(robot, theory="kirchhoff").state()
    state.statics()
    return state


class Linear(unittest.TestCase):
    def test_a_cantilever_has_the_frequencies_of_the_closed_form(self):
        state = tendril.System(beam(8000), theory="kirchhoff", rotary_inertia=False, nodes=16).state()
        state.statics()
        modes = state.modes(6)
        self.assertEqual(len(modes), 6)
        roots = np.repeat([1.8751040687, 4.6940911330, 7.8547574382], 2)
        want = roots**2 / LENGTH**2 * np.sqrt(EI / (8000 * np.pi * 1e-6))
        np.testing.assert_allclose([m.s.imag for m in modes], want, rtol=1e-6)
        np.testing.assert_allclose([m.frequency for m in modes], want / (2 * np.pi), rtol=1e-6)
        self.assertEqual({m.kind for m in modes}, {"oscillates"})

    def test_one_mode_answers_as_the_closed_form(self):
        state = spring()
        l = state.system.linearise(state, outputs=["tip.x", "tip.velocity", "rod.beam.base_reaction.force_x"])
        self.assertEqual(l.outputs[0], "tip.x")
        self.assertEqual(l.units, ["m"] + 3 * ["rad/s"] + 3 * ["m/s"] + ["N"])
        omega = np.array([[0.5, 5.0, 8.7], [9.0, 20.0, 60.0]])
        H = l.frequency_response(omega)
        self.assertEqual(H.shape, (2, 3, 8, 1))
        want = 1 / (STIFFNESS - omega**2 * MOVED + 1j * omega * TAU * STIFFNESS)
        np.testing.assert_allclose(H[..., 0, 0], want, rtol=1e-5)
        np.testing.assert_allclose(H[..., 4, 0], 1j * omega * want, rtol=1e-5)
        # what holds the base is what the spring and its damper exert
        np.testing.assert_allclose(H[..., 7, 0], -(STIFFNESS + 1j * omega * TAU * STIFFNESS) * want,
                                   rtol=1e-4)
        self.assertEqual(l.frequency_response(5.0).shape, (8, 1))

    def test_matrices_are_those_of_the_response(self):
        l = spring().linearise(["tip.pose"])
        s = 7j
        z = np.linalg.solve(l.K + s * l.D + s * s * l.M, l.B)
        np.testing.assert_allclose((l.C + s * l.C1 + s * s * l.C2) @ z + l.F, l.frequency_response(7.0),
                                   atol=1e-12)

    def test_coordinates_have_names_and_units(self):
        linear = spring().linearise([])
        self.assertEqual(len(linear.coordinates), linear.n_coordinates)
        self.assertEqual(dict(zip(linear.coordinates, linear.coordinate_units))[
            "rod.beam.node2.curvature_y"], "1/m")

    def test_a_motion_starts_where_the_robot_says(self):
        robot = beam(8000)
        robot.set_initial({"rod.beam.node*.curvature_x": 0.5}, {"rod.beam.node*.curvature_y": 0.7})
        mass = 8000 * np.pi * 1e-6
        for one in (robot, tendril.Robot.parse(robot.text), copy.deepcopy(robot)):
            state = tendril.System(one, theory="kirchhoff", rotary_inertia=False).state()
            state.begin()
            self.assertAlmostEqual(state.energy.elastic / (0.5 * EI * 0.25 * LENGTH), 1, 9)
            self.assertGreater(state.energy.kinetic, 0.1 * mass * 0.49 * LENGTH**5 / 20)
        robot.set_initial(velocities={"rod.beam.tip": 1.0})
        with self.assertRaisesRegex(tendril.Error, "curvature_x"):
            tendril.System(robot)

    def test_the_first_order_answers_like_the_second(self):
        robot = beam(8000, damping_time=1e-3)
        robot.add_tendon("pull", offset=(8e-3, 0))
        state = tendril.System(robot, nodes=6).state()
        state.statics()
        l, s = state.linearise(["tip.pose", "tip.velocity"]), 70j
        space = l.state_space()
        y = space.C @ np.linalg.solve(s * np.eye(len(space.A)) - space.A, space.B) + space.D
        H = l.frequency_response(70.0)
        np.testing.assert_allclose(y, H, atol=1e-7 * abs(H).max())

    def test_what_relaxes_is_part_of_the_state_space(self) -> None:
        # of each node six strains flow, and have no rates of their own
        robot = tendril.Robot.parse("""
            tendril: 1
            gravity: [0, 0, 0]
            rods:
              - name: arm
                length: 0.1
                material: {youngs_modulus: 1 MPa, poisson_ratio: 0.5, density: 1000,
                           relaxation: {shares: 0.5, times: 20 ms}}
                section: {radius: 5 mm}
            simulation: {space: {nodes: 4}}
            """)
        state = tendril.System(robot).state()
        state.statics()
        small = state.linearise(["tip.x"])
        self.assertEqual(small.n_flows, 4 * 6)
        self.assertEqual(small.n_coordinates, state.system.n_coordinates + small.n_flows)
        self.assertEqual(len(small.coordinates), small.n_coordinates)
        A = small.state_space().A
        found = np.linalg.eigvals(A)
        self.assertEqual(len(A), 2 * state.system.n_coordinates + small.n_flows)
        for mode in state.modes():
            self.assertLess(np.min(abs(found - mode.s)), 1e-5 * abs(mode.s))

    def test_shapes_solve_the_equations(self):
        robot = beam(8000, damping_time=1e-3)
        robot.add_tendon("pull", offset=(8e-3, 0))
        state = tendril.System(robot).state()
        state.inputs["pull"] = 1.0
        state.statics()
        l = state.linearise(["tip.position", "tendon.pull.length"])
        modes = l.modes(4)
        for mode in modes:
            force = (l.K + mode.s * l.D + mode.s**2 * l.M) @ mode.shape
            self.assertLess(abs(force).max(), 1e-6 * abs(l.K @ mode.shape).max())
            np.testing.assert_allclose(mode.outputs, (l.C + mode.s * l.C1 + mode.s**2 * l.C2) @ mode.shape,
                                       atol=1e-9 * abs(mode.outputs).max())
            self.assertGreater(mode.damping, 0)

    def test_a_step_is_what_its_map_says(self):
        robot = beam(8000, damping_time=1e-3)
        robot.add_tendon("pull", offset=(8e-3, 0))
        state = tendril.System(robot, scheme="sdirk2", nodes=6, tolerance=1e-12).state()
        state.inputs["pull"] = 1.0
        state.statics()
        step = state.linearise(["tip.position"]).step_map(2e-3)
        state.step(2e-3)  # after steps of the same size
        before, answers = state.save(), []
        for change in (1e-4, -1e-4):
            state.restore(before)
            state.inputs["pull"] = 1.0 + change
            state.step(2e-3)
            answers.append(state.pose().p)
        np.testing.assert_allclose((answers[0] - answers[1]) / 2e-4, step.D[:, 0],
                                   atol=1e-5 * abs(step.D).max())

    def test_what_cannot_be_is_refused_with_a_reason(self):
        state = spring()
        with self.assertRaisesRegex(tendril.ArgumentError, "did you mean 'pose'"):
            state.linearise(["tip.pos"])
        with self.assertRaisesRegex(tendril.ArgumentError, "list of names"):
            state.linearise("tip.pose")
        with self.assertRaisesRegex(tendril.ArgumentError, "another system"):
            tendril.System(beam(8000)).linearise(state)
        state.inputs["push"] = 1.0
        state.restart()
        state.step(1e-2)
        with self.assertRaisesRegex(tendril.RuleError, "no equilibrium"):
            state.modes()
        self.assertTrue(state.linearise().accelerations.any())

    def test_it_outlives_what_it_is_of(self):
        l = spring().linearise(["tip.x"])
        gc.collect()
        self.assertEqual(l.frequency_response([1.0]).shape, (1, 1, 1))
        for omega in (np.nan, [1.0, np.inf]):
            with self.assertRaisesRegex(tendril.ArgumentError, "omega = (nan|inf)"):
                l.frequency_response(omega)
        for dt in (0.0, -1e-3, np.nan):
            with self.assertRaisesRegex(tendril.ArgumentError, f"dt = {dt:g} s"):
                l.step_map(dt)
        self.assertIn("1 outputs", repr(l))


if __name__ == "__main__":
    unittest.main()
