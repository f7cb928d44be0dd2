"""Statics, motion and derivatives against closed forms; lifetimes and failures."""
import copy
import gc
import math
import signal
import subprocess
import sys
import time
import unittest
import warnings
from pathlib import Path

import numpy as np

import tendril
from parts import EI, EXAMPLES, LENGTH, MASS, PI, wire


def loaded(**load):
    robot = wire()
    robot.add_load("tip", rod="wire", **load)
    state = tendril.System(robot, theory="kirchhoff").state()
    state.statics()
    return state


class ClosedForms(unittest.TestCase):
    def test_a_tip_moment_bends_the_wire_to_an_arc(self):
        moment = 1.0 * EI / LENGTH  # one radian
        shape = loaded(moment=(0, moment, 0)).shape(n=21)
        angle = shape.s / LENGTH
        np.testing.assert_allclose(shape.position[:, 0], LENGTH * (1 - np.cos(angle)), atol=1e-9)
        np.testing.assert_allclose(shape.position[:, 2], LENGTH * np.sin(angle), atol=1e-9)
        np.testing.assert_allclose(shape.strain[:, 1], 1 / LENGTH, rtol=1e-9)
        np.testing.assert_allclose(shape.R[-1, :, 2], (math.sin(1), 0, math.cos(1)), atol=1e-9)

    def test_the_compliance_of_a_straight_cantilever(self):
        C = loaded().compliance()
        self.assertAlmostEqual(C[3, 3] * 3 * EI / LENGTH**3, 1.0, places=8)
        self.assertAlmostEqual(C[1, 1] * EI / LENGTH, 1.0, places=8)
        self.assertAlmostEqual(C[3, 1] * 2 * EI / LENGTH**2, 1.0, places=8)

    def test_the_jacobian_of_a_cantilever_against_its_tip_force(self):
        robot = wire()
        push = robot.add_input("push", "N")
        robot.add_load("tip", force=(push, 0, 0))
        state = tendril.System(robot, theory="kirchhoff").state()
        state.statics()
        J = state.jacobian("wire")
        self.assertEqual(J.shape, (6, 1))
        self.assertAlmostEqual(J[3, 0] * 3 * EI / LENGTH**3, 1.0, places=8)
        self.assertAlmostEqual(J[1, 0] * 2 * EI / LENGTH**2, 1.0, places=8)
        part = state.jacobian("wire", position_only=True, inputs=["push", 0])
        np.testing.assert_allclose(part, J[3:, [0, 0]], rtol=1e-12)

    def test_a_step_tells_how_its_end_answers(self):
        robot = wire()
        push = robot.add_input("push", "N")
        robot.add_load("tip", force=(push, 0, 0))
        state = tendril.System(robot, scheme="sdirk2", tolerance=1e-12).state()
        state.begin()
        before, h, ends = state.save(), 1e-3, []
        pose, velocity = state.step_jacobian(1e-3)
        for sign in (1, -1):
            state.restore(before)
            state.inputs["push"] = sign * h
            state.step(1e-3)
            ends.append(state.pose().p)
        np.testing.assert_allclose(pose[3:, 0], (ends[0] - ends[1]) / (2 * h),
                                   atol=1e-6 * np.abs(pose[3:]).max())
        self.assertEqual(velocity.shape, (6, 1))
        for h in (1e-3, -1e-3):
            state.restore(before)
            state.inputs["push"] = h
            state.step(1e-3)
            ends.append(state.pose(s=0.5 * LENGTH).p)
        state.restore(before)
        middle, _ = state.step_jacobian(1e-3, s=0.5 * LENGTH)
        np.testing.assert_allclose(middle[3:, 0], (ends[2] - ends[3]) / 2e-3,
                                   atol=1e-6 * np.abs(middle[3:]).max())

    def test_a_parallel_tendon_bends_the_wire_to_an_arc(self):
        robot, offset, tension = wire(), 0.01, 5.0
        robot.add_tendon("east", offset=(offset, 0))
        state = tendril.System(robot, theory="kirchhoff").state()
        state.inputs["east"] = tension
        state.statics()
        angle = tension * offset * LENGTH / EI
        self.assertAlmostEqual(state.pose().p[0], LENGTH * (1 - math.cos(angle)) / angle, places=9)
        self.assertAlmostEqual(state.tendons["east"].displacement, offset * angle, places=9)
        path = state.tendon_path("east", 101)
        length = np.sum(np.linalg.norm(np.diff(path, axis=0), axis=1))
        self.assertAlmostEqual(length, LENGTH - offset * angle, places=6)

    def test_stability_falls_with_the_load_to_zero_at_the_load_of_euler(self):
        critical = PI**2 * EI / (4 * LENGTH**2)
        for share in (0.25, 0.5, 0.9):
            state = loaded(force=(0, 0, -share * critical))
            self.assertAlmostEqual(state.stability(), 1 - share, places=6)

    def test_a_released_wire_swings_at_its_first_frequency(self):
        robot = wire()
        push = robot.add_input("push", "N", tendril.signals.step(1e-3, 0.0, at=0.0))
        robot.add_load("tip", force=(push, 0, 0))
        result = tendril.run(robot, theory="kirchhoff", scheme="trapezoidal", step=2e-4, end=0.5)
        x, t = result.tip()[:, 0], result.time
        down = np.flatnonzero((x[:-1] > 0) & (x[1:] <= 0))
        crossings = t[down] + (t[1] - t[0]) * x[down] / (x[down] - x[down + 1])
        frequency = (len(crossings) - 1) / (crossings[-1] - crossings[0])
        beam = 1.87510407**2 / (2 * PI * LENGTH**2) * math.sqrt(EI / MASS)
        self.assertAlmostEqual(frequency / beam, 1.0, delta=2e-3)

    def test_inverse_efforts_hold_the_arm_where_it_is(self):
        robot = tendril.Robot.load(EXAMPLES / "liu-arm.yaml")
        state = tendril.System(robot).state()
        state.statics()
        q, _ = state.coordinates()
        q = q + 0.02
        still = np.zeros_like(q)
        efforts = state.inverse_efforts(q, still, still)
        self.assertEqual(efforts.shape, (6,))
        state.inputs.update(zip(state.system.tendons, efforts))
        state.statics()
        np.testing.assert_allclose(state.coordinates()[0], q, atol=1e-6)
        forces = state.inverse_dynamics(q, still, still)
        self.assertEqual(forces.shape, q.shape)

    def test_reach_finds_the_inputs(self):
        robot = wire()
        for name, offset in (("east", (0.01, 0)), ("north", (0, 0.01))):
            robot.add_tendon(name, offset=offset)
        state = tendril.System(robot, theory="kirchhoff").state()
        state.inputs[:] = (2.0, 3.0)
        state.statics()
        goal = state.pose().p.copy()
        state.inputs[:] = (1.0, 1.0)
        state.statics()
        found = state.reach(goal, steps=4)
        self.assertAlmostEqual(found["east"], 2.0, places=6)
        self.assertAlmostEqual(found["north"], 3.0, places=6)
        np.testing.assert_allclose(state.pose().p, goal, atol=1e-9)


