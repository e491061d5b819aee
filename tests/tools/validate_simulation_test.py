"""tools/experiments/validate-simulation compares simulated steps with real ones, cell by cell."""
import re

from scripts import ROOT, ScriptTest, needs_links, needs_simgrid


@needs_links
@needs_simgrid
class ValidateSimulation(ScriptTest):
    def test_gives_a_row_for_each_cell(self):
        said = self.run_script(
            "experiments/validate-simulation", ROOT / "scenarios/smoke.json", "--workers", "2", "--repeats", "1",
            "--iterations", "4", "--set", "/seeds=[1]", "--set", '/methods=[{"name": "all-reduce"}]', "--set",
            '/network/links=[{"name": "200Mbps", "rate_mbit": 200}]', "--keep", self.folder / "runs",
            "--figure", self.folder / "figure",
            codes=(0, 1, 3)).stdout
        row = re.search(r"^\| all-reduce \| 200Mbps \| 2 \| [\d.]+ \| [\d.]+ \| [\d.]+ \| \(?([\d.]+)\)? \| [\d.]+ \| "
                        r"([\d.]+) \|", said, re.MULTILINE)
        self.assertIsNotNone(row, said)
        self.assertAlmostEqual(float(row[2]), 1, delta=0.03, msg="the bytes of a real run")
        for name in ("compose-0-2", "simulate-2"):
            self.assertEqual(len(list((self.folder / "runs").glob(f"{name}-*/result.json"))), 1, name)
        self.assertIn("all-reduce", (self.folder / "figure/real-steps.svg").read_text())
