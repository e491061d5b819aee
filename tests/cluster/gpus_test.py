"""Ranks of two hosts that train on GPUs. Each host takes the machine's first GPU for its own."""

import json
import subprocess
import unittest

from made_links_test import MADE
from two_hosts import PROGRAMS, SCENARIO, OnTwoHosts


def no_gpus_reason() -> str:
    """Why no rank can train on a GPU here; empty where one can."""
    devices = json.loads(subprocess.run([PROGRAMS / "pacbench-worker", "--devices"], check=True,
                                        capture_output=True).stdout)
    return devices.get("no_gpus") or devices.get("no_nccl") or ""


@unittest.skipIf(no_gpus_reason(), no_gpus_reason())
class OnGpus(OnTwoHosts):
    RATE_MBIT = 1000

    def train(self, document: dict, backend: str) -> dict:
        (cell,) = self.run_on_both(dict(document, device="cuda", backend=backend, timeout_s=60))
        log = self.folder / "run/cells" / f"all-reduce-{cell['link']}-1/worker.log"
        self.assertEqual(cell["status"], "done", (cell["reason"], log.exists() and log.read_text()))
        self.assertEqual({node.returncode for node in self.started}, {0})
        return cell

    def test_they_exchange_over_nccl_what_they_exchange_over_gloo(self) -> None:
        cells, folder = {}, self.folder
        for backend in ("gloo", "nccl"):
            with self.subTest(backend=backend):
                self.log, self.started, self.folder = "", [], folder / backend
                self.folder.mkdir()
                cells[backend] = self.train(SCENARIO, backend)
        self.assertEqual(*(cell["payload_bytes_per_iteration"] for cell in cells.values()))
        ratio = cells["nccl"]["measured_bytes_per_iteration"] / cells["gloo"]["measured_bytes_per_iteration"]
        self.assertAlmostEqual(ratio, 1, delta=0.05)

    def test_they_exchange_over_links_that_the_hosts_make(self) -> None:
        cell = self.train(MADE, "nccl")
        self.assertEqual(cell["link_verdict"]["word"], "ok", cell["link_verdict"])