class Drives(unittest.TestCase):
    def test_a_motor_pulls_by_its_torque_over_its_spool(self):
        robot = wire()
        robot.add_tendon("east", offset=(0.01, 0), input="current",
                         motor={"travel": 0.005, "gear": 10, "inertia": 1e-6,
                                "torque_constant": 0.02, "viscous": 1e-6})
        robot.add_sensor("amperes", "tendon.east.current")
        state = tendril.System(robot).state()
        state.inputs["east"] = 0.01
        state.statics()
        self.assertAlmostEqual(state.tendons["east"].tension, 0.01 * 0.02 * 10 / 0.005, places=9)
        self.assertAlmostEqual(state.drive("east").current, 0.01, places=12)
        self.assertAlmostEqual(state.drive("east").angle * 0.005,
                               state.tendons["east"].displacement, places=12)
        state.inputs["east"] = 0.02
        state.step(1e-3)
        self.assertGreater(state.drive("east").speed, 0.0)
        self.assertAlmostEqual(state.sensors["amperes"][0], 0.02, places=12)
        with self.assertRaisesRegex(tendril.ArgumentError, "did you mean east"):
            state.drive("eas")
        with self.assertRaisesRegex(tendril.ArgumentError, "did you mean current"):
            robot.add_tendon("west", offset=(-0.01, 0), input="curent")
        bare = wire()
        bare.add_tendon("east", offset=(0.01, 0))
        bare = tendril.System(bare).state()
        bare.statics()
        state.statics()
        n = bare.linearise().n_coordinates
        self.assertEqual(state.linearise().n_coordinates, n + 1)  # and the angle of the rotor


