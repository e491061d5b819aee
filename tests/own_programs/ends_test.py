"""However a program ends, its cell says why, the other cells run, and nothing is left."""

import signal
import subprocess
import sys
import time
import unittest

from program_run import PACBENCH, ProgramTest, processes_in
from scripts import main, needs_links

GOOD = """
pacbench.begin()
pacbench.step()
"""


@needs_links
class Ends(ProgramTest):
    def test_the_exit_code_and_the_last_words_are_the_reason_and_the_others_go_on(self):
        failed, done = self.cells(
            """
            if rank == 1:
                print("no such model", file=sys.stderr)
                sys.exit(3)
            time.sleep(60)
            """,
            GOOD,
            codes=(1,),
        )
        self.assertEqual((failed["status"], done["status"]), ("failed", "done"))
        for fact in ("rank 1", "exit code 3", "no such model"):
            self.assertIn(fact, failed["reason"])

    def test_of_several_ranks_that_failed_the_first_is_named(self):
        reason = self.reason(
            """
            link = connect("10.77")
            if rank == 1:
                sys.exit("no such model")
            link.recv(1)
            time.sleep(0.2)
            sys.exit("the connection broke")
            """
        )
        self.assertIn("rank 1 ended with exit code 1: no such model", reason)

    def test_a_signal_that_ended_a_rank_is_named(self):
        reason = self.reason("os.kill(os.getpid(), signal.SIGSEGV)")
        self.assertIn("signal 11", reason)

    def test_a_missing_program_is_named(self):
        reason = self.reason("", workload={"command": ["no-such-program"]})
        self.assertIn("no-such-program", reason)

    def test_ranks_that_hang_show_where_they_stand(self):
        reason = self.reason(
            """
            def waits_for_the_others():
                while True:
                    time.sleep(100)
            pacbench.begin()
            if rank == 0:
                pacbench.step()
            waits_for_the_others()
            """,
            timeout_s=6,
        )
        for fact in ("6 s", "rank 0: step 1", "rank 1: began", "waits_for_the_others"):
            self.assertIn(fact, reason)

    def test_a_load_is_no_sign_of_life_of_a_program_that_hangs(self):
        load = {"from": 0, "to": 1, "start_s": 0, "end_s": 100}
        reason = self.reason(
            "time.sleep(100)",
            network={"links": [{"name": "100Mbps", "rate_mbit": 100, "load": [load]}]},
            timeout_s=5,
        )
        self.assertIn("5 s (timeout_s)", reason)

    def test_bytes_beside_a_load_are_a_sign_of_life(self):
        load = {"from": 0, "to": 1, "start_s": 0, "end_s": 100, "rate_mbit": 20}
        (cell,) = self.cells(
            """
            connection = connect("10.77")
            for _ in range(8):
                (send if rank == 0 else receive)(connection, 5_000_000)
                time.sleep(0.6)
            """,
            network={"links": [{"name": "100Mbps", "rate_mbit": 100, "load": [load]}]},
            timeout_s=5,
        )
        self.assertEqual(cell["status"], "done", cell["reason"])

    def test_one_rank_that_ends_early_is_named_when_the_others_wait_for_it(self):
        reason = self.reason("if rank == 0:\n    time.sleep(100)", timeout_s=6)
        self.assertIn("rank 1: no event, ended with exit code 0", reason)

    def test_a_program_that_prints_without_end_ends_at_its_limit_and_fills_no_disk(self):
        reason = self.reason(
            "while True:\n    print('x' * 10_000)",
            workload={"command": [sys.executable], "time_limit_s": 4},
        )
        self.assertIn("4 s", reason)
        self.assertLess(len(self.printed()), 12_000_000)

    def test_descriptors_that_the_program_closes_end_nothing(self):
        (cell,) = self.cells("os.closerange(0, 5)\ntime.sleep(0.5)")
        self.assertEqual(cell["status"], "done")

    def test_half_a_line_is_no_event(self):
        reason = self.reason(
            """
            from pacbench import events
            os.write(events._rank.fd, b'{"event": "st')
            """
        )
        for fact in ("PACBENCH_EVENTS_FD", '{"event": "st'):
            self.assertIn(fact, reason)

    def test_a_line_that_is_no_event_fails_the_cell_while_the_program_hangs(self):
        reason = self.reason(
            """
            from pacbench import events
            os.write(events._rank.fd, b"hello\\n")
            time.sleep(100)
            """,
            timeout_s=30,
        )
        for fact in ("PACBENCH_EVENTS_FD", "hello"):
            self.assertIn(fact, reason)

    def test_a_progress_bar_is_a_sign_of_life(self):
        (cell,) = self.cells(
            """
            for _ in range(12):
                print("\\r.", end="", flush=True)
                time.sleep(0.5)
            """,
            timeout_s=3,
        )
        self.assertEqual(cell["status"], "done", cell["reason"])

    def test_a_child_left_behind_holds_up_nothing_and_is_gone_afterwards(self):
        (cell,) = self.cells(
            """
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"],
                             close_fds=False)
            """
        )
        self.assertEqual(cell["status"], "done")
        self.assertEqual(processes_in(self.folder), [])

    def test_a_program_that_ignores_signals_ends_with_pacbench(self):
        scenario = self.write(
            """
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            pacbench.begin()
            time.sleep(3600)
            """
        )
        with subprocess.Popen(
            [PACBENCH, "run", scenario, "--out", self.run_folder], stderr=subprocess.DEVNULL
        ) as run:
            events = self.run_folder / "cells/p0-100Mbps-7/events.jsonl"
            limit = time.monotonic() + 60
            while time.monotonic() < limit:
                if events.exists() and "began" in events.read_text():
                    break
                time.sleep(0.1)
            self.assertEqual(len(processes_in(self.folder)), 2)
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(timeout=30), 130)
        self.assertEqual(processes_in(self.folder), [])


if __name__ == "__main__":
    main()
