"""`pacbench compare`: its exit codes, where it writes, and what it says of bad input.

command_test.py PACBENCH EXAMPLE    EXAMPLE writes the results folders of a side
"""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACBENCH, EXAMPLE = (Path(each).resolve() for each in sys.argv[1:3])


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.base = self.side("base", "same", first=0)

    def side(self, name, edit, runs=10, first=3):
        subprocess.run([EXAMPLE, self.folder / name, edit, str(runs), str(first)], check=True)
        return self.folder / name

    def compare(self, new, *arguments, code):
        """The standard output and the standard error."""
        done = subprocess.run([PACBENCH, "compare", self.base, new, *arguments],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def test_ends_with_0_where_nothing_changed(self):
        printed, _ = self.compare(self.side("new", "same"), code=0)
        self.assertIn("no regression: 0 broken checks; times: 0 regressed", printed)

    def test_ends_with_1_for_a_slower_encode(self):
        printed, _ = self.compare(self.side("slower", "slower-encode"), code=1)
        self.assertIn("times: 1 regressed", printed)

    def test_ends_with_3_for_too_few_runs_and_says_how_many(self):
        self.base = self.side("few", "same", runs=1)
        printed, _ = self.compare(self.side("new", "same", runs=1), code=3)
        self.assertIn("at least 7 values on each side", printed)

    def test_ends_with_4_for_another_machine_and_for_another_scenario(self):
        printed, _ = self.compare(self.side("kernel", "other-kernel"), code=4)
        self.assertIn("found Linux 6.8, expected Linux 6.1", printed)
        _, said = self.compare(self.side("scenario", "other-scenario"), code=4)
        self.assertIn("/methods/ternary/clip", said)

    def test_ends_with_2_for_what_is_no_run_and_names_it(self):
        new = self.side("new", "same", runs=1)
        run = new / "run00"
        cases = {
            "partial": lambda: (run / "result.json").unlink(),
            "empty": lambda: shutil.rmtree(run) or run.mkdir(),
            "missing": lambda: shutil.rmtree(new),
        }
        for name, spoil in cases.items():
            spoil()
            with self.subTest(name):
                _, said = self.compare(run, code=2)
                self.assertIn(str(run), said)

    def test_writes_the_comparison_to_a_file(self):
        file = self.folder / "compare.json"
        printed, _ = self.compare(self.side("new", "same"), "--format", "json", "-o", file, code=0)
        self.assertEqual(printed, "")
        self.assertEqual(json.loads(file.read_text())["outcome"], "no regression")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