class Sensors(unittest.TestCase):
    def test_readings_are_late_and_noisy_and_the_same_for_a_seed(self):
        robot = wire()
        robot.add_sensor("camera", "tip.position", rate=100.0, delay=0.02, noise=1e-3)
        robot.add_sensor("plain", "tip.x")
        readings = []
        for seed in (1, 1, 2):
            state = tendril.System(robot, seed=seed).state()
            state.begin()
            state.step(0.005, 10)
            values, taken, n = state.reading("camera")
            self.assertAlmostEqual(taken, 0.03)
            self.assertEqual(n, 4)  # at rest, and three since
            self.assertLess(np.abs(values - state.sensor_truth("camera")).max(), 6e-3)
            self.assertEqual(state.sensors["plain"][0], state.pose().p[0])
            readings.append(values)
        np.testing.assert_array_equal(readings[0], readings[1])
        self.assertTrue((readings[0] != readings[2]).all())
        state.set_seed(1)
        with self.assertRaisesRegex(tendril.Error, "whole number"):
            state.set_seed(-1)

    def test_the_clock_is_set(self):
        robot = wire()
        robot.add_sensor("camera", "tip.position", rate=100.0)
        state = tendril.System(robot).state()
        state.begin()
        state.step(0.005, 3)
        state.set_time(2.003)
        self.assertEqual(state.time, 2.003)
        self.assertAlmostEqual(state.reading("camera")[1], 1.998)  # as long ago as it was
        state.step(0.005, 2)
        self.assertAlmostEqual(state.reading("camera")[1], 2.013)  # the first that ends after 2.01
        with self.assertRaisesRegex(tendril.Error, "t = nan"):
            state.set_time(float("nan"))

    def test_controllers_act_on_estimates(self):
        robot = tendril.Robot.load(EXAMPLES / "lifting-arm.yaml")
        state = tendril.System(robot).state()
        state.begin()
        n = state.system.n_coordinates
        state.advance(4e-3, 300)
        self.assertAlmostEqual(state.sensors["payload"][0], -0.05, delta=0.01)
        self.assertAlmostEqual(state.sensors["believed"][2], state.pose().p[2], delta=1e-3)
        robot.add_controller("back", ["up"], "feedback", gain=np.ones((1, 2 * n)), estimated=True)
        state = tendril.System(robot).state()
        state.begin()
        state.advance(4e-3, 2)
        self.assertNotEqual(state.controllers["back"][0], 0.0)
        robot.add_sensor("loud", "estimate.tip.x")
        with self.assertRaises(tendril.Error):
            robot.add_sensor("louder", "estimate.tip.x", noise=1e-3)

    def test_runs_record_what_has_arrived(self):
        result = tendril.run(tendril.Robot.load(EXAMPLES / "sensors.yaml"), end=0.1)
        self.assertEqual(len(result.sensors["camera.x"]), len(result.time))
        self.assertEqual(len([name for name in result.sensors if name.startswith("fibre")]), 6)


