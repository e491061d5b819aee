"""The example programs that come with pacbench, which exchange gradients by PyTorch's own means."""

import json
import os
import subprocess
import unittest

from program_run import ProgramTest
from scripts import ROOT, needs_links

TORCH_PYTHON = ROOT / ".venv/bin/python"


def no_torch_reason() -> str:
    """Why the Python of .venv cannot import torch; empty when it can."""
    if not TORCH_PYTHON.exists():
        return f"there is no {TORCH_PYTHON}: tools/setup --python-torch makes it"
    done = subprocess.run([TORCH_PYTHON, "-c", "import torch"], capture_output=True, check=False)
    return "" if done.returncode == 0 else "Python cannot import torch here: tools/setup --python-torch"


@needs_links
@unittest.skipIf(no_torch_reason(), no_torch_reason())
class ExampleTest(ProgramTest):
    def run_scenario(self, name: str, *options: str, code: int = 0) -> list[dict]:
        self.pacbench("run", ROOT / f"scenarios/programs/{name}.json", "--out", self.run_folder, "--accept-suspect",
                      *options, before=["env", f"PATH={TORCH_PYTHON.parent}:{os.environ['PATH']}"], code=code,
                      timeout_s=500)
        return json.loads((self.run_folder / "result.json").read_text())["cells"]


class StockLoop(ExampleTest):
    def test_a_stock_loop_runs_over_two_links_and_the_slower_one_takes_longer(self):
        by_link = {cell["link"]: cell for cell in self.run_scenario("stock-ddp", "--only", "method=ddp-512")}
        slow, fast = by_link["20Mbps"], by_link["200Mbps"]
        self.assertEqual((slow["status"], fast["status"]), ("done", "done"))
        self.assertGreater(slow["training_s"], fast["training_s"])
        sent = [cell["measured_bytes_per_iteration"] for cell in (slow, fast)]
        self.assertAlmostEqual(sent[0] / sent[1], 1, delta=0.02)
        log = self.run_folder / "cells/ddp-512-20Mbps-1/worker.log"
        self.assertRegex(log.read_text(), r"\[rank 0\] accuracy 0\.\d+ after 2 epochs")


class Hooks(ExampleTest):
    def test_hooks_of_pytorch_and_of_pacbench_send_what_they_should(self):
        cells = self.run_scenario("resnet20-hooks", "--set", '/workload/command/3="15"')
        self.assertEqual({cell["status"] for cell in cells}, {"done"}, cells)
        self.assertEqual({cell["iterations"] for cell in cells if cell["label"] == "ddp"}, {15})
        sent = {cell["label"]: cell["measured_bytes_per_iteration"] for cell in cells}
        # A ring of two sends the gradient of 270 thousand weights once, in float32.
        self.assertAlmostEqual(sent["ddp"] / (270_000 * 4 * 1.045), 1, delta=0.1)
        self.assertAlmostEqual(sent["ddp-fp16"] / sent["ddp"], 0.5, delta=0.05)
        # Local SGD skips most exchanges of the last two thirds. PowerSGD sends whole gradients in
        # its first two iterations only.
        for label in ("ddp-powersgd", "ddp-post-local-sgd"):
            self.assertLess(sent[label], 0.8 * sent["ddp"], label)
        # The gradient has 270 thousand entries. The hooks send a tenth of them as values and codes, all of
        # them as 5-bit sums of two ranks' 4-bit levels, or half of them as such sums.
        for label, share in (("hooks-topk-keep10%", 0.12), ("hooks-terngrad-4bit", 0.16),
                             ("hooks-pactrain-prune50%-4bit", 0.09)):
            self.assertAlmostEqual(sent[label] / sent["ddp"] / share, 1, delta=0.25, msg=label)

    def test_powersgd_over_two_buckets_breaks_and_the_reason_shows_where(self):
        # PowerSGD's collectives for two buckets come in different orders on the two ranks, and Gloo
        # pairs collectives by their order alone.
        (cell,) = self.run_scenario(
            "resnet20-hooks", "--only", "method=ddp-powersgd", "--set", "/timeout_s=10", "--set",
            '/methods/2/arguments=["--hook", "powersgd", "--bucket-mb", "0.5"]', code=1)
        self.assertEqual(cell["status"], "failed")
        self.assertRegex(cell["reason"], r"rank [01]")
        self.assertRegex(cell["reason"], r"powerSGD_hook\.py|backward")
