"""Pictures: what is drawn is where the robot is."""
import builtins
import unittest
from unittest import mock

import numpy as np

import tendril
from parts import EXAMPLES, wire

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    matplotlib = None

real_import = builtins.__import__


def without_matplotlib(name, *arguments, **more):
    if name.startswith("matplotlib"):
        raise ImportError(name)
    return real_import(name, *arguments, **more)


class Sections(unittest.TestCase):
    def test_a_tapered_strap_has_the_corners_of_its_sections(self):
        from tendril.drawing import _rings
        robot = tendril.Robot.parse("tendril: 1\nrods: [{name: a, length: 0.2, section: {width: 4 mm, height: 2 mm}, section_end: "
                                    "{width: 2 mm, height: 1 mm}, material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1}}]\n")
        state = tendril.System(robot).state()
        rings = _rings(state, "a", 5)
        self.assertEqual(rings.shape, (5, 5, 3))
        for i, share in enumerate(np.linspace(0.0, 1.0, 5)):
            np.testing.assert_allclose(np.ptp(rings[i], axis=0), [4e-3 - 2e-3 * share, 2e-3 - 1e-3 * share, 0.0], atol=1e-12)
            np.testing.assert_allclose(rings[i, :, 2], 0.2 * share, atol=1e-12)

    def test_chambers_have_their_size(self):
        from tendril.drawing import KINDS, _chamber
        state = tendril.System(tendril.Robot.load(EXAMPLES / "three-chambers.yaml")).state()
        state.statics()
        kind = next(kind for kind in KINDS if kind.word == "chamber")
        for name in state.chambers:
            path = state._path(kind, name, 41)
            distances = np.linalg.norm(_chamber(state, name, path) - path[:, None], axis=2)
            np.testing.assert_allclose(distances, 3e-3, rtol=2e-3)  # as the file has it

    def test_without_matplotlib_the_words_say_so(self):
        with mock.patch.object(builtins, "__import__", without_matplotlib):
            with self.assertRaisesRegex(tendril.Error, "need matplotlib"):
                tendril.System(wire()).state().plot()


@unittest.skipUnless(matplotlib, "matplotlib is not installed")
class Pictures(unittest.TestCase):
    def tearDown(self):
        plt.close("all")

    def test_a_bent_arm_fills_the_picture(self):
        robot = tendril.Robot.load(EXAMPLES / "two-segment-arm.yaml")
        state = tendril.System(robot).state()
        state.inputs[state.system.inputs[0]] = 2.0
        state.statics()
        ax = state.plot()
        low, high = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()]).T
        tip = state.pose().p
        self.assertTrue(np.all(tip >= low - 1e-12) and np.all(tip <= high + 1e-12))
        aspect = np.array(ax._box_aspect)
        np.testing.assert_allclose(aspect / aspect.max(), (high - low) / (high - low).max())  # one scale
        self.assertLess((high - low).max(), 1.2 * state.length())
        self.assertEqual(len(ax.lines), len(state.tendons) + len(state.bodies))

    def test_a_run_is_drawn_at_the_instants_asked_for(self):
        result = tendril.run(tendril.Robot.load(EXAMPLES / "arm.yaml"), end=0.1)
        ax = result.plot(times=[0.0, 0.05, 0.1])
        self.assertEqual(len(ax.lines), 4)  # and the way of the tip
        np.testing.assert_allclose(np.array(ax.lines[2].get_data_3d()).T, result.rods["arm"].position[-1])
        with self.assertRaisesRegex(tendril.Error, "at least one"):
            result.plot(times=0)

    def test_robots_are_drawn_where_they_begin(self):
        ax = tendril.Robot.load(EXAMPLES / "leaning-arm.yaml").plot(n=21)
        self.assertGreater(len(ax.collections), 0)


if __name__ == "__main__":
    unittest.main()