class Controllers(unittest.TestCase):
    def wire(self):
        robot = wire()
        robot.add_input("push", "N")
        robot.add_load("tip", force=("push", 0, 0))
        robot.add_sensor("tip", "tip.x")
        return robot

    def test_a_pid_pushes_towards_its_reference(self):
        robot = self.wire()
        robot.add_controller("hold", "push", "pid", sensor="tip", reference="0.01",
                             proportional=2.0, limits=(-5, 5))
        state = tendril.System(robot).state()
        state.begin()
        for _ in range(5):
            seen = state.sensors["tip"][0]
            state.advance(0.01)
            self.assertAlmostEqual(state.inputs["push"], 2.0 * (0.01 - seen), places=14)
        self.assertEqual(state.controllers["hold"][0], state.inputs["push"])
        self.assertEqual(state.system.controller_inputs("hold"), ["push"])
        state.set_controller_on("hold", False)
        state.advance(0.01)
        self.assertEqual(state.inputs["push"], 0.0)

    def test_a_function_is_a_controller(self):
        robot = self.wire()
        robot.add_controller("own", ["push"], "callback", period=0.02)
        state = tendril.System(robot).state()
        state.begin()
        seen = []

        def function(t, readings):
            seen.append((t, readings["tip"][0]))
            return 0.1 * len(seen)

        state.set_controller("own", function)
        state.advance(0.01, 5)
        self.assertEqual([round(t, 9) for t, _ in seen], [0.0, 0.02, 0.04])
        self.assertAlmostEqual(state.inputs["push"], 0.3)

    def test_what_a_function_raises_arrives(self):
        robot = self.wire()
        robot.add_controller("own", "push", "callback")
        state = tendril.System(robot).state()
        state.begin()

        def function(t, readings):
            if t > 0.015:
                raise ValueError("enough")
            return 0.1

        state.set_controller("own", function)
        with self.assertRaisesRegex(ValueError, "enough"):
            state.advance(0.01, 5)
        self.assertAlmostEqual(state.time, 0.03)
        state.set_controller("own", lambda t, readings: 0.2)
        state.advance(0.01)
        self.assertAlmostEqual(state.inputs["push"], 0.2)

    def test_loops_of_steps_have_set_points(self):
        robot = self.wire()
        robot.add_input("goal", "m")
        robot.add_controller("hold", "push", "pid", sensor="tip", reference="goal", proportional=2.0)
        state = tendril.System(robot).state()
        state.begin()
        for k in range(5):
            seen = state.sensors["tip"][0]
            state.apply_signals(0.01 * (k + 1), "before")
            state.inputs["goal"] = 1e-3 * (k + 1)
            state.apply_controllers()
            self.assertAlmostEqual(state.inputs["push"], 2.0 * (1e-3 * k - seen), places=14)
            state.step(0.01)

    def test_the_best_gain_calms_a_wire(self):
        robot = self.wire()
        robot.options.scheme = "sdirk2"
        robot.options.nodes = 4
        state = tendril.System(robot).state()
        state.begin()
        n = state.system.n_coordinates
        linear = state.linearise()
        K, P = linear.lqr(2e-3, ["push"], Q=1.0, R=[[10.0]])
        step = linear.step_map(2e-3)
        A = np.block([[step.A, step.B0], [np.zeros((1, 2 * n + 1))]])
        B = np.vstack([step.B, [[1.0]]])
        Q = np.diag(np.r_[np.ones(2 * n), 0.0])
        np.testing.assert_allclose(Q + A.T @ P @ (A - B @ K) - P, 0.0, atol=1e-8 * np.abs(P).max())
        free, held = (np.abs(np.linalg.eigvals(one)).sum() for one in (step.A, A - B @ K))
        self.assertLess(held, free - 1e-3)
        with self.assertRaisesRegex(tendril.Error, "row for each of 1 inputs"):
            robot.add_controller("wrong", "push", "feedback", gain=np.zeros((2, 3)))


