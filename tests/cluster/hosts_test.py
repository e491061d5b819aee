"""Runs whose nodes are started by hand, without a scheduler; each host has its own namespaces."""

import contextlib
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build/bin"
sys.path.insert(0, str(ROOT / "tests/tools"))

from hosts import Host, hosts  # noqa: E402
from scripts import main, needs_links  # noqa: E402
from slurm import wait_for  # noqa: E402

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


MADE = dict(SCENARIO, network={"links": [{"name": "made", "rate_mbit": 50}]})


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
        for rank, host in enumerate(self.nodes):
            self.join(host, rank)
        return self.end(code)


class ByHand(OnTwoHosts):
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

    def test_the_run_verifies(self) -> None:
        self.run_on_both(SCENARIO)
        done = subprocess.run([PROGRAMS / "pacbench", "verify", self.folder / "run", "--curves", "1"], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_who_does_not_know_the_token_is_refused(self) -> None:
        self.start(SCENARIO)
        self.assertIn("PACBENCH_CLUSTER_TOKEN", self.refusal(self.nodes[0], 0, PACBENCH_CLUSTER_TOKEN="guess"))
        for rank, host in enumerate(self.nodes):
            self.join(host, rank)
        self.end()

    def test_two_ranks_of_one_host_or_one_rank_twice_are_refused(self) -> None:
        self.start(SCENARIO)
        self.join(self.nodes[0], 0)
        self.read_until("1 of 2 nodes")
        self.assertIn("10.79.0.1", self.refusal(self.nodes[0], 1))
        self.assertIn("n1 (rank 0)", self.refusal(self.nodes[1], 0))
        self.assertIn("0 to 1", self.refusal(self.nodes[1], 2))
        self.join(self.nodes[1], 1)
        self.end()

    def test_an_interface_that_is_missing_is_named_with_those_that_are_there(self) -> None:
        self.start(SCENARIO)
        words = self.refusal(self.nodes[0], 0, PACBENCH_INTERFACE="ib0")
        for fact in ("ib0", "eth0", "ctl0"):
            self.assertIn(fact, words)

    def test_a_worker_that_is_killed_fails_its_cell_and_no_other(self) -> None:
        document = dict(SCENARIO, seeds=[1, 2])
        document["workload"] = dict(SCENARIO["workload"], max_iterations=2000)
        self.start(document)
        for rank, host in enumerate(self.nodes):
            self.join(host, rank)
        self.read_until(r"\[1/2\]")
        self.nodes[1].run("pkill -9 pacbench-worker")
        first, second = self.end(code=1)
        self.assertEqual((first["status"], second["status"]), ("failed", "done"))
        for fact in ("rank 1", "signal 9"):
            self.assertIn(fact, first["reason"])

    def test_a_program_of_the_users_own_runs_on_them(self) -> None:
        (self.folder / "train.py").write_text(OWN_PROGRAM)
        document = {key: SCENARIO[key] for key in ("version", "name", "workers", "network", "targets", "seeds",
                                                   "timeout_s")}
        document |= {"workload": {"command": [sys.executable], "time_limit_s": 30},
                     "methods": [{"name": "program", "label": "own", "arguments": ["train.py"]}]}
        (cell,) = self.run_on_both(document)
        self.assertEqual((cell["status"], cell["iterations"]), ("done", 5), cell["reason"])
        printed = (self.folder / "run/cells/own-as-is-1/worker.log").read_text()
        self.assertIn("[rank 1] said by n2", printed)

    def test_what_a_program_started_ends_with_it(self) -> None:
        (self.folder / "train.py").write_text(
            "import subprocess, sys\n"
            "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)  # child-of-own'])\n" + OWN_PROGRAM)
        document = {key: SCENARIO[key] for key in ("version", "name", "workers", "network", "targets", "seeds",
                                                   "timeout_s")}
        document |= {"workload": {"command": [sys.executable], "time_limit_s": 30},
                     "methods": [{"name": "program", "label": "own", "arguments": ["train.py"]}]}
        (cell,) = self.run_on_both(document)
        self.assertEqual(cell["status"], "done", cell["reason"])
        running = subprocess.run(["pgrep", "--full", "child-of-ow[n]"], capture_output=True, text=True, check=False)
        self.assertEqual(running.stdout, "")


class OverLinksThatTheyMake(OnTwoHosts):
    RATE_MBIT = 1000

    def inside(self, host: Host) -> str:
        """The process that runs a rank's programs within its links."""
        return host.run("pgrep --full 'pacbench-cluster insid[e]'").split()[0]

    def test_they_train_over_links_of_the_declared_rate(self) -> None:
        (cell,) = self.run_on_both(MADE)
        self.assertEqual(cell["status"], "done", cell["reason"])
        self.assertEqual({node.returncode for node in self.started}, {0})
        self.assertEqual(cell["link_verdict"]["word"], "ok", cell["link_verdict"])
        ratio = cell["measured_bytes_per_iteration"] / cell["explained_bytes_per_iteration"]
        self.assertAlmostEqual(ratio, 1, delta=0.01)
        links = json.loads((self.folder / "run/manifest.json").read_text())["links"]["made"]
        shaped = {link["name"]: 8 * link["rate_bytes_per_s"] for link in links["links"]}
        self.assertEqual(shaped, dict.fromkeys(("worker0.up", "worker0.down", "worker1.up", "worker1.down"), 50e6))
        self.assertEqual([node["host"] for node in links["nodes"]], ["n1", "n2"])

    def test_a_host_may_have_several_ranks(self) -> None:
        self.start(dict(MADE, workers=4))
        for rank in range(4):
            self.join(self.nodes[rank // 2], rank)
        (cell,) = self.end()
        self.assertEqual((cell["status"], cell["link_verdict"]["word"]), ("done", "ok"), cell)

    def test_ranks_of_a_host_get_gpus_of_their_own(self) -> None:
        (self.folder / "train.py").write_text(OWN_PROGRAM.replace(
            'assert socket.gethostname() == f"n{rank + 1}"', 'print("sees", os.environ["CUDA_VISIBLE_DEVICES"])'))
        document = {key: MADE[key] for key in ("version", "name", "workers", "network", "targets", "seeds",
                                               "timeout_s")}
        document |= {"workload": {"command": [sys.executable], "time_limit_s": 30},
                     "methods": [{"name": "program", "label": "own", "arguments": ["train.py"]}]}
        self.start(document)
        for rank in range(2):
            self.join(self.nodes[0], rank, CUDA_VISIBLE_DEVICES="4,7", SLURM_LOCALID=str(rank))
        (cell,) = self.end()
        self.assertEqual(cell["status"], "done", cell["reason"])
        printed = (self.folder / "run/cells/own-made-1/worker.log").read_text()
        self.assertIn("[rank 0] sees 4", printed)
        self.assertIn("[rank 1] sees 7", printed)

    def test_the_links_go_with_their_cell(self) -> None:
        self.run_on_both(dict(MADE, seeds=[1, 2]))
        for host in self.nodes:
            self.assertNotIn("macvlan", host.run("ip -d link"))
            self.assertNotIn("pacbench", host.run("ps -eo args"))

    def test_a_link_that_somebody_changes_makes_its_cell_suspect(self) -> None:
        document = dict(MADE)
        document["workload"] = dict(MADE["workload"], max_iterations=400, evaluate_every=100)
        self.start(document)
        for rank, host in enumerate(self.nodes):
            self.join(host, rank)
        self.read_until(r"\[1/1\]")
        self.nodes[1].run(f"nsenter --net --target {self.inside(self.nodes[1])} tc class change dev eth0 parent 1: "
                          "classid 1:1 htb rate 40mbit ceil 40mbit burst 15360b cburst 1600b quantum 60000")
        (cell,) = self.end()
        self.assertEqual(cell["link_verdict"]["word"], "suspect", cell["link_verdict"])
        self.assertIn("n2: worker1.up", json.dumps(cell["link_verdict"]))

    def test_a_user_of_the_service_makes_them_on_interfaces_that_it_allows(self) -> None:
        as_user = ["setpriv", "--reuid=64100", "--regid=64100", "--groups=64002"]
        worker = subprocess.run([*as_user, PROGRAMS / "pacbench-worker", "--catalog"], capture_output=True, text=True,
                                check=False)
        if "ermission denied" in worker.stderr:
            self.skipTest(f"other users may not read this checkout: {worker.stderr.strip()}")
        unit = (ROOT / "netem/systemd/pacbench-netd.service.in").read_text()
        capabilities = re.search(r"AmbientCapabilities=(.*)", unit)[1].lower().replace("cap_", "+").split()
        held = ",".join(["-all", *capabilities])
        as_service = ["setpriv", "--reuid=64001", "--regid=64002", "--clear-groups", "--no-new-privs",
                      f"--inh-caps={held}", f"--ambient-caps={held}", f"--bounding-set={held}"]
        for host in self.nodes:
            host.run("install -d -o 64001 -g 64002 -m 0750 /run/pacbench; install -d -o 64001 -m 0700 /run/state")
            service = host.start(*as_service, PROGRAMS / "pacbench-netd", "--service", "--listen", "/run/pacbench/netd.sock",
                                 "--group", "64002", "--state", "/run/state", "--uplink", "eth0", "--uplink", "ctl0",
                                 stderr=subprocess.DEVNULL)
            self.addCleanup(service.wait)
            self.addCleanup(host.run, "pkill pacbench-netd || true")
            wait_for("the service", lambda host=host: Path(f"/proc/{host.pid}/root/run/pacbench/netd.sock").is_socket())
        self.start(MADE)
        for rank, host in enumerate(self.nodes):
            self.join(host, rank, as_user=as_user)
        (cell,) = self.end()
        self.assertEqual((cell["status"], cell["link_verdict"]["word"]), ("done", "ok"), cell)

    def test_why_a_node_cannot_make_its_links_is_said_with_its_name(self) -> None:
        cells = self.run_on_both(dict(MADE, network={"mtu": 9000} | MADE["network"]), code=1)
        for fact in ("node n", "macvlan", "9000"):
            self.assertIn(fact, cells[0]["reason"])

    def test_a_worker_that_is_killed_fails_its_cell_and_no_other(self) -> None:
        document = dict(MADE, seeds=[1, 2])
        document["workload"] = dict(MADE["workload"], max_iterations=2000)
        self.start(document)
        for rank, host in enumerate(self.nodes):
            self.join(host, rank)
        self.read_until(r"\[1/2\]")
        self.nodes[1].run("pkill -9 pacbench-worker")
        first, second = self.end(code=1)
        self.assertEqual((first["status"], second["status"]), ("failed", "done"))

    def test_a_program_of_the_users_own_runs_in_them(self) -> None:
        (self.folder / "train.py").write_text(OWN_PROGRAM)
        document = {key: MADE[key] for key in ("version", "name", "workers", "network", "targets", "seeds",
                                               "timeout_s")}
        document |= {"workload": {"command": [sys.executable], "time_limit_s": 30},
                     "methods": [{"name": "program", "label": "own", "arguments": ["train.py"]}]}
        (cell,) = self.run_on_both(document)
        self.assertEqual((cell["status"], cell["iterations"]), ("done", 5), cell["reason"])


class WithoutNodes(unittest.TestCase):
    def pacbench(self, document: dict, *options: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scenario.json"
            path.write_text(json.dumps(document))
            return subprocess.run([PROGRAMS / "pacbench", "run", path, "--out", Path(folder) / "run", *options],
                                  text=True, capture_output=True, check=False)

    def test_measured_links_need_nodes_and_nodes_make_no_delays(self) -> None:
        alone = self.pacbench(SCENARIO)
        self.assertEqual(alone.returncode, 2)
        self.assertIn("/network/links/0", alone.stderr)
        self.assertIn("--on", alone.stderr)
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
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scenario.json"
            path.write_text(json.dumps(SCENARIO))
            done = subprocess.run([PROGRAMS / "pacbench", "run", path, "--out", Path(folder) / "run", "--on", "slurm"],
                                  text=True, capture_output=True, check=False, env={"PATH": folder}, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("sbatch", done.stderr)


if __name__ == "__main__":
    main()
