"""tools/experiments/large-run enlarges a recorded run to any size, and pacbench can read it."""
import json
import subprocess

from scripts import PACBENCH, ROOT, ScriptTest, main


class LargeRun(ScriptTest):
    def test_pacbench_reports_all_cells_of_the_run_that_it_makes(self):
        recorded, large = self.folder / "recorded", self.folder / "large"
        subprocess.run([PACBENCH, "run", ROOT / "scenarios/smoke.json", "--set", '/mode="learn"', "--only",
                        "method=all-reduce", "--no-progress", "--out", recorded],
                       check=True, capture_output=True)
        self.run_script("experiments/large-run", recorded, large, "--cells", "5", "--iterations", "200",
                        "--evaluate-every", "20", "--raw-cells", "1")
        report = subprocess.run([PACBENCH, "report", large, "--format", "json"], check=True,
                                capture_output=True, text=True)
        self.assertIn('"all-reduce"', report.stdout)
        self.assertEqual(len(json.loads((large / "result.json").read_text())["cells"]), 5)
        curves = list(large.glob("cells/*/curve.jsonl"))
        self.assertEqual([len(curve.read_text().splitlines()) for curve in curves], 5 * [11])
        raw = list(large.glob("cells/*/iterations.jsonl"))
        self.assertEqual([len(lines.read_text().splitlines()) for lines in raw], [200 * 4])


if __name__ == "__main__":
    main()
