"""A real Slurm over the hosts of hosts.py: slurmctld on the head, a slurmd on each node, munge on all."""

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hosts import Host

CONFIGURATION = """
ClusterName=pacbench
SlurmctldHost=head(10.80.0.100)
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=10
KillWait=5
InactiveLimit=0
MinJobAge=300
NodeName=n[1-{nodes}] NodeAddr=10.80.0.[1-{nodes}] CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def wait_for(what: str, is_there: Callable[[], bool], timeout_s: float = 30) -> None:
    until = time.monotonic() + timeout_s
    while not is_there():
        if time.monotonic() > until:
            raise TimeoutError(f"{what} did not come in {timeout_s} s")
        time.sleep(0.1)


class Slurm:
    def __init__(self, head: Host, nodes: list[Host], folder: Path) -> None:
        self.head = head
        self.nodes = nodes
        self.folder = folder
        self.environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf"), "PACBENCH_INTERFACE": "eth0"}
        self._daemons: dict[str, subprocess.Popen] = {}

    def _start_munge(self, host: Host) -> None:
        host.run(f"""
            mkdir -p /run/munge && cp {self.folder}/munge.key /run/munge/key && chmod 0400 /run/munge/key
            chown -R munge:munge /run/munge
            setpriv --reuid munge --regid munge --clear-groups munged --key-file /run/munge/key \\
                --log-file /run/munge/log --pid-file /run/munge/pid --seed-file /run/munge/seed""")
        wait_for("munge", lambda: Path(f"/proc/{host.pid}/root/run/munge/munge.socket.2").is_socket())

    def start(self) -> None:
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(folder=self.folder, nodes=len(self.nodes)))
        (self.folder / "munge.key").write_bytes(os.urandom(128))
        (self.folder / "state").mkdir()
        for host in (self.head, *self.nodes):
            self._start_munge(host)
        self._daemons["head"] = self.head.start("slurmctld", "-D", env=self.environment, stderr=subprocess.DEVNULL)
        for node in self.nodes:
            (self.folder / f"spool-{node.name}").mkdir()
            self._daemons[node.name] = node.start("slurmd", "-D", "-N", node.name, env=self.environment,
                                                  stderr=subprocess.DEVNULL)
        wait_for("idle nodes", lambda: self.ask("sinfo", "-h", "-o", "%T %D") == f"idle {len(self.nodes)}")

    def ask(self, *command: object) -> str:
        """What a command prints on the head."""
        done = subprocess.run(self.head.words(*command), env=self.environment, text=True, capture_output=True,
                              check=False)
        return done.stdout.strip()

    def jobs(self) -> str:
        return self.ask("squeue", "-h", "-o", "%i %T")

    def end(self) -> None:
        for daemon in self._daemons.values():
            daemon.kill()
            daemon.wait()


@contextlib.contextmanager
def slurm(head: Host, nodes: list[Host], folder: Path) -> Iterator[Slurm]:
    cluster = Slurm(head, nodes, folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.end()
