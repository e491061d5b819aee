"""tools/experiments/measure-fabric measures real links of as many workers as are named."""
import re

from scripts import ScriptTest, needs_links


@needs_links
class MeasureFabric(ScriptTest):
    def test_links_come_and_go_in_a_time_that_is_not_nothing(self):
        said = self.run_script("experiments/measure-fabric", "--rounds", "1", 2, 3).stdout
        rows = re.findall(r"(\d+) workers .* up (\d+) ms, down ([\d.]+) ms, .* ([\d.]+) us", said)
        self.assertEqual([row[0] for row in rows], ["2", "3"], said)
        for row in rows:
            self.assertTrue(all(float(value) > 0 for value in row), said)
