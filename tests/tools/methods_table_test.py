"""tools/methods-table shows every row of a published run with what its result says."""
import json
import tarfile

from scripts import ROOT, ScriptTest, main

RUN = ROOT / "results/published/methods"


class MethodsTable(ScriptTest):
    def test_has_a_line_for_each_method_of_the_run(self):
        lines = self.run_script("methods-table", RUN).stdout.splitlines()
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        with tarfile.open(f"{RUN}.tar.xz") as files:
            scenario = json.load(files.extractfile("manifest.json"))["scenario"]
        self.assertEqual([row[0].strip("`") for row in cells[2:]],
                         [entry["label"] for entry in scenario["methods"]])
        self.assertEqual({len(row) for row in cells}, {len(cells[0])})

    def test_gives_bytes_an_entry_of_the_gradient(self):
        lines = self.run_script("methods-table", RUN).stdout.splitlines()
        dense = next(line for line in lines if "`all-reduce" in line)
        declared = float(dense.split("|")[7])
        # In a ring of eight a rank sends 7/4 of the four bytes; frames of 1514 bytes carry 1448.
        self.assertAlmostEqual(declared, 7 * 1514 / 1448, delta=0.02)

    def test_says_of_a_method_around_others_what_holds_of_these(self):
        lines = self.run_script("methods-table", RUN).stdout.splitlines()
        around_topk = next(line for line in lines if "`mergecomp-topk" in line).split("|")
        lossless, feedback, state = (cell.strip() for cell in around_topk[4:7])
        self.assertEqual((lossless, feedback, state), ("no", "yes", "2"))


if __name__ == "__main__":
    main()
