"""Runs over two hosts, whose nodes are started by hand, without a scheduler."""

import contextlib
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from hosts import Host, hosts
from machine import Meter
from scripts import ROOT, needs_links

PROGRAMS = ROOT / "build/bin"
SCENARIO = {
    "version": 1, "name": "by-hand", "mode": "emulate", "workers": 2, "device": "cpu",
    "network": {"links": [{"name": "as-is", "measured": True}]},
    "workload": {"model": {"name": "mlp", "hidden": [64]}, "dataset": {"name": "digits"}, "batch_per_worker": 8,
                 "optimizer": {"name": "sgd", "lr": 0.1}, "max_iterations": 12, "evaluate_every": 3},
    "methods": [{"name": "all-reduce"}], "targets": {"accuracy": [0.5]}, "seeds": [1], "timeout_s": 10,
}
OWN_PROGRAM = """
import os, socket
import pacbench
rank = int(os.environ["RANK"])
assert socket.gethostname() == f"n{rank + 1}"
assert (os.environ["LOCAL_RANK"], os.environ["LOCAL_WORLD_SIZE"]) == ("0", "1")
pacbench.begin()
for number in range(5):
    if rank == 0:
        with socket.create_server((os.environ["MASTER_ADDR"], 7000 + number)) as server:
            server.accept()[0].recv(1)
    else:
        while True:
            try:
                socket.create_connection((os.environ["MASTER_ADDR"], 7000 + number)).send(b"x")
                break
            except OSError:
                pass
    pacbench.step()
    if rank == 0:
        pacbench.evaluation(accuracy=0.2 * number, loss=1.0 - 0.1 * number)
print("said by", socket.gethostname())
"""


@needs_links
class OnTwoHosts(unittest.TestCase):
    """Starts runs and nodes; the data links between the hosts carry RATE_MBIT."""
    RATE_MBIT = 100
    head: Host
    nodes: list[Host]

    @classmethod
    def setUpClass(cls) -> None:
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        cls.head, cls.nodes = stack.enter_context(hosts(2, cls.RATE_MBIT))

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.started: list[subprocess.Popen] = []
        self.log = ""
        self.meter = Meter(PROGRAMS)
        self.addCleanup(self.meter.taken_share)

    def start(self, document: dict) -> None:
        """Starts a run, and learns from it how nodes join."""
        path = self.folder / "scenario.json"
        path.write_text(json.dumps(document))
        self.run_ = self.head.start(PROGRAMS / "pacbench", "run", path, "--out", self.folder / "run", "--on",
                                    "torchrun", "--address", "10.80.0.100", "--accept-suspect",
                                    stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.addCleanup(self.run_.wait)
        self.addCleanup(self.run_.stderr.close)
        self.addCleanup(self.run_.kill)
        self.read_until(r"RANK=N \S+ node (\S+)")
        self.token = re.search(r"TOKEN=(\w+)", self.log)[1]
        self.hub = re.search(r"RANK=N \S+ node (\S+)", self.log)[1]

    def read_until(self, pattern: str) -> None:
        for line in self.run_.stderr:
            self.log += line
            if re.search(pattern, line):
                return
        self.fail(f"no {pattern} in:\n{self.log}")

    def join(self, host: Host, rank: int, as_user: list[str] | None = None, **variables: str) -> subprocess.Popen:
        environment = {"PACBENCH_CLUSTER_TOKEN": self.token, "PACBENCH_INTERFACE": "eth0", "RANK": rank} | variables
        node = host.start(*(as_user or []), "env", *(f"{name}={value}" for name, value in environment.items()),
                          PROGRAMS / "pacbench-cluster", "node", self.hub, stderr=subprocess.PIPE, text=True)
        self.started.append(node)
        self.addCleanup(node.stderr.close)
        return node

    def assert_as_declared(self, cell: dict) -> None:
        """Over several hosts pacbench watches no CPUs. Where others took them here, a flow may have been too slow."""
        self.assertEqual(cell["status"], "done", cell["reason"])
        if cell["link_verdict"]["word"] != "ok" and self.meter.taken_share() > 0.05:
            for reason in cell["link_verdict"]["reasons"]:
                self.assertIn("too slow", reason)
            return
        self.assertEqual(cell["link_verdict"]["word"], "ok", cell["link_verdict"])

    def join_all(self, **options: object) -> None:
        for rank, host in enumerate(self.nodes):
            self.join(host, rank, **options)

    def refusal(self, host: Host, rank: int, **variables: str) -> str:
        node = self.join(host, rank, **variables)
        self.assertEqual(node.wait(20), 1)
        return node.stderr.read()

    def end(self, code: int = 0) -> list[dict]:
        """The cells, once the run and all nodes have ended."""
        self.log += self.run_.stderr.read()
        self.assertEqual(self.run_.wait(), code, self.log)
        for node in self.started:
            node.wait(20)
        return json.loads((self.folder / "run/result.json").read_text())["cells"]

    def run_on_both(self, document: dict, code: int = 0) -> list[dict]:
        self.start(document)
        self.join_all()
        return self.end(code)

    def kill_a_worker(self, document: dict) -> str:
        """Kills rank 1 of the first of two cells. Returns why that cell failed, and the other one did not."""
        workload = document["workload"] | {"max_iterations": 2000}
        self.start(document | {"seeds": [1, 2], "workload": workload})
        self.join_all()
        self.read_until(r"\[1/2\]")
        self.nodes[1].run("pkill -9 pacbench-worker")
        first, second = self.end(code=1)
        self.assertEqual((first["status"], second["status"]), ("failed", "done"))
        return first["reason"]

    def with_program(self, document: dict, text: str) -> dict:
        """The scenario with a training program of the user's own, of this text, in place of its workload."""
        (self.folder / "train.py").write_text(text)
        kept = ("version", "name", "workers", "network", "targets", "seeds", "timeout_s")
        return {key: document[key] for key in kept} | {
            "workload": {"command": [sys.executable], "time_limit_s": 30},
            "methods": [{"name": "program", "label": "own", "arguments": ["train.py"]}]}
