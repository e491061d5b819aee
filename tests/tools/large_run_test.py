"""tools/experiments/large-run enlarges a recorded run to any size, and pacbench can read it."""
import json

from scripts import ROOT, ScriptTest


class LargeRun(ScriptTest):
    def test_pacbench_reports_all_cells_of_the_run_that_it_makes(self):
        recorded, large = self.folder / "recorded", self.folder / "large"
        self.pacbench("run", ROOT / "scenarios/smoke.json", "--set", '/mode="learn"', "--only", "method=all-reduce",
                      "--no-progress", "--out", recorded)
        self.run_script("experiments/large-run", recorded, large, "--cells", "5", "--iterations", "200",
                        "--evaluate-every", "20", "--raw-cells", "1")
        self.assertIn('"all-reduce"', self.pacbench("report", large, "--format", "json"))
        self.assertEqual(len(json.loads((large / "result.json").read_text())["cells"]), 5)
        curves = list(large.glob("cells/*/curve.jsonl"))
        self.assertEqual([len(curve.read_text().splitlines()) for curve in curves], 5 * [11])
        raw = list(large.glob("cells/*/iterations.jsonl"))
        self.assertEqual([len(lines.read_text().splitlines()) for lines in raw], [200 * 4])
