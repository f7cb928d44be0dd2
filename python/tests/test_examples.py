"""Every example runs, here and in the guide."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import tendril
from parts import SOURCE


def run_code(code, folder):
    environment = dict(os.environ, PYTHONWARNINGS="error::UserWarning")
    return subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment,
                          capture_output=True, text=True)


class Examples(unittest.TestCase):
    def test_every_model_has_an_example_that_runs(self):
        for name in tendril.models():
            file = SOURCE / "python" / "examples" / f"{name}.py"
            with self.subTest(name):
                self.assertTrue(file.is_file(), f"python/examples/{name}.py is missing")
                self.run_example(file)

    def test_the_other_examples_run(self):
        for file in sorted((SOURCE / "python" / "examples").glob("*.py")):
            if file.stem in tendril.models() or file.stem in ("rom", "lqr", "gradient", "learn", "predict"):
                continue
            with self.subTest(file.stem):
                self.run_example(file)

    def test_the_circle_is_found(self):
        told = self.run_example(SOURCE / "python" / "examples" / "gradient.py")
        first, found = re.search(r"circle: ([\d.]+) mm at first, then ([\d.]+) mm", told).groups()
        self.assertGreater(float(first), 50)
        self.assertLess(float(found), 1)

    def test_lqr_settles_what_swings_on_by_itself(self):
        told = self.run_example(SOURCE / "python" / "examples" / "lqr.py")
        self.assertIn("let go: within 5 % not in 2 s", told)
        self.assertLess(float(re.search(r"with LQR: within 5 % after ([\d.]+) s", told)[1]), 0.25)

    def test_ten_tendons_go_round_corners_within_their_limits(self):
        told = self.run_example(SOURCE / "python" / "examples" / "predict.py")
        self.assertLess(float(re.search(r"off by ([\d.]+) mm", told)[1]), 0.2)
        self.assertIn("tensions from 0.000 to 1.600 N, 20.0 N/s", told)

    def test_arms_learn_to_follow_a_point_with_an_unknown_payload(self):
        told = self.run_example(SOURCE / "python" / "examples" / "learn.py", "--generations", "6")
        before, after = map(float, re.findall(r"([\d.]+) mm", told))
        self.assertGreater(before, 30.0)
        self.assertLess(after, 0.5 * before)

    def run_example(self, file, *words):
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run([sys.executable, str(file), *words], cwd=folder,
                                 capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertTrue(ran.stdout.strip())
        return ran.stdout


class Guide(unittest.TestCase):
    def test_every_block_of_the_guide_runs_and_prints_what_it_says(self):
        """Blocks run in order, each after those before it, in an empty folder; a block of text after
        one is what it prints."""
        text = (SOURCE / "docs" / "python.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```\n(?:\n^```text\n(.*?)^```$)?", text,
                            re.MULTILINE | re.DOTALL)
        self.assertGreater(len(blocks), 5)
        with tempfile.TemporaryDirectory() as folder:
            marks = "".join(f"print('@@{i}')\n{code}" for i, (code, _) in enumerate(blocks))
            ran = run_code(marks, folder)
        self.assertEqual(ran.returncode, 0, ran.stderr + ran.stdout)
        printed = dict(re.findall(r"@@(\d+)\n(.*?)(?=@@|\Z)", ran.stdout, re.DOTALL))
        for i, (code, expected) in enumerate(blocks):
            with self.subTest(code.splitlines()[0]):
                if expected:
                    self.assertEqual(printed[str(i)].strip(), expected.strip())


if __name__ == "__main__":
    unittest.main()
