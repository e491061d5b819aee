"""report, plot and export on folders without a readable run. They set the exit code, and print what
was found, what was expected and where, and never a traceback.

bad_input_test.py PACBENCH EXAMPLE    EXAMPLE writes a run's folder and a catalogue
"""
import csv
import hashlib
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACBENCH, EXAMPLE = (Path(each).resolve() for each in sys.argv[1:3])
INPUT, INCOMPARABLE = 2, 4


class BadInput(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.run_folder = self.example("run")
        self.result = self.run_folder / "result.json"

    def example(self, name):
        subprocess.run([EXAMPLE, self.folder / name, self.folder], check=True)
        return self.folder / name

    def edit(self, change, file=None):
        file = file or self.result
        document = json.loads(file.read_text())
        change(document)
        file.write_text(json.dumps(document))

    def refused(self, *runs, code=INPUT, says=(), commands=("report", "html", "plot", "export")):
        runs = runs or (self.run_folder,)
        for command in commands:
            words = {"report": ["report"], "html": ["report", "--format", "html"],
                     "plot": ["plot", "-o", self.folder / "figures"],
                     "export": ["export", "--to", "bmf"]}[command]
            done = subprocess.run([PACBENCH, *words, *runs], capture_output=True, text=True, check=False)
            with self.subTest(command=command):
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                self.assertEqual(done.stdout, "")
                for text in says:
                    self.assertIn(text, done.stderr)
                for text in ("Traceback", "json.exception", "terminate"):
                    self.assertNotIn(text, done.stderr)

    def test_nothing_is_there(self):
        self.refused(self.folder / "none", says=[str(self.folder / "none"), "expected the results folder"])

    def test_a_folder_or_a_file_of_something_else(self):
        other = self.folder / "other"
        other.mkdir()
        self.refused(other, says=["the folder is empty", "pacbench run --out"])
        (other / "notes.txt").write_text("hello")
        self.refused(other, says=["holds no result.json", "pacbench run --out"])
        self.refused(other / "notes.txt", says=["notes.txt"])

    def test_a_run_that_was_killed_before_its_first_cell_ended(self):
        self.result.unlink()
        self.refused(says=["holds a manifest.json but no result.json", "--resume"])

    def test_half_a_result_none_of_it_and_a_list(self):
        text = self.result.read_text()
        for broken, word in ((text[: len(text) // 2], "line"), ("", "result"), ("[1, 2]", "found")):
            self.result.write_text(broken)
            self.refused(says=["result.json", word])

    def test_a_newer_format(self):
        self.edit(lambda document: document.update(format="pacbench.result/9", more={}))
        self.refused(says=['found "pacbench.result/9", expected "pacbench.result/1"',
                           "the pacbench that wrote it"])

    def test_keys_that_are_missing_are_counted_and_not_all_printed(self):
        def without_times(document):
            for cell in document["cells"]:
                for key in ("training_s", "samples_per_s", "wire_s"):
                    del cell[key]
        self.edit(without_times)
        self.refused(says=["/cells/0/training_s", "and 34 more"])

    def test_a_scenario_edited_by_hand(self):
        self.edit(lambda document: document["scenario"].update(workers=4))
        self.refused(says=["/comparison_hash: found", "the file was edited; use the file that the run wrote"])

    def test_a_run_of_another_scenario(self):
        other = self.example("other")
        self.edit(lambda document: document["scenario"]["network"].update(mtu=9000), other / "result.json")
        self.rehash(other / "result.json")
        self.refused(self.run_folder, other, code=INCOMPARABLE, commands=("report", "html", "plot"),
                     says=["/network/mtu: found 9000", "but 1500", "report them separately"])

    def rehash(self, file):
        """Gives the file the comparison hash that a run over its scenario would have written."""
        canonical = json.loads(file.read_text())["scenario"]
        for key in ("name", "seeds", "methods", "targets", "timeout_s", "quality_every", "checkpoint_every"):
            canonical.pop(key, None)
        text = json.dumps(canonical, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        self.edit(lambda document: document.update(
            comparison_hash=hashlib.sha256(text.encode()).hexdigest()), file)

    def test_the_same_run_twice(self):
        self.refused(self.run_folder, self.example("copy"), commands=("report", "html", "plot"),
                     says=["/cells: all-reduce on 100Mbps with seed 1 is also in", "leave out one"])

    def test_modes_are_kept_apart_and_labelled(self):
        learn = self.example("learn") / "result.json"
        def without_network(document):
            document["mode"] = document["scenario"]["mode"] = "learn"
            del document["scenario"]["network"]
            for cell in document["cells"]:
                cell["link"] = "none"
        self.edit(without_network, learn)
        self.rehash(learn)
        done = subprocess.run([PACBENCH, "report", self.run_folder, learn], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("mode emulate: real training processes", done.stdout)
        self.assertIn("mode learn: learning curves only", done.stdout)

    def test_a_curve_that_was_cut_off_under_a_done_cell(self):
        curve = self.run_folder / "cells" / "fp16-100Mbps-1" / "curve.jsonl"
        curve.write_text(curve.read_text()[:-9])
        self.refused(commands=("html", "plot"), says=["curve.jsonl:", "the last line has no newline"])

    def test_a_manifest_of_a_newer_format(self):
        self.edit(lambda document: document.update(format="pacbench.manifest/9"),
                  self.run_folder / "manifest.json")
        self.refused(commands=("html", "plot", "export"),
                     says=['"pacbench.manifest/9"', 'expected "pacbench.manifest/1"'])

    def test_names_that_would_break_a_line_stay_fields_of_the_csv(self):
        name = 'a "b", c\nd'
        self.edit(lambda document: document["scenario"].update(name=name))
        done = subprocess.run([PACBENCH, "report", self.run_folder, "--format", "csv"],
                              capture_output=True, check=True)
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))
        self.assertEqual(len(rows), 6 * 3)
        for row in rows:
            self.assertEqual(row["name"], name)
            self.assertNotIn(None, [*row, *row.values()])
        dense, dnf = rows[0], rows[11]
        self.assertEqual([dense["label"], dense["section"]], ["all-reduce", "mlp hidden [512,512] on digits"])
        for part, step_s in (("median", 0.2205), ("minimum", 0.2100), ("maximum", 0.2310)):
            self.assertAlmostEqual(float(dense[f"tta_s_{part}"]), 24 * step_s)
        self.assertEqual(dense["tta_s_low"], "", "three seeds have no interval")
        self.assertEqual([dnf[key] for key in ("label", "tta_s_median", "reached", "total")],
                         ["topk-0.01", "", "0", "3"])
        self.assertIn("DNF at 97 %", dnf["diagnosis"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
