"""tools/methods-table shows every row of a published run with what its result says."""
import json
import tarfile

from scripts import ROOT, ScriptTest

RUN = ROOT / "results/published/methods"


class MethodsTable(ScriptTest):
    def setUp(self):
        super().setUp()
        lines = self.run_script("methods-table", RUN).stdout.splitlines()
        self.cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]

    def row(self, label):
        return next(row for row in self.cells if f"`{label}" in row[0])

    def test_has_a_line_for_each_method_of_the_run(self):
        with tarfile.open(f"{RUN}.tar.xz") as files:
            scenario = json.load(files.extractfile("manifest.json"))["scenario"]
        labels = [entry["label"] for entry in scenario["methods"]]
        self.assertEqual([row[0].strip("`") for row in self.cells[2:]], labels)
        self.assertEqual({len(row) for row in self.cells}, {len(self.cells[0])})

    def test_gives_bytes_an_entry_of_the_gradient(self):
        # In a ring of eight a rank sends 7/4 of the four bytes; frames of 1514 bytes carry 1448.
        self.assertAlmostEqual(float(self.row("all-reduce")[6]), 7 * 1514 / 1448, delta=0.02)

    def test_says_of_a_method_around_others_what_holds_of_these(self):
        self.assertEqual(self.row("mergecomp-topk")[3:6], ["no", "yes", "2"], "lossless, with feedback, state")
