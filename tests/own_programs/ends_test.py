"""However a program ends, its cell says why, the other cells run, and nothing is left."""

import signal
import subprocess
import sys
import time

from program_run import ProgramTest, processes_in
from scripts import PACBENCH, needs_links

# Each end of a program: the words that its cell's reason must have (none: the cell is done), and a program that ends so.
ENDS = {
    "the exit code and the last words": (("rank 1", "exit code 3", "no such model"), """
        if rank == 1:
            print("no such model", file=sys.stderr)
            sys.exit(3)
        time.sleep(60)
        """),
    "of several ranks that failed, the first": (("rank 1 ended with exit code 1: no such model",), """
        link = connect("10.77")
        if rank == 1:
            sys.exit("no such model")
        link.recv(1)
        time.sleep(0.2)
        sys.exit("the connection broke")
        """),
    "a signal": (("signal 11",), "os.kill(os.getpid(), signal.SIGSEGV)"),
    "half a line that is no event": (("PACBENCH_EVENTS", '{"event": "st'), """
        from pacbench import events
        os.write(events._rank.fd, b'{"event": "st')
        """),
    "a line that is no event, while the program hangs": (("PACBENCH_EVENTS", "hello"), """
        from pacbench import events
        os.write(events._rank.fd, b"hello\\n")
        time.sleep(100)
        """),
    "descriptors that the program closes end nothing": ((), "os.closerange(0, 5)\ntime.sleep(0.5)"),
    "a child left behind holds up nothing": ((), """
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], close_fds=False)
        """),
    "after all of these, a program runs": ((), """
        pacbench.begin()
        pacbench.step()
        """),
}


@needs_links
class Ends(ProgramTest):
    def test_its_cell_says_why_and_the_others_go_on(self):
        cells = self.cells(*(program for _, program in ENDS.values()), code=1, timeout_s=30)
        for cell, (end, (facts, _)) in zip(cells, ENDS.items(), strict=True):
            with self.subTest(end):
                self.assertEqual(cell["status"], "failed" if facts else "done", cell["reason"])
                for fact in facts:
                    self.assertIn(fact, cell["reason"])
        self.assertEqual(processes_in(self.folder), [])

    def test_a_missing_program_is_named_before_the_first_cell(self):
        done = self.pacbench("run", self.write("", workload={"command": ["no-such-program"]}), "--out", self.run_folder,
                             code=2)
        self.assertIn("no-such-program", done.stderr)
        self.assertFalse(self.run_folder.exists())

    def test_ranks_that_hang_show_where_they_stand(self):
        hang, early = self.cells(
            """
            def waits_for_the_others():
                while True:
                    time.sleep(100)
            pacbench.begin()
            if rank == 0:
                pacbench.step()
            waits_for_the_others()
            """,
            "if rank == 0:\n    time.sleep(100)", code=1, timeout_s=6)
        for fact in ("6 s", "rank 0: step 1", "rank 1: began", "waits_for_the_others"):
            self.assertIn(fact, hang["reason"])
        self.assertIn("rank 1: no event, ended with exit code 0", early["reason"])

    def test_own_bytes_are_a_sign_of_life_and_those_of_a_load_are_not(self):
        load = {"from": 0, "to": 1, "start_s": 0, "end_s": 100, "rate_mbit": 20}
        hangs, sends = self.cells(
            "time.sleep(100)",
            """
            connection = connect("10.77")
            for _ in range(8):
                (send if rank == 0 else receive)(connection, 5_000_000)
                time.sleep(0.6)
            """,
            network={"links": [{"name": "100Mbps", "rate_mbit": 100, "load": [load]}]}, code=1, timeout_s=5)
        self.assertIn("5 s (timeout_s)", hangs["reason"])
        self.assertEqual(sends["status"], "done", sends["reason"])

    def test_a_program_that_prints_without_end_ends_at_its_limit_and_fills_no_disk(self):
        (cell,) = self.cells("while True:\n    print('x' * 10_000)", code=1,
                             workload={"command": [sys.executable], "time_limit_s": 4})
        self.assertEqual(cell["status"], "failed", cell)
        self.assertIn("4 s", cell["reason"])
        self.assertLess(len(self.printed()), 12_000_000)

    def test_a_progress_bar_is_a_sign_of_life(self):
        (cell,) = self.cells(
            """
            for _ in range(12):
                print("\\r.", end="", flush=True)
                time.sleep(0.5)
            """,
            timeout_s=3)
        self.assertEqual(cell["status"], "done", cell["reason"])

    def test_a_program_that_ignores_signals_ends_with_pacbench(self):
        scenario = self.write(
            """
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            pacbench.begin()
            time.sleep(3600)
            """
        )
        with subprocess.Popen([PACBENCH, "run", scenario, "--out", self.run_folder], stderr=subprocess.DEVNULL) as run:
            events = self.run_folder / "cells/p0-100Mbps-7/events.jsonl"
            limit = time.monotonic() + 60
            while not (events.exists() and "began" in events.read_text()) and time.monotonic() < limit:
                time.sleep(0.1)
            self.assertEqual(len(processes_in(self.folder)), 2)
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(timeout=30), 130)
        self.assertEqual(processes_in(self.folder), [])
