"""tools/bench measures links and steps, and with --with-ddp sets those of PyTorch beside them."""
import json

from scripts import ScriptTest, needs_links


@needs_links
class Bench(ScriptTest):
    def test_steps_of_both_are_over_the_same_wire(self):
        said = self.run_script("bench", "--rates", "100", "--steps", "4", "--workers", "2", "--with-ddp").stdout
        self.assertIn("2 workers at 100 Mbit/s: up", said)
        rows = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        ours = {row["label"]: row for row in rows if row["program"] == "pacbench"}
        ddp = {row["label"]: row for row in rows if row["program"] != "pacbench"}
        for label, bytes_an_element in (("ddp", 4), ("ddp-allreduce-hook", 4), ("ddp-fp16-hook", 2)):
            self.assertGreater(ddp[label]["ratio"], 0.99)
            # With two workers each worker sends half of the gradients and then half of the sums.
            sent = 1e6 * ddp[label]["mb_per_step"] / (bytes_an_element * 1_126_410)
            self.assertGreater(sent, 1)
            self.assertLess(sent, 1.2)
        # pacbench's own worker sends the same bytes.
        self.assertAlmostEqual(ours["all-reduce"]["mb_per_step"] / ddp["ddp"]["mb_per_step"], 1, delta=0.02)
