"""Runs over a real Slurm of four hosts, each in namespaces of its own, and how such runs end."""

import contextlib
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from hosts import Host, hosts
from scripts import PACBENCH, needs_links
from slurm import Slurm, slurm, wait_for

RATE_MBIT = 50
HEAD = "10.80.0.100"
MISSING = [program for program in ("slurmctld", "slurmd", "srun", "munged") if not shutil.which(program)]


def scenario(links: dict, **changes: object) -> dict:
    return {
        "version": 1, "name": "cluster", "mode": "emulate", "workers": 4, "time_dilation": 1, "device": "cpu",
        "network": {"links": [links]},
        "workload": {"model": {"name": "mlp", "hidden": [256, 256]}, "dataset": {"name": "digits"},
                     "batch_per_worker": 32, "optimizer": {"name": "sgd", "lr": 0.1, "momentum": 0.9},
                     "max_iterations": 24, "evaluate_every": 3},
        "methods": [{"name": "all-reduce"}, {"name": "topk", "ratio": 0.1}],
        "targets": {"accuracy": [0.7]}, "seeds": [1], "quality_every": 8, "timeout_s": 20,
    } | changes


AS_IS = {"name": "link", "measured": True}
# Less than the hosts' own links carry.
MADE_RATE_MBIT = 25
MADE = {"name": "link", "rate_mbit": MADE_RATE_MBIT}
# Steps of 100 ms and more at 50 Mbit/s: a millisecond that the host takes does not decide.
LARGER = {"name": "mlp", "hidden": [512, 512]}
ENDLESS = {"workload": {"model": {"name": "mlp", "hidden": [64]}, "dataset": {"name": "digits"},
                        "batch_per_worker": 8, "optimizer": {"name": "sgd", "lr": 0.01},
                        "max_iterations": 1_000_000, "evaluate_every": 1_000_000}}


def lines(run: Path, cell: str, name: str) -> list[dict]:
    return [json.loads(line) for line in (run / "cells" / cell / name).read_text().splitlines()]


def curve(run: Path, cell: str) -> list[tuple]:
    return [(line["iteration"], line["accuracy"], line["loss"]) for line in lines(run, cell, "curve.jsonl")]


