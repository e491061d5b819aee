"""A task and methods in Python, trained over links beside methods in C++."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from scripts import PACBENCH, ROOT, needs_links

CONTROL = "block_topk.py:AllReduce"
SCENARIO = ROOT / "scenarios/python/own-method.json"
CHANGES = ("/workers=3", "/seeds=[1]", "/workload/max_iterations=12", '/workload/options={"hidden":64}',
           f'/methods=[{{"name":"all-reduce"}},{{"name":"{CONTROL}","label":"control"}},{{"name":"block_topk.py:BlockTopK"}}]')


PYTHON = ROOT / ".venv/bin/python"
IMPORTS = PYTHON.exists() and subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode == 0


@needs_links
@unittest.skipUnless(IMPORTS, "no Python imports torch: run tools/setup --python-torch")
class OwnCode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name) / "run"
        words = [word for change in CHANGES for word in ("--set", change)]
        cls.done = subprocess.run([PACBENCH, "run", SCENARIO, *words, "--out", cls.out, "--no-progress", "--accept-suspect"],
                                  capture_output=True, text=True, check=False)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def curve(self, label):
        lines = (self.out / f"cells/{label}-100Mbps-1/curve.jsonl").read_text().splitlines()
        return [(point["iteration"], point["accuracy"], point["loss"]) for point in map(json.loads, lines)]

    def test_all_cells_are_done_and_their_bytes_are_those_that_the_calls_explain(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        cells = {cell["label"]: cell for cell in json.loads((self.out / "result.json").read_text())["cells"]}
        self.assertEqual(set(cells), {"all-reduce", "control", "blocktopk"})
        for cell in cells.values():
            self.assertEqual((cell["status"], cell["iterations"]), ("done", 12), cell)
            self.assertEqual(cell["link_verdict"]["word"], "ok", cell["link_verdict"])
        own = cells["blocktopk"]["measured_bytes_per_iteration"]
        self.assertLess(own, 0.3 * cells["all-reduce"]["measured_bytes_per_iteration"])

    def test_a_mean_in_python_has_the_curve_of_the_mean_in_cpp(self):
        self.assertEqual(self.curve("control"), self.curve("all-reduce"))

    def test_its_numbers_are_verified_and_its_curves_are_said_not_to_be(self):
        verified = subprocess.run([PACBENCH, "verify", self.out], capture_output=True, text=True, check=False)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        self.assertIn("3 of 3 cells recomputed", verified.stdout)
        self.assertIn("no curve of a Python class", verified.stdout)

    def test_what_a_class_cannot_do_is_refused_before_the_first_cell(self):
        for change in ('/mode="learn"', "/workload/validation_samples=100", '/workload/initial={"kind":"pretrain"}',
                       "/workload/options/hiden=3", '/tune={"learning_rates":[0.1],"seeds":[9],"validation_samples":9}'):
            refused = subprocess.run([PACBENCH, "run", SCENARIO, "--set", change, "--dry-run"], capture_output=True,
                                     text=True, check=False)
            self.assertEqual(refused.returncode, 2, change + refused.stdout)
            self.assertIn(change[1:9].partition("=")[0], refused.stderr)

    def test_the_run_is_read_without_its_code(self):
        report = subprocess.run([PACBENCH, "report", self.out], capture_output=True, text=True, check=False)
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertIn("blocktopk", report.stdout)
