"""tools/experiments/compare-modes runs a scenario in three modes and compares their times."""
import re

from scripts import ROOT, ScriptTest, needs_links


@needs_links
class CompareModes(ScriptTest):
    def test_gives_a_row_for_each_target_of_each_cell(self):
        said = self.run_script(
            "experiments/compare-modes", ROOT / "scenarios/smoke.json", "--set", "/workers=2", "--set", "/seeds=[1]", "--set",
            '/methods=[{"name": "all-reduce"}]', "--rates", "200", "--iterations", "6", "--accept-bound",
            "--keep", self.folder / "runs", codes=(0, 1, 3)).stdout
        rows = re.findall(r"^\| all-reduce \| 200Mbps \| 1 \| (\S+) \|.*\| ([\d.]+) \| \w+, ", said, re.MULTILINE)
        self.assertEqual([target for target, _ in rows], ["0.7", "0.8"], said)
        for mode in ("learn", "emulate-200Mbps", "compose-200Mbps"):
            self.assertTrue((self.folder / "runs" / mode / "result.json").exists(), mode)
