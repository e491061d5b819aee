"""pacbench reproduce over made-up runs: exit codes, what it says about runs that answer no claim,
and one whole document.

reproduce_test.py PACBENCH RUNS GOLDEN    RUNS writes the runs' folders
"""
import difflib
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACBENCH, RUNS, GOLDEN = (Path(each).resolve() for each in sys.argv[1:4])
ROOT = Path(__file__).resolve().parents[4]
FINE, INPUT, INCONCLUSIVE = 0, 2, 3
ALL = ("fig5", "steps-0.15", "steps-0.3", "steps-0.6", "steps-star", "other")


class Reproduce(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        subprocess.run([RUNS, self.folder], check=True)

    def call(self, *words, code=FINE):
        done = subprocess.run([PACBENCH, "reproduce", *words], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_the_document_is_the_one_that_was_agreed_on(self):
        found = self.call(*ALL).stdout
        difference = difflib.unified_diff(GOLDEN.read_text().splitlines(), found.splitlines(),
                                          str(GOLDEN), "found", lineterm="")
        self.assertEqual("\n".join(difference), "", "if it is meant, write what was found to the file")

    def test_a_file_holds_what_would_be_printed(self):
        self.call(*ALL, "-o", "REPRODUCTION.md")
        self.assertEqual((self.folder / "REPRODUCTION.md").read_text(), self.call(*ALL).stdout)

    def test_a_folder_is_the_same_with_a_slash_at_its_end(self):
        self.assertEqual(self.call(*(f"{each}/" for each in ALL)).stdout, self.call(*ALL).stdout)

    def test_json_has_the_same_verdicts(self):
        document = json.loads(self.call(*ALL, "--format", "json").stdout)
        self.assertEqual(document["format"], "pacbench.reproduction/2")
        text = self.call(*ALL).stdout
        for claim in document["claims"]:
            row = next(line for line in text.splitlines() if line.startswith((f"| **{claim['id']}**", f"- **{claim['id']}**")))
            self.assertIn(f"**{claim['finding']}**", row)
            if claim["here"]:
                self.assertIn(f"**{claim['here']['finding']}**", row)
            else:
                self.assertNotRegex(row, "holds here|fails here|inconclusive here")

    def test_all_evidence_is_written_and_linked(self):
        self.call(*ALL, "-o", "page.md", "--evidence", "all/evidence")
        self.assertIn("](all/evidence/evidence.html)", (self.folder / "page.md").read_text())
        document = json.loads((self.folder / "all/evidence/evidence.json").read_text())
        page = (self.folder / "all/evidence/evidence.html").read_text()
        for claim in document["claims"]:
            self.assertIn(f'<h3 id="{claim["id"]}">', page)
        self.assertIn("<svg", (self.folder / "all/evidence/claims.svg").read_text())

    def test_other_claims_are_judged_by_the_same_rules(self):
        claims = json.loads((ROOT / "claims/pactrain.json").read_text())
        claims["claims"] = [dict(claims["claims"][0], id="mine", value=2.0)]
        (self.folder / "mine.json").write_text(json.dumps(claims))
        self.assertIn("| **mine**", self.call(*ALL, "--claims", "mine.json").stdout)
        (self.folder / "wrong.json").write_text("{}")
        self.assertIn("/claims", self.call(*ALL, "--claims", "wrong.json", code=INPUT).stderr)

    def test_runs_that_answer_nothing_say_of_each_claim_why(self):
        done = self.call("other", code=INCONCLUSIVE)
        self.assertIn("no claim of the paper could be judged", done.stderr)
        self.assertIn("best-tta: no run that measures this has masking with float32 values or masking with ternary bytes beside float32 all-reduce", done.stderr)
        self.assertIn("fp16-all-reduce: no measurement counts (nearest: network mlp; data set digits)", done.stderr)
        self.assertIn("reproduce 0, exceed 0 and contradict 0", done.stdout)

    def test_a_folder_that_is_no_run(self):
        self.assertIn("nothing is there", self.call("none", code=INPUT).stderr)
        (self.folder / "empty").mkdir()
        self.assertIn("the folder is empty", self.call("fig5", "empty", code=INPUT).stderr)

    def test_the_same_run_twice(self):
        self.assertIn("leave out one of the two runs", self.call("fig5", "fig5", code=INPUT).stderr)

    def test_a_part_of_a_run_is_used_and_says_what_is_missing(self):
        path = self.folder / "fig5" / "result.json"
        document = json.loads(path.read_text())
        document["cells"] = [cell for cell in document["cells"] if cell["label"] != "topk-0.01"]
        path.write_text(json.dumps(document))
        self.assertIn("has 15 of the 18 cells", self.call("fig5").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
