"""tools/bench measures links and steps, and with --with-ddp sets those of PyTorch beside them."""
import json

from scripts import ScriptTest, main, needs_links


@needs_links
class Bench(ScriptTest):
    def test_steps_of_both_are_over_the_same_wire(self):
        said = self.run_script("bench", "--rates", "100", "--steps", "4", "--workers", "2", "--with-ddp").stdout
        self.assertIn("2 workers at 100 Mbit/s: up", said)
        rows = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        ours = {row["label"]: row for row in rows if row["program"] == "pacbench"}
        ddp = {one["hook"]: one for row in rows if row["program"] != "pacbench" for one in row["results"]}
        for label, hook in (("all-reduce", "fp32"), ("fp16-direct", "fp16")):
            self.assertAlmostEqual(ours[label]["wire_s"], ddp[hook]["arithmetic_step_s"], places=3)
            self.assertGreater(ddp[hook]["ratio"], 0.99)
        for hook, bytes_an_element in (("fp32", 4), ("built-in", 4), ("fp16", 2)):
            self.assertEqual(ddp[hook]["steps"], 4)
            # With two workers each sends half of the gradients and then half of the sums.
            sent = ddp[hook]["wire_bytes_per_step_and_worker"] / (bytes_an_element * ddp[hook]["elements"])
            self.assertGreater(sent, 1)
            self.assertLess(sent, 1.2)


if __name__ == "__main__":
    main()
