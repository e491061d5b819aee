"""tools/run sets up, builds, and runs a scenario with the options that it is given."""
import json

from scripts import ROOT, ScriptTest, needs_links


@needs_links
class Run(ScriptTest):
    def test_a_scenario_becomes_a_table_and_a_results_folder(self):
        out = self.folder / "run"
        done = self.run_script("run", ROOT / "scenarios/smoke.json", "--set", "/workers=2", "--only",
                               "method=all-reduce", "--no-progress", "--accept-suspect", "--out", out)
        self.assertIn("all-reduce", done.stdout)
        cells = json.loads((out / "result.json").read_text())["cells"]
        self.assertEqual([(cell["label"], cell["status"]) for cell in cells], [("all-reduce", "done")])
        self.assertGreater(cells[0]["iterations"], 0)
