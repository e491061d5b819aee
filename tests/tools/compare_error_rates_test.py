"""tools/experiments/compare-error-rates draws sides from recorded runs and counts what compare says of them."""
import re
import shutil

from scripts import BASELINE, PACBENCH, ScriptTest


class CompareErrorRates(ScriptTest):
    def test_of_runs_that_are_alike_only_those_made_slower_are_regressions(self):
        for number in range(20):
            shutil.copytree(BASELINE, self.folder / f"runs/{number}")
        said = self.run_script("experiments/compare-error-rates", PACBENCH, self.folder / "runs", "--draws", "1",
                               "--runs-a-side", "10", "--slow-down", "1.5").stdout
        same, slower = said.splitlines()
        self.assertRegex(same, r"^unchanged, 1 draws of 10 runs a side: no regression 100\.0%$")
        self.assertRegex(slower, r"^slower by 1\.5, 1 draws .*: regression 100\.0%$")

    def test_too_few_runs_are_refused(self):
        (self.folder / "runs").mkdir()
        done = self.run_script("experiments/compare-error-rates", PACBENCH, self.folder / "runs", codes=(1,))
        self.assertTrue(re.search(r"found 0 runs .* at least 20", done.stderr), done.stderr)
