"""Tasks and methods in Python, beside methods in C++: over links, in mode learn, tuned, and verified."""

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from scripts import PACBENCH, ROOT, needs_links

HERE = Path(__file__).parent
CONTROL = "controls.py:AllReduce"
SCENARIO = ROOT / "scenarios/python/own-method.json"
CHANGES = ("/workers=3", "/seeds=[1]", "/workload/max_iterations=12", '/workload/options={"hidden":64}',
           f'/methods=[{{"name":"all-reduce"}},{{"name":"{CONTROL}","label":"control"}},{{"name":"block_topk.py:BlockTopK"}},'
           '{"name":"topk","ratio":0.03},{"name":"controls.py:TopK","ratio":0.03,"label":"control-topk"},'
           '{"name":"fp16"},{"name":"controls.py:Fp16","label":"control-fp16"},'
           '{"name":"terngrad","label":"terngrad"},{"name":"controls.py:TernGrad","label":"control-terngrad"},'
           '{"name":"pactrain","quantize":"none","label":"pactrain"},{"name":"controls.py:PacTrain","label":"control-pactrain"}]')
CONTROLS = {"control": "all-reduce", "control-topk": "topk-keep3%", "control-fp16": "fp16", "control-terngrad": "terngrad",
            "control-pactrain": "pactrain"}


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
        return points(self.out / f"cells/{label}-100Mbps-1")

    def test_all_cells_are_done_and_their_bytes_are_those_that_the_calls_explain(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        cells = {cell["label"]: cell for cell in json.loads((self.out / "result.json").read_text())["cells"]}
        self.assertEqual(set(cells), {"blocktopk", *CONTROLS, *CONTROLS.values()})
        for cell in cells.values():
            self.assertEqual((cell["status"], cell["iterations"]), ("done", 12), cell)
            self.assertEqual(cell["link_verdict"]["word"], "ok", cell["link_verdict"])
        own = cells["blocktopk"]["measured_bytes_per_iteration"]
        self.assertLess(own, 0.3 * cells["all-reduce"]["measured_bytes_per_iteration"])

    def test_a_method_in_python_has_the_curve_and_the_bytes_of_the_same_in_cpp(self):
        cells = {cell["label"]: cell for cell in json.loads((self.out / "result.json").read_text())["cells"]}
        for in_python, in_cpp in CONTROLS.items():
            self.assertEqual(self.curve(in_python), self.curve(in_cpp))
            bytes_of = [cells[label]["expected_bytes_per_iteration"] for label in (in_python, in_cpp)]
            # PacTrain in C++ also compares the ranks' masks, once in 100 iterations.
            self.assertAlmostEqual(bytes_of[0] / bytes_of[1], 1, places=3 if in_cpp == "pactrain" else 12)

    def test_its_curves_are_verified_where_its_code_may_run(self):
        verified = subprocess.run([PACBENCH, "verify", self.out], capture_output=True, text=True, check=False)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        self.assertIn("11 of 11 cells recomputed", verified.stdout)
        self.assertIn("no curve of a Python class", verified.stdout)
        trained = subprocess.run([PACBENCH, "verify", "--run-its-code", self.out], capture_output=True, text=True, check=False)
        self.assertEqual(trained.returncode, 0, trained.stdout + trained.stderr)
        self.assertEqual(trained.stdout.count("equal to the bit"), 11, trained.stdout)

    def test_what_a_class_cannot_do_is_refused_before_the_first_cell(self):
        for change in ('/workload/initial={"kind":"pretrain"}', "/workload/options/hiden=3",
                       '/workload/optimizer={"name":"own","lr":1,"momentum":0.9}'):
            refused = subprocess.run([PACBENCH, "run", SCENARIO, "--set", change, "--dry-run"], capture_output=True,
                                     text=True, check=False)
            self.assertEqual(refused.returncode, 2, change + refused.stdout)
            self.assertIn(change[1:9].partition("=")[0], refused.stderr)

    def test_the_run_is_read_without_its_code(self):
        report = subprocess.run([PACBENCH, "report", self.out], capture_output=True, text=True, check=False)
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertRegex(report.stdout, r"blocktopk .*in Python")


NOISY = {
    "version": 1, "name": "noisy", "workers": 3, "network": {"links": [{"name": "fast", "rate_mbit": 200}]},
    "workload": {"task": "noisy_task.py:Noisy", "batch_per_worker": 16, "optimizer": {"name": "own", "lr": 0.01},
                 "max_iterations": 10, "evaluate_every": 5},
    "methods": [{"name": "all-reduce"}, {"name": "pactrain"}, {"name": "block_topk.py:BlockTopK", "keep": 0.3, "block": 8}],
    "targets": {"accuracy": [0.6]}, "seeds": [1]}


@needs_links
@unittest.skipUnless(IMPORTS, "no Python imports torch: run tools/setup --python-torch")
class OwnTask(unittest.TestCase):
    """A task with dropout, augmentation, clipping and an optimiser of its own."""

    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)
        for file in (HERE / "noisy_task.py", HERE / "noisy_data.py", HERE / "nested_methods.py",
                     HERE / "hook_methods.py", HERE / "streamed_task.py", ROOT / "scenarios/python/block_topk.py",
                     ROOT / "scenarios/python/controls.py", ROOT / "scenarios/python/local_sgd.py"):
            shutil.copy(file, self.folder)

    def run_scenario(self, out, **changes):
        (self.folder / "scenario.json").write_text(json.dumps({key: value for key, value in {**NOISY, **changes}.items() if value}))
        done = subprocess.run([PACBENCH, "run", "scenario.json", "--out", out, "--no-progress", "--accept-suspect"],
                              capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return {folder.name.rpartition("-")[0].rpartition("-")[0]: points(folder)
                for folder in (self.folder / out / "cells").iterdir()}

    def test_mode_learn_has_the_curves_of_processes_over_links(self):
        learnt = self.run_scenario("learnt", mode="learn", network=None)
        self.assertEqual(learnt, self.run_scenario("emulated"))
        self.assertEqual(len(learnt), 3)
        packed = subprocess.run([PACBENCH, "pack", "emulated"], capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(packed.returncode, 0, packed.stderr)
        for file in ("noisy_task.py", "noisy_data.py"):
            (self.folder / file).write_text("raise ValueError('changed')\n")
        kept = subprocess.run([PACBENCH, "verify", "--run-its-code", "emulated.tar.xz"], capture_output=True, text=True,
                              check=False, cwd=self.folder)
        self.assertEqual(kept.stdout.count("equal to the bit"), 3, kept.stdout + kept.stderr)

    def test_ranks_take_turns_in_an_iterable_share_buffers_and_may_train_alone_for_a_while(self):
        workload = {"task": "streamed_task.py:Streamed", "batch_per_worker": 16, "max_iterations": 10, "evaluate_every": 5,
                    "optimizer": {"name": "sgd", "lr": 0.05}}
        methods = [{"name": "all-reduce"}, {"name": "local_sgd.py:LocalSGD", "every": 3}, {"name": "local-sgd", "every": 3}]
        emulated = self.run_scenario("emulated", workload=workload, methods=methods)
        learnt = self.run_scenario("learnt", workload=workload, methods=methods, mode="learn", network=None)
        self.assertEqual(learnt, emulated)
        cells = json.loads((self.folder / "emulated/result.json").read_text())["cells"]
        self.assertEqual([(cell["status"], cell["link_verdict"]["word"]) for cell in cells], [("done", "ok")] * 3, cells)
        (own,) = [curve for label, curve in emulated.items() if label.startswith("localsgd")]
        (in_cpp,) = [curve for label, curve in emulated.items() if label.startswith("local-sgd")]
        for mine, theirs in zip(own, in_cpp):  # the mean of weights, and the mean of how far they moved
            self.assertAlmostEqual(mine[2], theirs[2], places=4)

    def test_a_class_that_hangs_is_told_with_its_line(self):
        (self.folder / "scenario.json").write_text(json.dumps(
            {**NOISY, "methods": [{"name": "streamed_task.py:Hanging"}], "targets": {"loss": [0.1]}, "timeout_s": 5}))
        done = subprocess.run([PACBENCH, "run", "scenario.json", "--out", "hung", "--no-progress"], capture_output=True, text=True,
                              check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertRegex((self.folder / "hung/result.json").read_text(), r"was in File .*streamed_task.py.*, line 2[23] in average")

    def test_a_method_that_makes_the_step_itself_is_refused_beside_an_optimiser_of_the_task(self):
        (self.folder / "scenario.json").write_text(json.dumps({**NOISY, "methods": [{"name": "dgc"}]}))
        refused = subprocess.run([PACBENCH, "run", "scenario.json", "--dry-run"], capture_output=True, text=True, check=False,
                                 cwd=self.folder)
        self.assertEqual(refused.returncode, 2, refused.stdout)
        self.assertIn("/methods/0/name", refused.stderr)

    def test_methods_of_both_languages_nest(self):
        methods = [{"name": "topk", "ratio": 0.1, "error_feedback": True}, {"name": "nested_methods.py:Feedback"},
                   {"name": "nested_methods.py:WarmUp", "steps": 0, "inner": {"name": "nested_methods.py:Feedback"}},
                   {"name": "all-reduce"}, {"name": "mergecomp", "plan": [1], "inner": {"name": "controls.py:AllReduce"}}]
        curves = self.run_scenario("run", mode="learn", network=None, methods=methods)
        self.assertEqual(len(curves), 5)
        for others, label in (("feedback", "topk-keep10%"), ("warmup", "topk-keep10%"), ("mergecomp", "all-reduce")):
            (found,) = [curve for name, curve in curves.items() if name.startswith(others)]
            self.assertEqual(found, curves[label], others)

    def test_hooks_of_pytorch_are_methods_and_their_bytes_are_declared(self):
        names = ("PowerSGD", "PerTensor", "PerChannel", "Fp16")
        methods = [{"name": f"hook_methods.py:{name}"} for name in names]
        emulated = self.run_scenario("emulated", methods=methods)
        cells = json.loads((self.folder / "emulated/result.json").read_text())["cells"]
        self.assertEqual([(cell["status"], cell["link_verdict"]["word"]) for cell in cells], [("done", "ok")] * len(names), cells)
        self.assertTrue(all(curve[-1][1] > 0.6 for curve in emulated.values()), emulated)
        learnt = self.run_scenario("learnt", mode="learn", network=None,
                                   methods=[method for method in methods if "PerTensor" not in method["name"]])
        self.assertEqual(learnt, {label: emulated[label] for label in learnt})

    def test_threads_of_a_hook_round_alike_on_all_ranks(self):
        """Matrices large enough to be shared out among cores; ranks compare their weights after 12 iterations."""
        document = json.loads(SCENARIO.read_text())
        del document["network"]
        document.update(mode="learn", seeds=[1, 2], python_folder=str(SCENARIO.parent), methods=[{"name": "hooks.py:PowerSGD"}])
        document["workload"].update(max_iterations=30, evaluate_every=15)
        (self.folder / "hook.json").write_text(json.dumps(document))
        done = subprocess.run([PACBENCH, "run", "hook.json", "--out", "hook", "--no-progress"], capture_output=True, text=True,
                              check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)

    def test_a_task_without_an_accuracy_has_none_in_its_results(self):
        document = {**NOISY, "mode": "learn", "python_folder": str(SCENARIO.parent), "methods": [{"name": "all-reduce"}],
                    "targets": {"loss": [4]}}
        del document["network"]
        document["workload"] = {**NOISY["workload"], "task": "gpt_task.py:GPT", "batch_per_worker": 2, "evaluate_samples": 20}
        (self.folder / "gpt.json").write_text(json.dumps(document))
        subprocess.run([PACBENCH, "run", "gpt.json", "--out", "gpt", "--no-progress"], check=True, capture_output=True, cwd=self.folder)
        (cell,) = json.loads((self.folder / "gpt/result.json").read_text())["cells"]
        self.assertEqual((cell["status"], cell["final_accuracy"], cell["best_accuracy"]), ("done", None, None))
        self.assertLess(cell["final_loss"], 4.3)

    def test_what_a_hook_raises_is_told(self):
        (self.folder / "scenario.json").write_text(json.dumps(
            {**NOISY, "methods": [{"name": "hook_methods.py:Broken"}], "targets": {"loss": [0.1]}}))
        done = subprocess.run([PACBENCH, "run", "scenario.json", "--out", "broken", "--no-progress"], capture_output=True, text=True,
                              check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ZeroDivisionError", (self.folder / "broken/result.json").read_text())

    def test_options_and_rates_are_tuned_on_samples_that_are_not_trained_on(self):
        tune = {"learning_rates": [0.005, 0.01, 0.02], "seeds": [9], "validation_samples": 64, "max_iterations": 5,
                "evaluate_every": 5}
        own = {"name": "block_topk.py:BlockTopK", "block": 8, "tune": [{"keep": 0.1}, {"keep": 0.9}]}
        self.run_scenario("run", tune=tune, methods=[{"name": "all-reduce"}, own], mode="learn", network=None)
        settings = json.loads((self.folder / "run-tuning/settings.json").read_text())["methods"]
        self.assertGreaterEqual(len(settings[1]["tried"]), 6)
        self.assertEqual(sum(tried["chosen"] for tried in settings[1]["tried"]), 1)


def points(folder):
    return [(point["iteration"], point["accuracy"], point["loss"])
            for point in map(json.loads, (folder / "curve.jsonl").read_text().splitlines())]
