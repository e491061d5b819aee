"""tools/experiments/measure-steps prints measured steps beside the time of the wire alone."""
from scripts import ScriptTest, needs_links


@needs_links
class MeasureSteps(ScriptTest):
    def test_no_step_is_shorter_than_its_bytes_take(self):
        rows = self.run_json_lines("experiments/measure-steps", "--rates", "100", "--steps", "4", "--workers", "2")
        self.assertEqual([row["label"] for row in rows], ["all-reduce", "fp16-direct", "fp16-ring"])
        for row in rows:
            self.assertGreater(row["ratio"], 0.99, row)
            if (row["taken_share"] or 0) < 0.05:
                self.assertLess(row["ratio"], 2, row)
        # Two workers send half of 1,126,410 floats, then half of the sums, at 95.6 Mbit/s.
        self.assertAlmostEqual(rows[0]["wire_s"], 0.3769, places=3)
        self.assertAlmostEqual(rows[1]["wire_s"] / rows[0]["wire_s"], 0.5, places=3)