class Parts(unittest.TestCase):
    """Calls that take other parts than the tip of the only rod."""

    def test_a_platform_is_brought_to_a_pose_by_its_legs(self):
        state = tendril.System(tendril.Robot.load(EXAMPLES / "stewart-gough.yaml")).state()
        state.begin()
        start = state.bodies["plate"].pose
        tilt = math.radians(2)
        orientation = (math.cos(tilt / 2), math.sin(tilt / 2), 0, 0)
        legs = state.reach(start.p + (0.005, 0, 0.005), orientation, body="plate", steps=4)
        self.assertEqual(len(legs), 6)
        pose = state.bodies["plate"].pose
        np.testing.assert_allclose(pose.p, start.p + (0.005, 0, 0.005), atol=1e-9)
        np.testing.assert_allclose(np.abs(pose.q @ orientation), 1.0, atol=1e-12)

    def test_the_jacobian_of_a_body_is_that_of_differences(self):
        state = tendril.System(tendril.Robot.load(EXAMPLES / "stewart-gough.yaml")).state()
        state.begin()
        J, h = state.jacobian(body="plate"), 1e-5
        self.assertEqual(J.shape, (6, 6))
        start, ends = state.inputs["leg1"], []
        for sign in (1, -1):
            state.inputs["leg1"] = start + sign * h
            state.statics()
            ends.append(state.bodies["plate"].pose.p)
        np.testing.assert_allclose(J[3:, 0], (ends[0] - ends[1]) / (2 * h), atol=1e-5)
        C = state.compliance(body="plate")
        np.testing.assert_allclose(C, C.T, atol=1e-6 * np.abs(C).max())

    def test_legs_carry_the_plate_and_the_ground_carries_all(self):
        state = tendril.System(tendril.Robot.load(EXAMPLES / "stewart-gough.yaml")).state()
        state.begin()
        legs = range(len(state.system.rods))
        plate = state.reaction(body="plate")
        tips = sum(state.reaction(rod, "tip").force for rod in legs)
        np.testing.assert_allclose(plate.force, -tips, atol=1e-6)
        ground = sum(state.reaction(rod).force for rod in legs)
        self.assertGreater(ground[2], plate.force[2])
        with self.assertRaises(tendril.ArgumentError):
            state.reaction(0, "middle")

    def test_points_that_touch_press_on_the_obstacle(self):
        robot = tendril.Robot.load(EXAMPLES / "guidewire.yaml")
        plan = robot.scenario
        plan.fields = ["pose", "contact"]
        result = tendril.run(robot, end=1.0, step=0.01, scenario=plan)
        state, vessel = result.state, result.obstacles["vessel"]
        points = state.contacts()
        self.assertGreater(len(points), 1)
        force = -sum(point.force for point in points)
        np.testing.assert_allclose(state.obstacle_wrench("vessel").force, force, atol=1e-12)
        np.testing.assert_allclose(vessel.wrench[-1, 3:], force, atol=1e-12)
        wire = result.rods[state.system.rods[0]]
        self.assertEqual(wire.gap.shape, wire.pressure.shape)
        self.assertEqual(wire.contact.shape, wire.position.shape)
        for point in points:
            phi, normal = state.distance("vessel", point.point)
            self.assertAlmostEqual(phi, point.gap, places=9)
            np.testing.assert_allclose(normal, point.normal, atol=1e-6)

    def test_a_force_elsewhere_moves_the_tip_as_maxwell_says(self):
        state = loaded()
        there = state.compliance("wire", LENGTH, load_rod="wire", load_s=LENGTH / 2)
        back = state.compliance("wire", LENGTH / 2, load_rod="wire", load_s=LENGTH)
        np.testing.assert_allclose(there, back.T, rtol=1e-4, atol=1e-9)
        # the tip under a force in the middle: 5 F L^3/(48 EI)
        self.assertAlmostEqual(there[3, 3] * 48 * EI / (5 * LENGTH**3), 1.0, places=4)

    def test_the_sensitivity_to_a_length_is_that_of_the_formula(self):
        """x = F L^3/(3 EI): dx/dL = F L^2/EI."""
        def system(length):
            robot = tendril.Robot(gravity=(0, 0, 0))
            robot.add_rod("wire", length=length, youngs_modulus=207e9, shear_modulus=79e9,
                          density=8000, radius=1e-3)
            robot.add_load("tip", force=(1e-4, 0, 0))
            return tendril.System(robot, theory="kirchhoff")

        h = 1e-5
        state = system(LENGTH).state()
        state.statics()
        out = state.sensitivity(system(LENGTH + h), system(LENGTH - h), h)
        self.assertAlmostEqual(out[3] * EI / (1e-4 * LENGTH**2), 1.0, places=5)

    def test_tension_falls_along_a_tendon_that_rubs(self):
        """The capstan: on an arc of angle a it falls to T exp(-mu a)."""
        robot, mu = wire(), 0.3
        robot.add_tendon("east", offset=(0.01, 0), friction=mu, presliding=1e-9)
        state = tendril.System(robot, theory="kirchhoff", nodes=16).state()
        for tension in np.linspace(0.5, 5.0, 10):
            state.inputs["east"] = tension
            state.statics()
        # the angle that the tendon turns by is that of its rod
        turned = 2 * math.acos(min(1.0, abs(state.pose().q[0])))
        self.assertAlmostEqual(state.tension("east", 0.0), 5.0, places=6)
        self.assertAlmostEqual(state.tendons["east"].end_tension,
                               5.0 * math.exp(-mu * turned), delta=2e-3)

    def test_a_rate_that_is_given_stands_for_the_difference_of_the_input(self):
        robot = tendril.Robot(gravity=(0, 0, 0))
        x = robot.add_input("x", "m")
        robot.add_rod("wire", length=LENGTH, youngs_modulus=207e9, shear_modulus=79e9, density=8000,
                      radius=1e-3, base={"position": (x, 0, 0)})

        def moved(rate):
            state = tendril.System(robot).state()
            state.inputs["x"] = 2.0**-14
            if rate is not None:
                state.inputs.set_rate("x", rate)
            state.step(2.0**-10)
            return state.shape().velocity

        np.testing.assert_array_equal(moved(2.0**-4), moved(None))
        self.assertGreater(np.abs(moved(2.0**-3) - moved(None)).max(), 0.01)

    def test_a_shape_is_fitted_to_points_on_it(self):
        """An arc of 0.8 rad, given by eight points."""
        state = tendril.System(wire(), model="rom").state()
        angle = 0.8 * np.linspace(0, 1, 9)[1:]
        radius = LENGTH / 0.8
        points = radius * np.stack((1 - np.cos(angle), 0 * angle, np.sin(angle)), axis=1)
        left = state.fit_shape(points, s=LENGTH * np.linspace(0, 1, 9)[1:])
        self.assertLess(left, 1e-4)
        np.testing.assert_allclose(state.pose().p, points[-1], atol=1e-4)
        middle = radius * np.array((1 - math.cos(0.45), 0, math.sin(0.45)))
        np.testing.assert_allclose(state.pose("wire", LENGTH * 0.45 / 0.8).p, middle, atol=1e-4)
        with self.assertRaises(tendril.UnsupportedError):
            tendril.System(wire()).state().fit_shape(points)
        with self.assertRaises(tendril.ArgumentError):
            state.fit_shape(points[0])


