"""report, plot and export on folders without a readable run. They set the exit code, and print what
was found, what was expected and where, and never a traceback.

bad_input_test.py PACBENCH EXAMPLE    EXAMPLE writes a run's folder and a catalogue
"""
import hashlib
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

    def test_an_empty_folder(self):
        (self.folder / "empty").mkdir()
        self.refused(self.folder / "empty", says=["the folder is empty", "pacbench run --out"])

    def test_a_folder_of_something_else(self):
        (self.folder / "other").mkdir()
        (self.folder / "other" / "notes.txt").write_text("hello")
        self.refused(self.folder / "other", says=["holds no result.json", "pacbench run --out"])

    def test_a_file_that_is_no_result(self):
        (self.folder / "notes.txt").write_text("hello")
        self.refused(self.folder / "notes.txt", says=["notes.txt"])

    def test_a_run_that_was_killed_before_its_first_cell_ended(self):
        self.result.unlink()
        self.refused(says=["holds a manifest.json but no result.json", "--resume"])

    def test_half_a_result(self):
        text = self.result.read_text()
        self.result.write_text(text[: len(text) // 2])
        self.refused(says=["result.json", "line"])

    def test_a_result_without_a_byte(self):
        self.result.write_text("")
        self.refused(says=["result.json"])

    def test_a_result_that_is_a_list(self):
        self.result.write_text("[1, 2]")
        self.refused(says=["result.json", "found"])

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

    def test_methods_edited_by_hand(self):
        self.edit(lambda document: document["scenario"].update(methods=["fp16"]))
        self.refused(says=["/scenario/methods/0/label: found nothing, expected a string"])

    def test_cells_that_the_scenario_has_not(self):
        self.edit(lambda document: document["cells"][0].update(seed=77))
        self.refused(says=["/cells/0", "no cell of the scenario in this file"])

    def test_a_run_of_another_scenario(self):
        other = self.example("other")
        self.edit(lambda document: document["scenario"]["network"].update(mtu=9000), other / "result.json")
        self.edit(lambda document: document["scenario"].update(name="other"), other / "result.json")
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
                     says=["/cells", "leave out one of the two runs"])

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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
