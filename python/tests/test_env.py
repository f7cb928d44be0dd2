"""Robots that learn, robots that differ, and copies of all of them."""
import copy
import pickle
import tempfile
import unittest
from pathlib import Path

import numpy as np

import tendril
from parts import EXAMPLES, wire

ARM = """
tendril: 1
rods:
  - name: arm
    length: 0.25
    material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 38000}
    section: {radius: 0.5 mm}
    damping: {bending: 2e-4 N m^2 s, torsion: 2e-4 N m^2 s}
bodies: [{name: payload, on: arm, at: tip, mass: 4 g}]
tendons:
  - {name: east, offset: [8 mm, 0]}
  - {name: north, offset: [0, 8 mm]}
simulation: {theory: kirchhoff, time: {scheme: bdf2, step: 5 ms, end: 1 s}, space: {nodes: 4}}
"""
MASS, YOUNG = "bodies.payload.mass", "rods.arm.material.youngs_modulus"


def arm(**values):
    return tendril.System(tendril.Robot.parse(ARM, set=values))


def distance(env, action):
    return -np.linalg.norm(env.batch.sample().position[:, :2] - env.goal, axis=1)


def make(n=6, **options):
    given = dict(dt=5e-3, substeps=2, horizon=5, high=3.0, reward=distance, seed=3,
                 goal=lambda rng: rng.uniform(-0.05, 0.05, 2),
                 randomise={MASS: (1e-3, 8e-3), YOUNG: lambda rng: 207e9 * rng.uniform(0.9, 1.1)})
    return tendril.Env(arm(), n, **{**given, **options})


def play(env, steps, seed=7):
    rng, rows = np.random.default_rng(seed), [env.reset(seed=3)[0]]
    for _ in range(steps):
        seen, gained, *_ = env.step(env.single_action_space.sample(rng)
                                    * np.ones((env.num_envs, 1)))
        rows += [seen, gained[:, None] * np.ones_like(seen)]
    return np.array(rows)


class Differing(unittest.TestCase):
    def test_each_robot_is_the_one_whose_file_has_its_numbers(self):
        masses, moduli = np.linspace(1e-3, 9e-3, 5), np.linspace(190e9, 220e9, 5)
        for kind in ("lanes", "states"):
            batch = tendril.Batch(arm(), 5, kind=kind, threads=2)
            batch.set_parameters({MASS: masses, YOUNG: moduli})
            batch.inputs[:] = [1.0, 0.5]
            batch.step(5e-3, 10)
            for i in (0, 3):
                alone = tendril.Batch(arm(**{MASS: masses[i], YOUNG: moduli[i]}), 1, kind=kind)
                alone.inputs[:] = [1.0, 0.5]
                alone.step(5e-3, 10)
                np.testing.assert_array_equal(batch.sample().position[i],
                                              alone.sample().position[0])
                self.assertEqual(batch.state(i).save(), alone.state(0).save())

    def test_some_differ_anew_and_the_rest_goes_on(self):
        batch = tendril.Batch(arm(), 4)
        batch.set_parameters({MASS: [1e-3, 2e-3, 3e-3, 4e-3]})
        batch.step(5e-3, 2)
        batch.set_parameters({MASS: 7e-3}, which=[2])
        np.testing.assert_array_equal(batch.time > 0, [True, True, False, True])
        np.testing.assert_array_equal(batch.parameters[MASS], [1e-3, 2e-3, 7e-3, 4e-3])
        with self.assertRaisesRegex(tendril.ArgumentError, "youngs_modulus"):
            batch.set_parameters({YOUNG: 1e9}, which=[1])
        with self.assertRaisesRegex(tendril.Error, "robot 0: .*did you mean"):
            batch.set_parameters({"bodies.payload.mas": 1e-3})

    def test_jacobians_are_those_of_the_states(self):
        batch = tendril.Batch(arm(), 3)
        batch.set_parameters({MASS: [1e-3, 4e-3, 9e-3]})
        batch.inputs[:, 0] = [0.5, 1.0, 1.5]
        batch.statics()
        J = batch.jacobian()
        self.assertEqual(J.shape, (3, 6, 2))
        for i in range(3):
            np.testing.assert_allclose(J[i], batch.state(i).jacobian(), rtol=1e-12, atol=1e-15)
        batch.inputs[:, 0] += 1e-5  # by differences
        moved = batch.sample().position
        batch.statics()
        np.testing.assert_allclose((batch.sample().position - moved) / 1e-5, J[:, 3:, 0],
                                   atol=1e-5)