@needs_links
@unittest.skipIf(MISSING, f"Slurm is not installed: no {', '.join(MISSING)}")
class SlurmTest(unittest.TestCase):
    head: Host
    nodes: list[Host]
    slurm: Slurm

    @classmethod
    def setUpClass(cls) -> None:
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        own = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        cls.head, cls.nodes = stack.enter_context(hosts(4, RATE_MBIT))
        cls.slurm = stack.enter_context(slurm(cls.head, cls.nodes, own))

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.run_folder = self.folder / "run"

    def command(self, document: dict, *options: object) -> list[object]:
        path = self.folder / "scenario.json"
        path.write_text(json.dumps(document))
        return [PACBENCH, "run", path, "--out", self.run_folder, "--on", "slurm",
                "--address", HEAD, *options]

    def start(self, document: dict, *options: object) -> subprocess.Popen:
        self.log = self.folder / "log"
        with self.log.open("w") as log:
            return self.head.start(*self.command(document, *options), env=self.slurm.environment, stderr=log,
                                   stdout=subprocess.DEVNULL)

    def start_training(self, document: dict, *options: object) -> subprocess.Popen:
        """Starts a run, and waits until its first cell trains."""
        run = self.start(document, *options)
        wait_for("training", lambda: "[1/" in self.log.read_text(), 60)
        return run

    def run_to_its_end(self, document: dict, *options: object, code: int = 0) -> str:
        run = self.start(document, "--accept-suspect", *options)
        self.assertEqual(run.wait(150), code, self.log.read_text())
        return self.log.read_text()

    def cells(self) -> list[dict]:
        return json.loads((self.run_folder / "result.json").read_text())["cells"]

    def expect_nothing_left(self, *states: str) -> None:
        """Waits until only jobs in `states` and no program of pacbench's are left."""
        wait_for("the job's end", lambda: set(re.findall(r"[A-Z]+", self.slurm.jobs())) <= set(states), 40)
        for node in self.nodes:
            if Path(f"/proc/{node.pid}").exists():
                wait_for(f"the end of all programs on {node.name}",
                         lambda node=node: "pacbench" not in node.run("ps -eo args"), 20)

    def end_by(self, number: signal.Signals, run: subprocess.Popen) -> None:
        """Sends the signal to a run's harness."""
        os.kill(pacbench_of(run), number)
        code = run.wait(60)
        if number == signal.SIGINT:
            self.assertEqual(code, 130, self.log.read_text())
        self.expect_nothing_left()

    def compare_with_emulated(self, links: dict, rate_mbit: float) -> None:
        """Runs over `links` of the cluster, and over emulated links of a rate, and compares."""
        seeds = [1, 2, 3]

        def over(some: dict) -> dict:
            document = scenario(some, seeds=seeds)
            document["workload"] |= {"model": LARGER, "max_iterations": 18}
            return document

        self.run_to_its_end(over(links))
        self.expect_nothing_left()
        emulated = self.folder / "emulated"
        path = self.folder / "emulated.json"
        path.write_text(json.dumps(over({"name": "link", "rate_mbit": rate_mbit})))
        subprocess.run([PACBENCH, "run", path, "--out", emulated, "--accept-suspect"], check=True,
                       capture_output=True)
        for label in ("all-reduce", "topk-keep10%"):
            with self.subTest(label):
                for seed in seeds:
                    cell = f"{label}-link-{seed}"
                    self.assertEqual(curve(self.run_folder, cell), curve(emulated, cell))
                here, there = (of_label(run, label) for run in (self.run_folder, emulated))
                for key in ("vnmse", "payload_bytes_per_iteration"):
                    self.assertEqual(values(here, key), values(there, key))
                wire, steps = (statistics.median(values(here, key)) / statistics.median(values(there, key))
                               for key in ("measured_bytes_per_iteration", "time_per_iteration_s"))
                hosts_are_ok = {cell["host_verdict"]["word"] for cell in here + there} == {"ok"}
                print(f"{label}: wire bytes × {wire:.4f}, steps × {steps:.3f}, hosts ok: {hosts_are_ok}")
                self.assertAlmostEqual(wire, 1, delta=0.01)
                if hosts_are_ok:
                    self.assertAlmostEqual(steps, 1, delta=0.03)


class OverSlurm(SlurmTest):
    def test_it_learns_and_sends_what_the_same_run_does_over_emulated_links(self) -> None:
        self.compare_with_emulated(AS_IS, RATE_MBIT)
        manifest = json.loads((self.run_folder / "manifest.json").read_text())
        measured = manifest["scenario"]["network"]["links"][0]["rate_mbit"]
        self.assertAlmostEqual(measured / RATE_MBIT, 1, delta=0.05)
        self.assertEqual(hosts_by_rank(self.run_folder), ["n1", "n2", "n3", "n4"])