class Motion(unittest.TestCase):
    def test_many_steps_in_one_call_are_the_same_steps(self):
        system = tendril.System(tendril.Robot.load(EXAMPLES / "cantilever.yaml"))
        one, many = system.state(), system.state()
        one.begin(), many.begin()
        for _ in range(20):
            one.step(2e-3)
        many.step(2e-3, 20)
        np.testing.assert_array_equal(one.shape().position, many.shape().position)
        self.assertAlmostEqual(many.time, 0.04)

    def test_a_snapshot_continues_to_the_same_bits(self):
        system = tendril.System(tendril.Robot.load(EXAMPLES / "cantilever.yaml"))
        state = system.state()
        state.begin()
        state.step(2e-3, 10)
        kept, twin = state.save(), state.copy()
        state.step(2e-3, 10)
        twin.step(2e-3, 10)
        np.testing.assert_array_equal(state.shape().velocity, twin.shape().velocity)
        state.restore(kept)
        self.assertAlmostEqual(state.time, 0.02)

    def test_inputs_that_are_assigned_are_given_to_the_robot(self):
        state = tendril.System(tendril.Robot.load(EXAMPLES / "arm.yaml")).state()
        state.inputs = [2.0]
        self.assertEqual(state.inputs["pull"], 2.0)
        state.inputs = {"pull": 3.0}
        self.assertEqual(state.inputs["pull"], 3.0)
        with self.assertRaises(ValueError):
            state.inputs = [1.0, 2.0]
        self.assertEqual(state.inputs["pull"], 3.0)

    def test_a_copy_goes_its_own_way(self):
        state = loaded(force=(0.1, 0, 0))
        for twin in (state.copy(), copy.copy(state), copy.deepcopy(state)):
            twin.step(1e-3)
            self.assertEqual((state.time, twin.time), (0.0, 1e-3))

    def test_energy_and_statistics_are_there(self):
        state = tendril.System(tendril.Robot.load(EXAMPLES / "cantilever.yaml")).state()
        state.begin()
        before = sum(state.energy.as_dict()[k] for k in ("kinetic", "gravity", "elastic"))
        state.step(2e-3, 20)
        e = state.energy
        after = e.kinetic + e.gravity + e.elastic + e.dissipated - e.work
        self.assertGreater(e.kinetic, 0)
        self.assertLess(abs(after - before), 0.02 * e.kinetic)
        self.assertGreater(state.stats.iterations, 0)