class Environment(unittest.TestCase):
    def test_robots_start_in_motion_where_their_file_says(self):
        robot = tendril.Robot.parse(ARM)
        robot.set_initial(velocities={"rod.arm.node*.curvature_x": 2.0})
        system = tendril.System(robot)
        state = system.state()
        state.begin()
        batch = tendril.Batch(system, 3)
        batch.statics()
        batch.apply_initial(which=[0, 2])
        np.testing.assert_allclose(batch.energy["kinetic"],
                                   state.energy.kinetic * np.array([1, 0, 1]), rtol=1e-9)
        env = tendril.Env(system, 2, dt=5e-3, horizon=5, start="static",
                          reward=lambda env, action: np.zeros(2))
        env.reset()
        np.testing.assert_allclose(env.batch.energy["kinetic"], state.energy.kinetic, rtol=1e-9)

    def test_the_signature_is_that_of_gymnasium(self):
        env = make()
        seen, info = env.reset(seed=1)
        self.assertEqual((seen.shape, info), (env.observation_space.shape, {}))
        self.assertEqual(env.action_space.shape, (6, 2))
        seen, gained, terminated, truncated, info = env.step(env.action_space.sample())
        self.assertTrue(env.observation_space.contains(seen))
        self.assertEqual((gained.shape, terminated.dtype, truncated.dtype), ((6,), bool, bool))
        self.assertFalse(info["failed"].any())

    def test_seeds_decide_and_neighbours_and_threads_do_not(self):
        first = play(make(threads=1), 12)
        np.testing.assert_array_equal(first, play(make(threads=2), 12))
        np.testing.assert_array_equal(first[:, :3], play(make(n=3), 12))
        self.assertFalse(np.array_equal(first[0], make(seed=4).reset()[0])
                         and np.array_equal(first[-1], play(make(), 12, seed=8)[-1]))

    def test_an_episode_that_ends_begins_anew_with_other_numbers(self):
        env = make(horizon=3)
        masses = env.batch.parameters[MASS]
        for k in range(3):
            seen, _, terminated, truncated, info = env.step(np.ones((6, 2)))
        self.assertTrue(truncated.all() and not terminated.any() and info["_final_obs"].all())
        self.assertFalse(np.array_equal(info["final_obs"], seen))
        np.testing.assert_array_equal(env.batch.time, 0.0)
        self.assertTrue((env.batch.parameters[MASS] != masses).all())
        self.assertTrue(((masses > 1e-3) & (masses < 8e-3)).all())
        np.testing.assert_array_equal(seen[:, 6:], 0.0)  # inputs, too

    def test_robots_are_compared_on_the_same_tasks(self):
        env = make(n=6, distinct=2)
        np.testing.assert_array_equal(env.goal[0], env.goal[4])
        np.testing.assert_array_equal(env.batch.parameters[MASS][1], env.batch.parameters[MASS][5])
        self.assertNotEqual(env.goal[0, 0], env.goal[1, 0])

    def test_what_is_over_and_what_fails_ends(self):
        env = make(over=lambda env: env.elapsed >= np.arange(1, 7), horizon=100)
        done = [env.step(np.zeros((6, 2)))[2] for _ in range(3)]
        np.testing.assert_array_equal(done[0], [1, 0, 0, 0, 0, 0])
        np.testing.assert_array_equal(done[1], [1, 1, 0, 0, 0, 0])
        env = make(high=np.inf, failure=-7.0, randomise=None)
        pull = np.zeros((6, 2))
        pull[2] = np.inf
        with np.errstate(all="raise"):
            _, gained, terminated, _, info = env.step(pull)
        np.testing.assert_array_equal(info["failed"], [0, 0, 1, 0, 0, 0])
        np.testing.assert_array_equal(terminated, info["failed"])
        self.assertEqual(gained[2], -7.0)
        self.assertEqual(env.batch.time[2], 0.0)
        with self.assertRaisesRegex(tendril.ArgumentError, "nan"):
            env.step(np.full((6, 2), np.nan))
        with self.assertRaisesRegex(tendril.ArgumentError, "shape"):
            env.step(np.zeros(2))

    def test_what_cannot_be_is_refused_before_it_begins(self):
        for given, words in (({"dt": 0.0}, "dt = 0.0 s must be positive"),
                             ({"dt": np.nan}, "dt = nan s must be positive"),
                             ({"horizon": 2.5}, "horizon = 2.5 must be a whole number"),
                             ({"low": 4.0}, "must not be above high"),
                             ({"high": np.nan}, "must not be above high"),
                             ({"high": [1.0, 2.0, 3.0]}, "each of 2 inputs"),
                             ({"randomise": {MASS: (2e-3,)}}, f"{MASS}: .* must be .low, high."),
                             ({"goal": lambda rng: np.zeros(rng.integers(1, 9))}, "goal gave")):
            with self.subTest(given), self.assertRaisesRegex(tendril.ArgumentError, words):
                make(**given)