class EndsOverSlurm(SlurmTest):
    def test_a_job_that_is_cancelled_fails_its_cell_with_that_reason(self) -> None:
        run = self.start_training(scenario(AS_IS, **ENDLESS))
        self.slurm.ask("scancel", self.slurm.jobs().split()[0])
        self.assertEqual(run.wait(60), 1, self.log.read_text())
        self.assertIn("CANCELLED", self.cells()[0]["reason"])
        self.expect_nothing_left()

    def test_ctrl_c_or_the_death_of_the_harness_ends_the_job(self) -> None:
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(number):
                self.run_folder = self.folder / f"run-{number}"
                self.end_by(number, self.start_training(scenario(AS_IS, **ENDLESS)))

    def test_it_runs_inside_an_allocation(self) -> None:
        words = ["salloc", "--ntasks=4", "--ntasks-per-node=1", *self.command(scenario(AS_IS), "--accept-suspect")]
        done = subprocess.run(self.head.words(*words), env=self.slurm.environment, text=True, capture_output=True,
                              timeout=150, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotRegex(done.stderr, r"Slurm job \d+")
        self.assertEqual({cell["status"] for cell in self.cells()}, {"done"})
        self.expect_nothing_left()


class SeldomOverSlurm(SlurmTest):
    def test_over_links_that_nodes_make_it_does_so_too(self) -> None:
        self.compare_with_emulated(MADE, MADE_RATE_MBIT)
        self.assertEqual({cell["link_verdict"]["word"] for cell in self.cells()}, {"ok"})

    def test_two_ranks_of_a_host_have_links_of_their_own(self) -> None:
        self.run_to_its_end(scenario(MADE), "--sbatch", "--nodes=2 --ntasks-per-node=2 --overcommit")
        self.assertEqual(len(set(hosts_by_rank(self.run_folder))), 2)
        self.assertEqual({cell["status"] for cell in self.cells()}, {"done"})
        self.expect_nothing_left()

    def test_they_also_end_a_job_that_waits_in_the_queue(self) -> None:
        self.slurm.ask("scontrol", "update", "partition=all", "state=down")
        self.addCleanup(self.slurm.ask, "scontrol", "update", "partition=all", "state=up")
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(number):
                self.run_folder = self.folder / f"run-{number}"
                run = self.start(scenario(AS_IS))
                wait_for("the job", lambda: "PENDING" in self.log.read_text(), 30)
                self.assertIn("PartitionDown", self.log.read_text())
                self.end_by(number, run)

    def test_nodes_that_may_not_join_end_the_run_with_the_reason(self) -> None:
        two_on_a_host = "--nodes=2 --ntasks-per-node=2 --overcommit"
        run = self.start(scenario(AS_IS), "--sbatch", two_on_a_host, "--join-s", "8")
        self.assertNotIn(run.wait(60), (0, 130))
        said = self.log.read_text()
        self.assertRegex(said, r"node \S+ \(rank \d\) was refused: .*--ntasks-per-node=1")
        self.assertRegex(said, r"2 of 4 nodes \(ranks \d, \d\)")
        self.expect_nothing_left()


class LosesANode(SlurmTest):
    def test_a_lost_node_fails_its_cell_by_name_and_resume_submits_the_rest(self) -> None:
        document = scenario(AS_IS, workers=3)
        document["workload"]["max_iterations"] = 300
        run = self.start_training(document)
        host = hosts_by_rank(self.run_folder)[1]
        next(node for node in self.nodes if node.name == host).end()
        self.assertEqual(run.wait(60), 1, self.log.read_text())
        for cell in self.cells():
            self.assertIn(f"node {host} (rank 1)", cell["reason"])
        self.expect_nothing_left("COMPLETING")  # Slurm waits to hear from the lost node
        wait_for("Slurm to miss the node",
                 lambda: self.slurm.ask("sinfo", "-h", "-n", host, "-o", "%T").startswith("down"), 60)
        self.run_to_its_end(document, "--resume")
        self.assertEqual([cell["status"] for cell in self.cells()], ["done", "done"])


class EndsByItsTimeLimit(SlurmTest):
    def test_a_time_limit_of_the_queue_ends_a_cell_with_its_reason(self) -> None:
        run = self.start_training(scenario(AS_IS, timeout_s=60, **ENDLESS), "--sbatch", "--time=1")
        self.assertEqual(run.wait(150), 1, self.log.read_text())
        self.assertIn("TIMEOUT", self.cells()[0]["reason"])
        self.expect_nothing_left()


def of_label(run: Path, label: str) -> list[dict]:
    return [cell for cell in json.loads((run / "result.json").read_text())["cells"] if cell["label"] == label]


def values(cells: list[dict], key: str) -> list[float]:
    return [cell[key] for cell in cells]


def hosts_by_rank(run: Path) -> list[str]:
    """The name of each rank's host, in the order of the ranks."""
    links = json.loads((run / "manifest.json").read_text())["links"]
    return [node["host"] for node in links["link"]["nodes"]]


def pacbench_of(run: subprocess.Popen) -> int:
    """The process of pacbench, which nsenter has started."""
    for _ in range(100):
        children = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
        if children:
            return int(children[0])
        time.sleep(0.01)
    raise RuntimeError("pacbench has not started")
