"""tools/experiments/disturbed-runs holds runs on a disturbed machine against a quiet one."""
import json

from scripts import ROOT, ScriptTest, needs_links


@needs_links
class DisturbedRuns(ScriptTest):
    def test_a_disturbed_run_gives_an_answer(self):
        out = self.folder / "runs"
        # One run each decides nothing of the whole, so the exit code may be 1.
        self.run_script("experiments/disturbed-runs", "--out", out, "--quiet", "1", "--each", "1",
                        "--scenario", ROOT / "scenarios/smoke.json", "--set", "/seeds=[1, 2, 3]",
                        "--set", "/workload/max_iterations=60", codes=(0, 1))
        answers = [json.loads((out / name / "answer.json").read_text()) for name in ("together-1", "apart-1")]
        for answer in answers:
            self.assertEqual(answer["exit"], 0, answer["headline"])
            self.assertTrue(answer["group"], answer["headline"])
            self.assertEqual({row["machine"] for row in answer["rows"].values()}, {"disturbed"})
