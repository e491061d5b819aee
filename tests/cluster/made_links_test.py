"""Runs over links that the hosts make; each host has namespaces of its own."""

import json
import re
import subprocess
from pathlib import Path

from hosts import Host
from scripts import ROOT
from slurm import wait_for
from two_hosts import OWN_PROGRAM, PROGRAMS, SCENARIO, OnTwoHosts

MADE = dict(SCENARIO, network={"links": [{"name": "made", "rate_mbit": 50}]})


class HaveTheirRates(OnTwoHosts):
    RATE_MBIT = 1000

    def test_they_train_over_links_of_the_declared_rate(self) -> None:
        (cell,) = self.run_on_both(MADE)
        self.assertEqual({node.returncode for node in self.started}, {0})
        self.assert_as_declared(cell)
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
        self.assert_as_declared(cell)

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
        self.join_all(as_user=as_user)
        (cell,) = self.end()
        self.assert_as_declared(cell)


class ThatHostsMake(OnTwoHosts):
    RATE_MBIT = 1000

    def inside(self, host: Host) -> str:
        """The process that runs a rank's programs within its links."""
        return host.run("pgrep --full 'pacbench-cluster insid[e]'").split()[0]

    def test_ranks_of_a_host_get_gpus_of_their_own(self) -> None:
        prints_gpus = OWN_PROGRAM.replace(
            'assert socket.gethostname() == f"n{rank + 1}"', 'print("sees", os.environ["CUDA_VISIBLE_DEVICES"])')
        self.start(self.with_program(MADE, prints_gpus))
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
        self.start(dict(MADE, workload=dict(MADE["workload"], max_iterations=400, evaluate_every=100)))
        self.join_all()
        self.read_until(r"\[1/1\]")
        self.nodes[1].run(f"nsenter --net --target {self.inside(self.nodes[1])} tc class change dev eth0 parent 1: "
                          "classid 1:1 htb rate 40mbit ceil 40mbit burst 15360b cburst 1600b quantum 60000")
        (cell,) = self.end()
        self.assertEqual(cell["link_verdict"]["word"], "suspect", cell["link_verdict"])
        self.assertIn("n2: worker1.up", json.dumps(cell["link_verdict"]))

    def test_why_a_node_cannot_make_its_links_is_said_with_its_name(self) -> None:
        cells = self.run_on_both(dict(MADE, network={"mtu": 9000} | MADE["network"]), code=1)
        for fact in ("node n", "macvlan", "9000"):
            self.assertIn(fact, cells[0]["reason"])

    def test_a_worker_that_is_killed_fails_its_cell_and_no_other(self) -> None:
        self.kill_a_worker(MADE)

    def test_a_program_of_the_users_own_runs_in_them(self) -> None:
        (cell,) = self.run_on_both(self.with_program(MADE, OWN_PROGRAM))
        self.assertEqual((cell["status"], cell["iterations"]), ("done", 5), cell["reason"])
