"""tools/experiments/measure-learn measures mode learn beside worker processes."""
from scripts import ScriptTest, needs_links


@needs_links
class MeasureLearn(ScriptTest):
    def test_gives_both_speeds_and_their_ratio(self):
        rows = self.run_json_lines("experiments/measure-learn", "--steps", "4", "--rounds", "1", "--workers", "2")
        self.assertEqual(len(rows), 2, rows)
        for row in rows:
            self.assertGreater(row["emulate_samples_per_s"], 0)
            quotient = row["learn_samples_per_s"] / row["emulate_samples_per_s"]
            self.assertAlmostEqual(row["ratio"], quotient, delta=0.01 * quotient)
