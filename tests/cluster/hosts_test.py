"""Runs over the links between hosts as they are; each host has namespaces of its own."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from two_hosts import OWN_PROGRAM, PROGRAMS, SCENARIO, OnTwoHosts


class MeasuresLinks(OnTwoHosts):
    def test_they_train_over_links_whose_rate_is_measured(self) -> None:
        (cell,) = self.run_on_both(SCENARIO)
        self.assertEqual(cell["status"], "done")
        self.assertEqual({node.returncode for node in self.started}, {0})
        measured = json.loads((self.folder / "run/manifest.json").read_text())["scenario"]["network"]["links"][0]
        self.assertAlmostEqual(measured["rate_mbit"], 100, delta=3)
        # The device's HTB class counted what was sent: payload, headers, acknowledgements.
        ratio = cell["measured_bytes_per_iteration"] / cell["explained_bytes_per_iteration"]
        self.assertAlmostEqual(ratio, 1, delta=0.02)
        # Measuring the rate had sent about a hundred times the cell's bytes over this device.
        self.assertLess(cell["busiest_link_bytes_per_iteration"], 10 * cell["measured_bytes_per_iteration"])


class ByHand(OnTwoHosts):
    def test_nodes_that_may_not_join_are_refused_and_the_run_without_them_verifies(self) -> None:
        self.start(SCENARIO)
        self.assertIn("PACBENCH_CLUSTER_TOKEN", self.refusal(self.nodes[0], 0, PACBENCH_CLUSTER_TOKEN="guess"))
        missing = self.refusal(self.nodes[0], 0, PACBENCH_INTERFACE="ib0")
        for fact in ("ib0", "eth0", "ctl0"):
            self.assertIn(fact, missing)
        self.join(self.nodes[0], 0)
        self.read_until("1 of 2 nodes")
        self.assertIn("10.79.0.1", self.refusal(self.nodes[0], 1))
        self.assertIn("n1 (rank 0)", self.refusal(self.nodes[1], 0))
        self.assertIn("0 to 1", self.refusal(self.nodes[1], 2))
        self.join(self.nodes[1], 1)
        self.end()
        done = subprocess.run([PROGRAMS / "pacbench", "verify", self.folder / "run", "--curves", "1"], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_worker_that_is_killed_fails_its_cell_and_no_other(self) -> None:
        reason = self.kill_a_worker(SCENARIO)
        for fact in ("rank 1", "signal 9"):
            self.assertIn(fact, reason)

    def test_a_program_of_the_users_own_runs_on_them_and_what_it_started_ends_with_it(self) -> None:
        starts_a_child = (
            "import subprocess, sys\n"
            "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)  # child-of-own'])\n")
        (cell,) = self.run_on_both(self.with_program(SCENARIO, starts_a_child + OWN_PROGRAM))
        self.assertEqual((cell["status"], cell["iterations"]), ("done", 5), cell["reason"])
        printed = (self.folder / "run/cells/own-as-is-1/worker.log").read_text()
        self.assertIn("[rank 1] said by n2", printed)
        running = subprocess.run(["pgrep", "--full", "child-of-ow[n]"], capture_output=True, text=True, check=False)
        self.assertEqual(running.stdout, "")


class WithoutNodes(unittest.TestCase):
    def pacbench(self, document: dict, *options: str, **variables: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scenario.json"
            path.write_text(json.dumps(document))
            return subprocess.run([PROGRAMS / "pacbench", "run", path, "--out", Path(folder) / "run", *options],
                                  text=True, capture_output=True, check=False, env=os.environ | variables, timeout=60)

    def test_measured_links_need_nodes_and_nodes_make_no_delays(self) -> None:
        alone = self.pacbench(SCENARIO)
        self.assertEqual(alone.returncode, 2)
        for fact in ("/network/links/0", "--on"):
            self.assertIn(fact, alone.stderr)
        for link, fact in (({"delay_ms": 5}, "delay"), ({"loads": [{"from": 0, "to": 1}]}, "loads")):
            declared = self.pacbench(dict(SCENARIO, network={"links": [{"name": "a", "rate_mbit": 10} | link]}),
                                     "--on", "slurm")
            self.assertEqual(declared.returncode, 2, declared.stderr)
            self.assertIn(fact, declared.stderr)

    def test_a_device_that_this_host_would_choose_for_the_nodes_is_refused(self) -> None:
        done = self.pacbench(dict(SCENARIO, device="auto"), "--on", "slurm", "--dry-run")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/device", done.stderr)

    def test_a_dry_run_prints_the_script_and_starts_nothing(self) -> None:
        done = self.pacbench(SCENARIO, "--on", "slurm", "--sbatch", "--partition=gpu", "--address", "login",
                             "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        for fact in ("sbatch --parsable --partition=gpu", "#SBATCH --ntasks=2", "srun", "pacbench-cluster node login:"):
            self.assertIn(fact, done.stdout)

    def test_a_missing_slurm_is_named(self) -> None:
        done = self.pacbench(SCENARIO, "--on", "slurm", PATH="/nowhere")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("sbatch", done.stderr)
