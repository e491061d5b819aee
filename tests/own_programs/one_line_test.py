"""`pacbench exec` runs a program over links without a scenario; `pacbench shell` opens a shell behind one."""

import json
import os
import pty

from program_run import PROLOGUE, ProgramTest
from scripts import PACBENCH, needs_links

SENDS = """
link = connect("10.77")
(send if rank == 0 else receive)(link, int(sys.argv[1]))
"""


@needs_links
class Exec(ProgramTest):
    def test_a_line_stands_for_a_scenario_that_is_written_beside_the_run(self):
        (self.folder / "train.py").write_text(PROLOGUE + SENDS)
        done = self.pacbench("exec", "-n", 2, "--rate", "100mbit", "--vary", "1000000", "--vary", "3000000", "--out", "r/a",
                             "--", "python3", "train.py")
        self.assertIn("2 workers, 100 Mbit/s each way", done.stderr)
        cells = json.loads((self.folder / "r/a/result.json").read_text())["cells"]
        self.assertEqual([cell["label"] for cell in cells], ["1000000", "3000000"])
        for cell, sent in zip(cells, (0.5e6, 1.5e6), strict=True):  # a mean of both ranks, acknowledgements included
            self.assertAlmostEqual(cell["measured_bytes_per_iteration"] / (1.09 * sent), 1, delta=0.05)
        self.pacbench("run", "r/a.json", "--dry-run")
        from_input = self.pacbench("run", "-", "--dry-run", stdin=(self.folder / "r/a.json").read_text())
        self.assertIn("train: 2 cells, 2 workers", from_input.stdout)


class Refused(ProgramTest):
    def test_what_cannot_be_read_is_said_before_anything_is_written(self):
        (self.folder / "none.json").write_text("{}")
        for words, fact in (
            (["--rate", "100"], "expected a rate with its unit"),
            (["--rate", "1mbit", "--rtt", "20"], "expected a time with its unit"),
            (["--rtt", "20ms"], "--rate"),
            (["--link", "none.json"], "found no links"),
            (["--link", "none.json", "--rate", "1mbit"], "--link"),
            (["--rate", "1mbit", "--epochs", "3"], '"--epochs"'),
        ):
            done = self.pacbench("exec", *words, "--", "python3", "train.py", code=2)
            self.assertEqual(done.stdout, "")
            self.assertIn(fact, done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [self.folder / "none.json"])

    def test_what_run_does_not_take_is_answered_with_exec(self):
        for words in (["train.py"], ["-n", "4", "--", "python3", "train.py"]):
            self.assertIn("pacbench exec", self.pacbench("run", *words, code=2).stderr)


@needs_links
class Shell(ProgramTest):
    def test_a_shell_is_rank_0_and_finds_the_others(self):
        words = "hostname; echo $RANK1 $WORLD_SIZE; getent hosts rank1 | tr -s ' '; exit 3"
        done = self.pacbench("shell", "-n", 2, "--rate", "100mbit", "--others", "sleep 60", stdin=words, code=3)
        self.assertEqual(done.stdout, "rank0\n10.77.0.2 2\n10.77.0.2 rank1\n", done.stderr)

    def test_on_a_terminal_it_controls_its_jobs(self):
        process, terminal = pty.fork()
        if process == 0:
            os.environ["SHELL"] = "/bin/bash"
            os.execv(PACBENCH, ["pacbench", "shell", "-n", "2", "--rate", "100mbit"])
        os.write(terminal, b"set -m; sleep 60 & kill %1; wait; stty size; exit 4\n")
        shown = b""
        while True:
            try:
                shown += os.read(terminal, 4096)
            except OSError:
                break
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 4, shown)
        self.assertNotIn(b"no job control", shown)
        self.assertIn(b"Terminated", shown)
