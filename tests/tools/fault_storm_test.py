"""tools/fault-storm finds each breach of its invariants that is planted here, and none in a run."""
import gzip
import json
import shutil
import sys

from scripts import ROOT, ScriptTest

sys.path.insert(0, str(ROOT / "tools"))
from storm.invariants import Undisturbed, curve_of, wrong_lines


class Invariants(ScriptTest):
    """Each test breaks one cell of a run in one way."""

    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "run"
        changes = ["/mode=\"learn\"", "/workers=2", "/workload/max_iterations=6", '/methods=[{"name": "all-reduce"}]']
        self.pacbench("run", ROOT / "scenarios/smoke.json", "--out", self.run_folder, "--no-progress",
                      *(word for change in changes for word in ("--set", change)))
        self.cell = sorted((self.run_folder / "cells").iterdir())[0]
        self.expected = Undisturbed({cell.name: curve_of(cell) for cell in self.cell.parent.iterdir()})
        self.before = self.expected.done_cells(self.run_folder)

    def breaches(self) -> str:
        return "\n".join(self.expected.differences(self.run_folder, self.before))

    def rewrite(self, name: str, change):
        file = self.cell / f"{name}.gz"
        lines = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
        file.write_bytes(gzip.compress(b"".join(change(lines))))

    def test_what_was_recorded_holds(self):
        self.assertTrue(self.before)
        self.assertEqual(self.breaches(), "")

    def test_a_lost_line_is_found(self):
        self.rewrite("iterations.jsonl", lambda lines: lines[1:])
        self.assertIn("iterations.jsonl does not match its checksum", self.breaches())
        self.assertTrue(wrong_lines(self.cell, self.before[self.cell.name]))

    def test_a_line_told_twice_is_found(self):
        self.rewrite("iterations.jsonl", lambda lines: [*lines[:-1], lines[0]])
        self.assertTrue(wrong_lines(self.cell, self.before[self.cell.name]))

    def test_a_cell_that_is_no_more_is_found(self):
        shutil.rmtree(self.cell)
        self.assertIn(f"cell {self.cell.name} was done before, and is not done any more", self.breaches())
        self.assertIn("is not done after the last run", "\n".join(self.expected.missing(self.run_folder)))

    def test_numbers_that_changed_are_found(self):
        file = self.cell / "cell.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"training_s": 0}))
        self.assertIn("have changed after it was done", self.breaches())

    def test_another_curve_is_found(self):
        self.expected.curves[self.cell.name][-1][1] += 1e-12
        self.assertIn("differs from that of a run without faults", self.breaches())
