"""Studies: cases against closed forms, indices of a function whose indices are known."""
import math
import unittest

import numpy as np

import tendril

ISHIGAMI = f"""
study: 1
parameters:
  x1: {{range: [{-math.pi!r}, {math.pi!r}]}}
  x2: {{range: [{-math.pi!r}, {math.pi!r}]}}
  x3: {{range: [{-math.pi!r}, {math.pi!r}]}}
samples: {{method: saltelli, count: 1024}}
results: {{f: sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)}}
"""
ROOTS = """
study: 1
parameters: {a: {range: [-1 m, 1 m], count: 5}}
samples: {method: grid}
results: {root: sqrt(a), twice: 2*a}
"""


class TestStudy(unittest.TestCase):
    def test_indices_are_those_of_the_closed_form(self):
        study = tendril.Study(ISHIGAMI)
        table = study.sweep(threads=2)
        self.assertEqual(len(table["f"]), 5 * 1024)
        np.testing.assert_array_equal(table["f"], study.sweep(threads=1)["f"])
        x1, x2, x3 = (table[n] for n in ("x1", "x2", "x3"))
        np.testing.assert_allclose(table["f"], np.sin(x1) + 7*np.sin(x2)**2 + 0.1*x3**4*np.sin(x1), atol=1e-12)
        indices = study.sensitivity(table["f"])
        v1, v2, v13 = (1 + 0.1*math.pi**4/5)**2/2, 49/8, 8*0.01*math.pi**8/225
        self.assertAlmostEqual(indices["x1"].first, v1/(v1 + v2 + v13), delta=0.02)
        self.assertAlmostEqual(indices["x2"].total, v2/(v1 + v2 + v13), delta=0.02)
        self.assertAlmostEqual(indices["x3"].total, v13/(v1 + v2 + v13), delta=0.02)
        low, high = indices["x1"].first_interval
        self.assertTrue(low < indices["x1"].first < high)

    def test_failures_are_rows(self):
        study = tendril.Study(ROOTS)
        table = study.sweep()
        self.assertEqual(list(table.failed), [True, True, False, False, False])
        self.assertEqual(table.units, {"a": "m", "root": "", "twice": "m"})
        self.assertIn("sqrt(a)", table.messages[0])
        self.assertTrue(math.isnan(table["root"][0]))
        self.assertEqual(study.case(4), {"a": 1.0})
        self.assertEqual(study.compute(a=0.25), {"root": 0.5, "twice": 0.5})
        with self.assertRaises(tendril.Error):
            study.compute(a=-1)
        with self.assertRaises(tendril.ArgumentError):
            study.compute(b=1)
        with self.assertRaises(IndexError):
            study.case(5)
        with self.assertRaises(tendril.ArgumentError):
            study.sensitivity(table["root"])

    def test_a_wrong_file_says_where(self):
        with self.assertRaises(tendril.Error) as caught:
            tendril.Study("study: 1\nparameters: {a: {rang: [0, 1]}}\nresults: {x: a}\n")
        self.assertIn("did you mean 'range'", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
