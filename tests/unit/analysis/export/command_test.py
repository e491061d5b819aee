"""`pacbench export`: where it writes, what it says, and its exit codes.

command_test.py PACBENCH EXAMPLE    EXAMPLE writes a run's folder and a catalogue
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACBENCH, EXAMPLE = (Path(each).resolve() for each in sys.argv[1:3])


class Export(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        subprocess.run([EXAMPLE, self.folder / "run", self.folder], check=True)

    def export(self, *arguments, code=0):
        """The standard output and the standard error."""
        environment = {**os.environ, "PACBENCH_PROGRAMS": str(self.folder)}
        done = subprocess.run([PACBENCH, "export", self.folder / "run", *arguments],
                              capture_output=True, text=True, check=False, env=environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def test_writes_json_to_standard_output_or_to_a_file(self):
        for form in ("gbench", "bmf", "github-action", "perfetto"):
            file = self.folder / form
            printed, _ = self.export("--to", form)
            self.export("--to", form, "-o", file)
            self.assertEqual(printed, file.read_text())
            self.assertTrue(json.loads(printed))

    def test_says_what_is_left_out_beside_the_file(self):
        printed, said = self.export("--to", "bmf")
        json.loads(printed)
        self.assertIn("left out: wan100/topk-0.01/100Mbps: tta-0.97", said)

    def test_refuses_an_unknown_cell_and_lists_those_that_there_are(self):
        _, said = self.export("--to", "bmf", "--cell", "fp32-100Mbps-1", code=2)
        self.assertIn("there is: all-reduce-100Mbps-1", said)

    def test_refuses_a_folder_without_a_manifest(self):
        (self.folder / "run" / "manifest.json").unlink()
        _, said = self.export("--to", "bmf", code=2)
        self.assertIn("no manifest.json", said)

    def test_leaves_no_file_behind_when_it_fails(self):
        lines = self.folder / "run" / "cells" / "topk-0.01-100Mbps-3" / "iterations.jsonl"
        lines.write_text(lines.read_text() + "no event\n")
        before = sorted(self.folder.iterdir())
        _, said = self.export("--to", "perfetto", "-o", self.folder / "trace.json", code=2)
        self.assertIn(f"{lines}:7: found", said)
        self.assertEqual(sorted(self.folder.iterdir()), before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
