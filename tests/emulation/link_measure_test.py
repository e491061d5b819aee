"""`pacbench link` measures a path whose rates are known: two network namespaces, a veth pair, tc.

link_measure_test.py PROGRAMS [CLASS...]    PROGRAMS is the folder of pacbench and pacbench-probe
"""
import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest
from pathlib import Path

PROGRAMS = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from machine import Meter  # noqa: E402

HERE, THERE = "10.99.0.1", "10.99.0.2"
HOST, STRANGER = "127.0.0.1", "127.0.0.2"
# The hello of a client with a request (probe/hello.h).
HELLO = struct.pack("=II", 0x50616342, 5)
UP_MBIT, DOWN_MBIT = 50, 20
WAYS = (("up", UP_MBIT), ("down", DOWN_MBIT))
WITHIN = 0.03
SKIPPED = 77  # the exit code that CTest takes for a skipped test


def enter_own_network():
    """Starts this program again in a network namespace of its own, once. Skips where there can be none."""
    if os.environ.get("PACBENCH_OWN_NETWORK"):
        return
    for options in (["--net"], ["--user", "--map-root-user", "--net"]):
        tried = subprocess.run(["unshare", *options, "true"], capture_output=True, text=True, check=False)
        if tried.returncode == 0:
            os.environ["PACBENCH_OWN_NETWORK"] = "1"
            os.execvp("unshare", ["unshare", *options, sys.executable, *sys.argv])
    print(f"skipped: {tried.stderr.strip()}")
    sys.exit(SKIPPED)


def run(*words):
    subprocess.run(words, check=True)


class Inside:
    """A second network namespace, which exists as long as a process in it does."""

    def __init__(self):
        self.process = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{self.process.pid}/ns/net") == own:
            pass

    def words(self, *words):
        return ["nsenter", "--target", str(self.process.pid), "--net", *words]

    def close(self):
        self.process.kill()
        self.process.wait()


def shape(enter, device, rate_mbit):
    run(*enter("tc", "qdisc", "add", "dev", device, "root", "handle", "1:", "htb", "default", "1",
               "r2q", "1000"))
    run(*enter("tc", "class", "add", "dev", device, "parent", "1:", "classid", "1:1", "htb", "rate",
               f"{rate_mbit}mbit", "burst", "15k", "cburst", "1600"))
    run(*enter("tc", "qdisc", "add", "dev", device, "parent", "1:1", "bfifo", "limit", "256k"))


@contextlib.contextmanager
def path():
    """Yields the far end of a path that carries UP_MBIT to that end and DOWN_MBIT from it."""
    with contextlib.closing(Inside()) as there:
        run("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", str(there.process.pid))
        for enter, address in ((lambda *words: list(words), HERE), (there.words, THERE)):
            run(*enter("ip", "link", "set", "eth0", "gso_max_size", "16384"))
            run(*enter("ip", "address", "add", f"{address}/24", "dev", "eth0"))
            run(*enter("ip", "link", "set", "eth0", "up"))
        shape(lambda *words: list(words), "eth0", UP_MBIT)
        shape(there.words, "eth0", DOWN_MBIT)
        try:
            yield there
        finally:
            run("ip", "link", "delete", "eth0")


@contextlib.contextmanager
def server(there, *options):
    """Yields `pacbench link serve` on the other end once it listens, and its first line."""
    process = subprocess.Popen(there.words(PROGRAMS / "pacbench", "link", "serve", *options),
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process, process.stdout.readline()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
        process.stdout.close()


def measure(*options):
    return subprocess.run([PROGRAMS / "pacbench", "link", "measure", THERE, *options], capture_output=True, text=True,
                          check=False)


def undisturbed_measurement():
    """The first of five measurements that has all of the path's rates and lost nothing, else the last one.

    A host that pauses a process slows a flow down and loses datagrams. Nothing makes a flow faster than its path.
    """
    for _ in range(5):
        done = measure("--format", "json")
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        found = json.loads(done.stdout)
        if found["loss"] == 0 and all(found[way]["rate_mbit"] > rate * (1 - WITHIN) for way, rate in WAYS):
            break
    return found


class Rates(unittest.TestCase):
    def assert_near(self, measured, expected, within=WITHIN):
        self.assertGreater(measured, expected * (1 - within))
        self.assertLess(measured, expected * (1 + within))

    def test_rates_are_those_of_the_links_each_way(self):
        meter = Meter(PROGRAMS)
        with path() as there, server(there) as (_, listening):
            self.assertIn("0.0.0.0 port 4501", listening)
            found = undisturbed_measurement()
            link, = found["links"]
            for way, rate_mbit in WAYS:
                self.assert_near(found[way]["rate_mbit"], rate_mbit)
                self.assert_near(found[way]["udp"]["rate_mbit"], rate_mbit / 2, 0.05)
                self.assert_near(link[f"{way}_mbit"], rate_mbit)
            self.assertEqual(found["mtu"], 1500)
            self.assertEqual(found["loss"], 0)
            # After each pause TCP opens its windows again, which leaves some of a paced flow's time unused.
            self.assertGreater(found["paced_share"], 0.97 if meter.taken_share() < 0.05 else 0.5)
            self.assertLess(found["ring_share"], 1.02)
            self.assertLess(found["seconds"], 20)
            self.assertEqual(found["stopped_early"], [])


class Limits(unittest.TestCase):
    def test_limits_hold_and_are_said(self):
        with path() as there, server(there) as _:
            found = json.loads(measure("--format", "json", "--max-mb", "10", "--seconds", "6").stdout)
            self.assertLessEqual(found["megabytes"], 10)
            self.assertLess(found["seconds"], 7)
            self.assertTrue(any("--max-mb" in each for each in found["stopped_early"]), found["stopped_early"])

    def test_the_server_refuses_what_is_beyond_its_limits_and_ends_at_ctrl_c(self):
        with path() as there, server(there, "--most-mb", "5", "--bind", THERE, "--port", "4600") as (process, said):
            self.assertIn(f"{THERE} port 4600", said)
            refused = measure("--port", "4600")
            self.assertEqual(refused.returncode, 1)
            self.assertIn("MB left of 5.0", refused.stderr)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=5), 130)

    def test_strangers_do_not_prolong_the_wait_for_a_client(self):
        run("ip", "link", "set", "lo", "up")
        request = {"version": 1, "traffic": "datagrams", "sender": "server", "seconds": 1,
                   "bytes": 1000, "rate_mbit": 1, "datagram_bytes": 100}
        with subprocess.Popen([PROGRAMS / "pacbench-probe", "answer", "--bind", HOST],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            with socket.create_connection((HOST, 4501)) as client, \
                    socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
                stranger.bind((STRANGER, 0))
                client.sendall(HELLO + json.dumps(request).encode() + b"\n")
                udp_port = json.loads(client.makefile().readline())["udp_port"]
                start = time.monotonic()
                ended = []
                while not ended and time.monotonic() - start < 10:
                    stranger.sendto(b"!", (HOST, udp_port))
                    ended, _, _ = select.select([client], [], [], 1)
                self.assertLess(time.monotonic() - start, 6)
            message = json.loads(process.stdout.readline())["message"]
            self.assertEqual(message, "no datagram came from the client within 3 s; firewalls must let UDP through")
            process.stdin.close()

    def test_without_a_server_it_says_what_must_run_where(self):
        with path():
            found = measure()
            self.assertEqual(found.returncode, 1)
            self.assertIn("`pacbench link serve --port 4501` must run there", found.stderr)


if __name__ == "__main__":
    enter_own_network()
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