class Failures(unittest.TestCase):
    def test_a_step_that_cannot_be_raises_and_changes_nothing(self):
        state = tendril.System(wire()).state()
        state.step(1e-3)
        before = state.save()
        with self.assertRaises(tendril.Error) as caught:
            state.step(-1.0)
        self.assertTrue(caught.exception.message)
        self.assertEqual(state.save(), before)

    def test_an_input_that_is_not_finite_is_refused(self):
        robot = wire()
        robot.add_input("a"), robot.add_input("b")
        state = tendril.System(robot).state()
        for change in (lambda: state.inputs.__setitem__("a", math.nan),
                       lambda: state.inputs.__setitem__(slice(None), (1.0, math.inf))):
            with self.assertRaises(tendril.Error):
                change()
            np.testing.assert_array_equal(np.asarray(state.inputs), (0, 0))

    def test_a_model_that_cannot_says_which_can(self):
        robot = tendril.Robot.load(EXAMPLES / "stewart-gough.yaml")
        with self.assertRaises(tendril.UnsupportedError) as caught:
            tendril.System(robot, model="constant_curvature")
        self.assertIn("cosserat", str(caught.exception))
        self.assertIsInstance(caught.exception, NotImplementedError)

    def test_what_a_model_only_comes_near_is_noted(self):
        robot = tendril.Robot.load(EXAMPLES / "arm.yaml")
        self.assertEqual(tendril.System(robot).notes, [])
        notes = tendril.System(robot, model="constant_curvature").notes
        self.assertEqual(len(notes), 1)
        self.assertTrue(notes[0].startswith("rods.arm: "), notes)

    def test_derivatives_that_a_scheme_has_not_are_refused(self):
        state = tendril.System(wire(), space="shooting").state()
        with self.assertRaises(tendril.UnsupportedError):
            state.compliance()

    def test_a_bifurcation_on_the_way_is_a_warning(self):
        robot = wire()
        robot.add_load("tip", force=(0, 0, -2 * PI**2 * EI / (4 * LENGTH**2)))
        state = tendril.System(robot, theory="kirchhoff").state()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            state.statics()
        self.assertEqual([w.category for w in caught], [tendril.BifurcationWarning])
        self.assertEqual(caught[0].filename, __file__)
        self.assertAlmostEqual(state.stats.bifurcation, 0.5, places=3)

    def test_a_target_that_one_tendon_cannot_meet_is_a_warning(self):
        robot = wire()
        robot.add_tendon("east", offset=(0.01, 0))
        state = tendril.System(robot).state()
        state.statics()
        with self.assertWarns(tendril.LooseWarning):
            state.reach((0.05, 0.01, 0.39))

    def test_a_snapshot_of_another_robot_is_refused(self):
        other = tendril.Robot.load(EXAMPLES / "arm.yaml")
        snapshot = tendril.System(other).state().save()
        with self.assertRaises(tendril.Error):
            tendril.System(wire()).state().restore(snapshot)

    def test_what_does_not_exist_is_named(self):
        state = tendril.System(wire()).state()
        for call in (lambda: state.pose("wyre"), lambda: state.pose(1), lambda: state.inputs["x"],
                     lambda: state.tendons["x"], lambda: state.jacobian(body="x")):
            with self.assertRaises(tendril.ArgumentError):
                call()
        with self.assertRaisesRegex(tendril.ArgumentError, "did you mean wire"):
            state.pose("wyre")

    def test_a_snapshot_that_is_not_whole_is_refused(self):
        state = loaded()
        for snapshot in (b"", state.save()[:-1], state.save() + b"x"):
            with self.assertRaisesRegex(tendril.ArgumentError, "bytes"):
                state.restore(snapshot)

    def test_counts_and_places_that_cannot_be_are_refused(self):
        state = loaded()
        for call in (lambda: state.step(1e-3, -1), lambda: state.advance(1e-3, -1),
                     lambda: state.pose("wire", math.nan), lambda: state.sample("wire", [0, math.nan]),
                     lambda: tendril.Batch(state.system, -1),
                     lambda: tendril.batch.step([state], 1e-3, -1)):
            with self.assertRaises(tendril.ArgumentError):
                call()
        self.assertEqual(state.time, 0.0)

    def test_coordinates_that_a_model_has_not_are_refused_in_words(self):
        with self.assertRaisesRegex(tendril.UnsupportedError, "cosserat: .*no coordinates"):
            tendril.System(wire(), space="shooting").state().coordinates()

    def test_options_of_a_system_cannot_be_changed(self):
        system = tendril.System(wire(), lumped={"segments": 5})
        self.assertEqual(system.options.lumped.segments, 5)
        with self.assertRaises(AttributeError):
            system.options.nodes = 3
        with self.assertRaises(AttributeError):
            system.options.lumped.segments = 3