class Copies(unittest.TestCase):
    def twins(self, thing):
        return copy.copy(thing), copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))

    def test_robots_built_read_and_changed(self):
        built = wire(gravity=(0, 0, -9.81))
        pull = built.add_input("pull", "N", tendril.signals.sine(amplitude=2.0, frequency=3.0))
        built.add_tendon("t", offset=(2e-3, 0), value=2 * pull + 0.5)
        read = tendril.Robot.load(EXAMPLES / "tendon-arm.yaml", set={"gravity": [0, 0, -1]})
        read.add_load("push", force=(0.01, 0, 0))
        for robot in (built, read):
            robot.options.nodes = 7
            robot.scenario.end = 0.5
            state = tendril.System(robot).state()
            state.advance(1e-3, 5)
            for twin in self.twins(robot):
                other = tendril.System(twin).state()
                other.advance(1e-3, 5)
                self.assertEqual(other.save(), state.save())
                self.assertEqual((twin.name, twin.scenario.end), (robot.name, 0.5))
                twin.add_load("more", force=(1, 0, 0))
                self.assertNotEqual(repr(twin), repr(robot))

    def test_a_robot_that_was_saved_is_the_same(self):
        built = wire(gravity=(0, 0, -9.81))
        pull = built.add_input("pull", "N", tendril.signals.sine(amplitude=2.0, frequency=3.0))
        built.add_tendon("t", offset=(2e-3, 0), value=2 * pull + 0.5)
        built.add_body("tip", rod="wire", mass=1e-3, radius=2e-3, height=1e-3)
        built.options.nodes = 7
        built.options.scheme = "sdirk2"
        read = tendril.Robot.load(EXAMPLES / "two-segment-arm.yaml")
        read.add_load("push", rod=0, force=(0.01, 0, 0))
        for robot in (built, read):
            with tempfile.TemporaryDirectory() as folder:
                robot.save(Path(folder) / "saved.yaml")
                again = tendril.Robot.load(Path(folder) / "saved.yaml")
            states = [tendril.System(r).state() for r in (robot, again)]
            for state in states:
                state.advance(1e-3, 5)
            self.assertEqual(*(state.save() for state in states))
        batch = tendril.Batch(tendril.System(built, scheme="bdf2"), 3)
        batch.set_parameters({"bodies.tip.mass": [1e-3, 2e-3, 3e-3]})
        batch.step(1e-3, 5)
        self.assertEqual(batch.kind, "lanes")

    def test_systems_and_states(self):
        system = tendril.System(wire(), nodes=9)
        state = system.state()
        state.step(1e-3, 3)
        for other in self.twins(system):
            self.assertEqual(other.options.nodes, 9)
            again = other.state()
            again.restore(state.save())
        for twin in self.twins(state):
            self.assertEqual(twin.save(), state.save())
            twin.step(1e-3)
            self.assertNotEqual(twin.time, state.time)

    def test_batches_with_parameters_go_on_to_the_bit(self):
        for kind in ("lanes", "states"):
            batch = tendril.Batch(arm(), 4, kind=kind)
            batch.set_parameters({MASS: [1e-3, 3e-3]}, which=[0, 2])
            batch.inputs[:] = np.arange(8).reshape(4, 2) / 4
            batch.step(5e-3, 5)
            for twin in self.twins(batch):
                self.assertEqual(twin.kind, kind)
                np.testing.assert_array_equal(twin.inputs, batch.inputs)
                np.testing.assert_array_equal(twin.time, batch.time)
                np.testing.assert_array_equal(twin.sample().position, batch.sample().position)
            twin.step(5e-3, 5)
            batch.step(5e-3, 5)
            np.testing.assert_array_equal(twin.sample().position, batch.sample().position)

    def test_arrays_go_to_other_libraries_without_copies(self):
        batch = tendril.Batch(arm(), 4)
        for array in (batch.inputs, batch.sample().position, batch.time):
            other = np.from_dlpack(array)
            self.assertTrue(np.shares_memory(other, array))


if __name__ == "__main__":
    unittest.main()
