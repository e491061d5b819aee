"""tools/experiments/compare-ddp speaks to the daemon: its links, without torch. tools/bench trains over them (bench_test.py)."""
import argparse
import os
import runpy
import sys
import tempfile
import unittest

from scripts import ROOT, main, needs_links

sys.path.insert(0, str(ROOT / "tools/experiments"))
TOOL = runpy.run_path(str(ROOT / "tools/experiments/compare-ddp"))


@needs_links
class CompareDdp(unittest.TestCase):
    def test_makes_the_links_that_pacbench_would_ask_for_and_runs_programs_in_them(self):
        arguments = argparse.Namespace(programs=ROOT / "build/bin", workers=2, rate_mbit=50.0)
        request = TOOL["links_request"](arguments)
        self.assertEqual([link["up"]["rate_mbit"] for link in request["workers"]], [50, 50])
        with TOOL["Daemon"](arguments.programs / "pacbench-netd", request) as daemon, \
             open(os.devnull, "rb") as null, tempfile.TemporaryFile() as output:
            daemon.ask({"type": "spawn", "slot": 1, "environment": [],
                        "argv": ["/sbin/ip", "-brief", "address", "show", "dev", "eth0"]},
                       [null.fileno(), output.fileno(), 2])
            ended = daemon.receive()
            self.assertEqual((ended["slot"], ended["code"], ended["signal"]), (1, 0, 0))
            self.assertGreaterEqual(daemon.sent_bytes(), 0)
            output.seek(0)
            self.assertIn(b"10.77.0.2/16", output.read())


if __name__ == "__main__":
    main()