class Signals(unittest.TestCase):
    def test_a_long_step_hears_ctrl_c(self):
        script = """
import tendril
from parts import wire
state = tendril.System(wire(gravity=(9.81, 0, 0)), model="rom", rom={"order": 20},
                       integration={"method": "explicit"}).state()
before = state.save()
print("go", flush=True)
try:
    state.step(1.0)
except KeyboardInterrupt:
    print("heard", state.save() == before, flush=True)
"""
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                              cwd=Path(__file__).parent) as child:
            self.assertEqual(child.stdout.readline(), "go\n")
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.stdout.readline(), "heard True\n")


class Lifetimes(unittest.TestCase):
    def test_a_state_outlives_robot_and_system(self):
        def make():
            return tendril.System(tendril.Robot.load(EXAMPLES / "arm.yaml")).state()

        state = make()
        gc.collect()
        state.inputs["pull"] = 1.0
        state.statics()
        self.assertGreater(state.pose().p[0], 0.01)

    def test_views_outlive_the_state(self):
        state = loaded(force=(0.1, 0, 0))
        position, stretch = state.shape(n=5).position, state.sample().strain
        options = state.system.options
        p, lumped = state.pose().p, options.lumped
        expected = position.copy(), p.copy()
        del state, options
        gc.collect()
        tendril.System(wire()).state().shape()  # something else takes the memory
        np.testing.assert_array_equal(position, expected[0])
        np.testing.assert_array_equal(p, expected[1])
        self.assertEqual(stretch.shape, (6,))
        self.assertEqual(lumped.segments, tendril.Options().lumped.segments)

    def test_a_sample_does_not_change_with_the_state(self):
        state = loaded(force=(0.1, 0, 0))
        sample = state.sample()
        before = sample.position.copy()
        state.reset()
        np.testing.assert_array_equal(sample.position, before)

    def test_nothing_leaks(self):
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096

        def go(n):
            for _ in range(n):
                state = tendril.System(wire()).state()
                state.shape(), state.save(), state.energy
                try:
                    tendril.System(wire(), nodes=1)
                except tendril.Error:
                    pass
            gc.collect()

        go(50)
        before = resident()
        bytes_each = tendril.System(wire()).state_bytes
        go(400)
        self.assertLess(resident() - before, 0.1 * 400 * bytes_each + 2e6)


class Arcs(unittest.TestCase):
    def test_an_arc_to_a_point_ends_there(self):
        arc = tendril.Arc.to_point((0.05, 0.02, 0.25))
        np.testing.assert_allclose(arc.pose().p, (0.05, 0.02, 0.25), atol=1e-12)

    def test_tendons_give_the_arc_back(self):
        arc, offsets = tendril.Arc((0.4, -0.3), 0.3), [(0.01, 0), (-0.005, 0.009), (-0.005, -0.009)]
        back = tendril.Arc.from_tendons(offsets, [arc.tendon(offset) for offset in offsets])
        np.testing.assert_allclose(back.u, arc.u, atol=1e-12)
        angle, radius, direction = arc.polar()
        self.assertAlmostEqual(angle, 0.5)
        self.assertAlmostEqual(radius, 0.6)
        self.assertAlmostEqual(direction, math.atan2(-0.3, 0.4))

    def test_clarke_there_and_back(self):
        values = np.array([0.3, -0.1, -0.4, 0.2])
        values -= values.mean()
        back = tendril.clarke(tendril.clarke_inverse(tendril.clarke(values), 4))
        np.testing.assert_allclose(back, tendril.clarke(values), atol=1e-14)


if __name__ == "__main__":
    unittest.main()
