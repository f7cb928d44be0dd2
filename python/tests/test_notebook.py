"""The notebook of the examples runs as Jupyter runs it, where Jupyter is installed."""
import base64
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import tendril
from parts import SOURCE

HAVE = all(importlib.util.find_spec(name) for name in ("nbconvert", "ipykernel", "matplotlib"))


@unittest.skipUnless(HAVE, "nbconvert, ipykernel or matplotlib is not installed")
class Notebook(unittest.TestCase):
    def execute(self, file, folder):
        # the kernel is that of the system, which knows nothing of this environment
        environment = dict(os.environ, HOME=folder, JUPYTER_PLATFORM_DIRS="1",
                           PYTHONPATH=str(Path(tendril.__file__).parent.parent))
        told = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--stdout", str(file)],
                              cwd=folder, env=environment, capture_output=True, text=True)
        self.assertEqual(told.returncode, 0, told.stderr)
        return {cell["id"]: cell.get("outputs", []) for cell in json.loads(told.stdout)["cells"]}

    def test_the_notebook_runs_and_draws(self):
        with tempfile.TemporaryDirectory() as folder:
            cells = self.execute(SOURCE / "python" / "examples" / "arm.ipynb", folder)
        self.assertIn("<Robot 'arm': 1 rods, 1 tendons, 1 inputs>", json.dumps(cells["robot"]))
        for name in ("rest", "pulled", "go", "tip"):
            with self.subTest(name):
                pictures = [out["data"]["image/png"] for out in cells[name] if "image/png" in out.get("data", {})]
                self.assertEqual(len(pictures), 1)
                self.assertTrue(base64.b64decode(pictures[0]).startswith(b"\x89PNG"))
        # the closed form that it compares with
        off = re.search(r"the tip is ([\d.]+) mm", "".join(cells["arc"][0]["text"])).group(1)
        self.assertLess(float(off), 0.05)

    def test_it_is_shipped_without_outputs(self):
        book = json.loads((SOURCE / "python" / "examples" / "arm.ipynb").read_text())
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))


if __name__ == "__main__":
    unittest.main()
