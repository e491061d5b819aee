"""Hosts of a small cluster on this machine. Each has namespaces of its own for network, mounts,
IPC, names and processes. Its data link is shaped as pacbench's own links are; its control link is
not shaped.
"""

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

# pacbench's own shaping at 50 Mbit/s (pacbench run --dry-run --format json), so that runs over
# these links and over pacbench's can be compared.
SHAPING = (
    "tc qdisc add dev {device} root handle 1: htb default 1 && "
    "tc class add dev {device} parent 1: classid 1:1 htb rate {rate}mbit ceil {rate}mbit "
    "burst 15360b cburst {ceil_burst}b quantum 60000 && "
    "tc qdisc add dev {device} parent 1:1 bfifo limit 262144"
)


class Host:
    """A process that keeps the namespaces; all that runs in them ends with it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._holder = subprocess.Popen(
            ["unshare", "--net", "--mount", "--ipc", "--uts", "--pid", "--fork", "--kill-child",
             "--mount-proc", "sh", "-c", f"hostname {name} && exec sleep infinity"],
            stderr=subprocess.DEVNULL)
        self.pid = self._first_process()
        # A veth pair hands a packet to the CPU that sent it; steering keeps those of a flow in order.
        self.run("ip link set lo up && mount -t tmpfs tmpfs /run && "
                 f"echo {(1 << os.cpu_count()) - 1:x} > /proc/sys/net/core/rps_default_mask")

    def _first_process(self) -> int:
        children = Path(f"/proc/{self._holder.pid}/task/{self._holder.pid}/children")
        for _ in range(500):
            pid = children.read_text().split()
            # Its namespaces are there once it has become `sleep`.
            if pid and b"sleep" in Path(f"/proc/{pid[0]}/cmdline").read_bytes()[:6]:
                return int(pid[0])
            time.sleep(0.01)
        raise RuntimeError(f"the namespaces of {self.name} were not made in 5 s")

    def words(self, *command: object) -> list[str]:
        """The words that run a command in this host."""
        return ["nsenter", "--target", str(self.pid), "--all", *map(str, command)]

    def run(self, script: str) -> str:
        return subprocess.run(self.words("sh", "-ec", script), check=True, text=True,
                              capture_output=True).stdout

    def start(self, *command: object, **options: object) -> subprocess.Popen:
        return subprocess.Popen(self.words(*command), **options)

    def end(self) -> None:
        """Ends the host as a loss of power would."""
        subprocess.run(["kill", "-9", str(self.pid)], check=False)
        self._holder.wait()


def _connect(host: Host, device: str, switch: Host, bridge: str, address: str) -> None:
    port = f"{host.name}-{device}"
    subprocess.run(["ip", "link", "add", port, "netns", str(switch.pid), "type", "veth", "peer", "name", device,
                    "netns", str(host.pid)], check=True)
    switch.run(f"ip link set {port} master {bridge} up")
    host.run(f"ip address add {address}/16 dev {device} && ip link set {device} up")


def _shape(host: Host, switch: Host, rate_mbit: int) -> None:
    host.run("ip link set eth0 gso_max_size 8192")
    for place, device, ceil_burst in ((host, "eth0", 1600), (switch, f"{host.name}-eth0", 15360)):
        place.run(SHAPING.format(device=device, rate=rate_mbit, ceil_burst=ceil_burst))
    host.run("ip route replace 10.79.0.0/16 dev eth0 congctl lock cubic")


@contextlib.contextmanager
def hosts(count: int, rate_mbit: int) -> Iterator[tuple[Host, list[Host]]]:
    """A head and nodes n1, n2, …. Nodes are 10.79.0.1, … on eth0 (shaped) and 10.80.0.1, … on ctl0.
    The head is on the control network alone, at 10.80.0.100."""
    made: list[Host] = []
    try:
        switch, head = Host("switch"), Host("head")
        made += [switch, head]
        for bridge in ("data", "control"):
            switch.run(f"ip link add {bridge} type bridge && ip link set {bridge} up")
        _connect(head, "ctl0", switch, "control", "10.80.0.100")
        nodes = []
        for number in range(1, count + 1):
            node = Host(f"n{number}")
            made.append(node)
            nodes.append(node)
            _connect(node, "eth0", switch, "data", f"10.79.0.{number}")
            _connect(node, "ctl0", switch, "control", f"10.80.0.{number}")
            _shape(node, switch, rate_mbit)
        yield head, nodes
    finally:
        for host in reversed(made):
            host.end()
