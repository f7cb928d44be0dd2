"""Many states at once, and the interpreter's lock."""
import ctypes
import os
import threading
import time
import unittest

import numpy as np

import tendril
from parts import EXAMPLES, wire


def arms(n):
    system = tendril.System(tendril.Robot.load(EXAMPLES / "arm.yaml"))
    states = [system.state() for _ in range(n)]
    for i, state in enumerate(states):
        state.inputs["pull"] = 5.0 * i / n
    return states


class Threads(unittest.TestCase):
    def test_another_thread_runs_while_c_computes(self):
        state, done, started = arms(1)[0], threading.Event(), threading.Event()

        def compute():
            started.set()
            state.step(1e-3, 20000)
            done.set()

        worker = threading.Thread(target=compute)
        worker.start()
        started.wait()
        rounds = 0
        while not done.is_set():
            rounds += 1
            time.sleep(0.001)
        worker.join()
        # With the lock held there is a round or two before the call and none during it.
        self.assertGreater(rounds, 20)
        self.assertAlmostEqual(state.time, 20.0, places=6)

    def test_threads_take_turns_on_one_state(self):
        state = arms(1)[0]
        workers = [threading.Thread(target=lambda: [state.step(1e-3) for _ in range(200)])
                   for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertAlmostEqual(state.time, 0.8, places=9)


# A processor in place of the GPU, as the library's own tests have it.
PLAIN_GPU = os.path.join(os.path.dirname(os.environ.get("TENDRIL", "")), "tests", "gpu",
                         "libplain_gpu.so")


@unittest.skipUnless(os.path.exists(PLAIN_GPU), "the tree has no tests/gpu")
class Devices(unittest.TestCase):
    def setUp(self):
        self.system = tendril.System(tendril.Robot.load(EXAMPLES / "arm.yaml"),
                                     scheme="bdf2", theory="kirchhoff")
        self.here = tendril.Batch(self.system, 7, kind="lanes")
        self.there = tendril.Batch(self.system, 7, kind="gpu", library=PLAIN_GPU)

    def test_precision_is_that_of_the_library(self):
        single = PLAIN_GPU.replace("libplain_gpu", "libplain_gpu_float")
        near = tendril.Batch(self.system, 7, kind="gpu", library=single, precision="float")
        for batch in (near, self.here):
            batch.inputs[:] = 0.5
            batch.step(5e-3, 20)
        apart = max(np.abs(near.state(i).pose().p - self.here.state(i).pose().p).max()
                    for i in range(7))
        self.assertTrue(0.0 < apart < 1e-4)
        with self.assertRaisesRegex(tendril.UnsupportedError, "computes in single precision"):
            tendril.Batch(self.system, 7, kind="gpu", library=single)
        with self.assertRaisesRegex(tendril.ArgumentError, "'double' or 'float'"):
            tendril.Batch(self.system, 7, precision="half")
        with self.assertRaisesRegex(tendril.ArgumentError, "single precision are those of a GPU"):
            tendril.Batch(self.system, 7, precision="float")

    def test_inputs_are_written_and_tips_read_there(self):
        inputs = np.from_dlpack(self.there.device_inputs)
        self.assertEqual(inputs.shape, self.there.inputs.shape)
        for k in range(1, 20):
            pull = 0.2 * k * np.linspace(0.1, 1.0, inputs.size).reshape(inputs.shape)
            self.here.inputs = pull
            memory = self.there.device_inputs
            self.assertEqual(memory.__dlpack_device__(), (1, 0))
            ctypes.memmove(memory._data, pull.ctypes.data, pull.nbytes)
            self.here.step(2e-3)
            self.there.step(2e-3, device_inputs=True)
            np.testing.assert_allclose(np.from_dlpack(memory), pull)
        tips, samples = np.from_dlpack(self.there.device_tips()), self.here.sample()
        self.assertEqual(tips.shape, (7, 13))
        np.testing.assert_allclose(tips[:, :3], samples.position, atol=1e-9)
        self.assertGreater(np.ptp(tips[:, 0]), 1e-3)
        del self.there  # an array keeps the memory that it shows
        self.assertTrue(np.isfinite(inputs).all())

    def test_other_kinds_say_that_they_have_none(self):
        for ask in (lambda: self.here.device_inputs, self.here.device_tips,
                    lambda: self.here.step(1e-3, device_inputs=True)):
            with self.assertRaisesRegex(tendril.ArgumentError, "no memory on a GPU"):
                ask()

    def test_robots_there_differ_too(self):
        path = "rods.arm.length"
        lengths = np.linspace(0.2, 0.3, 7)
        for batch in (self.here, self.there):
            batch.set_parameters({path: lengths})
            for k in range(1, 10):
                batch.inputs[:] = 0.3 * k
                batch.step(2e-3)
        np.testing.assert_allclose(self.there.sample().position, self.here.sample().position,
                                   atol=1e-9)


class Batches(unittest.TestCase):
    def test_wrong_shapes_of_parameters_are_told_what_is_expected(self):
        batch = tendril.Batch(tendril.System(tendril.Robot.load(EXAMPLES / "arm.yaml")), 5)
        path = "rods.arm.length"
        with self.assertRaisesRegex(tendril.ArgumentError, r"length: numbers of the shape \(3,\); "
                                    r"expected are one number, \(5,\) for all robots, or \(2,\)"):
            batch.set_parameters({path: [0.2, 0.2, 0.2]}, which=[0, 1])
        with self.assertRaisesRegex(tendril.ArgumentError, r"a mask of the shape \(4,\); \(5,\)"):
            batch.step(1e-3, which=[True] * 4)
        for which in ([5], [0.5], ["a"]):
            with self.assertRaisesRegex(tendril.ArgumentError, "numbers of robots below 5"):
                batch.reset(which)

    def test_a_batch_gives_the_bits_of_one_by_one(self):
        alone, together = arms(13), arms(13)
        for state in alone:
            state.statics()
            state.step(1e-3, 10)
        tendril.batch.statics(together, threads=3)
        statuses = tendril.batch.step(together, 1e-3, 10, threads=3)
        np.testing.assert_array_equal(statuses, 0)
        for a, b in zip(alone, together):
            self.assertEqual(a.save(), b.save())

    def test_a_batch_owns_inputs_as_an_array(self):
        system = tendril.System(tendril.Robot.load(EXAMPLES / "arm.yaml"))
        batch = tendril.Batch(system, 6, threads=2)
        self.assertEqual(batch.inputs.shape, (6, 1))
        batch.inputs[:, 0] = np.arange(6) * 0.5
        batch.statics()
        for i in range(6):
            self.assertEqual(batch.state(i).inputs["pull"], 0.5 * i)
        tips = batch.sample().position
        self.assertEqual(tips.shape, (6, 3))
        shapes = batch.sample("arm", np.linspace(0, 0.3, 5))
        self.assertEqual(shapes.position.shape, (6, 5, 3))
        np.testing.assert_array_equal(shapes.position[:, -1], tips)
        np.testing.assert_array_equal(tips[4], batch.state(4).pose().p)
        self.assertTrue(np.all(np.diff(tips[:, 0]) > 0))
        batch.reset([5])
        self.assertEqual(batch.inputs[5, 0], 0.0)

    def test_kinds_of_batches_agree_and_say_what_they_are(self):
        system = tendril.System(tendril.Robot.load(EXAMPLES / "arm.yaml"), nodes=6)
        tips = {}
        for kind in ("states", "lanes"):
            batch = tendril.Batch(system, 9, threads=2, kind=kind)
            self.assertEqual(batch.kind, kind)
            for k in range(20):
                batch.inputs[:, 0] = 0.01 * k * np.arange(9)
                batch.step(2e-3)
            tips[kind] = batch.sample().position
            np.testing.assert_allclose(batch.time, 0.04, atol=1e-15)
            self.assertEqual(batch.energy["elastic"].shape, (9,))
            np.testing.assert_array_equal(batch.tendons["effort"][:, 0], batch.inputs[:, 0])
            self.assertEqual(batch.energy["elastic"][3], batch.state(3).energy.elastic)
        np.testing.assert_allclose(tips["states"], tips["lanes"], atol=1e-9)
        rubbing = tendril.Robot.load(EXAMPLES / "friction.yaml")
        self.assertEqual(tendril.Batch(tendril.System(rubbing), 2).reason, "a tendon has friction")
        with self.assertRaisesRegex(tendril.UnsupportedError, "nowhere"):
            tendril.Batch(system, 2, kind="gpu", library="nowhere.so")

    def test_some_robots_step_and_robots_are_copied(self):
        system = tendril.System(tendril.Robot.load(EXAMPLES / "arm.yaml"), nodes=5)
        batch = tendril.Batch(system, 6)
        batch.inputs[:] = 1.0
        batch.step(2e-3, 5, which=[1, 4])
        np.testing.assert_allclose(batch.time, [0, 0.01, 0, 0, 0.01, 0], atol=1e-15)
        other = batch.copy()
        other.put(0, batch.state(4))
        np.testing.assert_array_equal(other.sample().position[0], batch.sample().position[4])
        batch.reset(batch.time > 0)
        np.testing.assert_array_equal(batch.time, 0.0)
        with self.assertRaises(tendril.ArgumentError):
            batch.state(6)

    def test_states_of_different_systems_go_together(self):
        states = arms(2) + [tendril.System(wire()).state()]
        tendril.batch.advance(states, 1e-3, 3)
        self.assertTrue(all(abs(state.time - 3e-3) < 1e-12 for state in states))

    def test_one_that_fails_is_named_and_the_others_go_on(self):
        states = arms(5)
        batch_error = None
        try:
            tendril.batch.step(states, -1.0)
        except tendril.Error as error:
            batch_error = error
        self.assertIn("state 0 and 4 more: step: dt = -1 s", str(batch_error))
        self.assertEqual(len(batch_error.statuses), 5)
        statuses = tendril.batch.step(states, -1.0, check=False)
        self.assertTrue(np.all(statuses < 0))

    def test_an_input_that_is_not_finite_is_refused(self):
        batch = tendril.Batch(tendril.System(tendril.Robot.load(EXAMPLES / "arm.yaml")), 3)
        batch.inputs[2, 0] = np.nan
        with self.assertRaisesRegex(tendril.Error, "state 2"):
            batch.step(1e-3)

    def test_a_place_that_is_no_number_is_refused(self):
        batch = tendril.Batch(tendril.System(tendril.Robot.load(EXAMPLES / "arm.yaml")), 3)
        for ask in (batch.sample, batch.jacobian):
            with self.assertRaisesRegex(tendril.ArgumentError, "nan m is no place"):
                ask(0, np.nan)

    def test_more_states_than_fit_into_the_machine_are_refused_at_once(self):
        system = tendril.System(wire())
        with self.assertRaisesRegex(MemoryError, "n = 1000000000000 states of [0-9]+ bytes"):
            tendril.Batch(system, 10**12)

    def test_the_same_state_twice_is_refused(self):
        state = arms(1)[0]
        with self.assertRaises(tendril.ArgumentError):
            tendril.batch.step([state, state], 1e-3)

    def test_a_child_process_has_threads_of_its_own(self):
        states = arms(8)
        tendril.batch.step(states, 1e-3, threads=2)
        child = os.fork()
        if child == 0:
            tendril.batch.step(states, 1e-3, threads=2)
            os._exit(0 if abs(states[7].time - 2e-3) < 1e-12 else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_an_empty_batch_is_nothing(self):
        self.assertEqual(len(tendril.batch.step([], 1e-3)), 0)


if __name__ == "__main__":
    unittest.main()
