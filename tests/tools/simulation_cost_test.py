"""tools/experiments/simulation-cost measures the process that simulates each collective."""
import json

from scripts import ScriptTest, needs_simgrid

MB = 11_173_962 * 4e-6  # of ResNet-18's gradients
MB_PER_S = 100 / 8
SENT_MB = {  # by a worker, in the mean
    "all-reduce": lambda workers: 2 * (workers - 1) / workers * MB,
    "all-gather": lambda workers: (workers - 1) * 0.4,
    "broadcast": lambda workers: (workers - 1) / workers * MB,
    "all-to-all": lambda workers: (workers - 1) / workers * MB,
}


@needs_simgrid
class SimulationCost(ScriptTest):
    def measure(self, *words: str) -> tuple[list[str], list[dict]]:
        """The lines of the table, and the cases kept."""
        kept = self.folder / "cost.jsonl"
        said = self.run_script("experiments/simulation-cost", "--workers", "2,4", *words, "--keep", kept).stdout
        return said.splitlines(), [json.loads(line) for line in kept.read_text().splitlines()]

    def test_measures_each_collective_with_each_number_of_workers(self):
        table, cases = self.measure()
        self.assertEqual(table[0], "| workers | all-reduce | all-gather | broadcast | all-to-all |")
        for row, workers in zip(table[2:], (2, 4), strict=True):
            self.assertRegex(row, rf"^\| {workers} (\| \d+\.\d s, \d+ MB ){{4}}\|$")
        self.assertEqual([(case["workers"], case["collective"]) for case in cases],
                         [(workers, name) for workers in (2, 4) for name in SENT_MB])
        for case in cases:
            with self.subTest(case=case):
                self.assertAlmostEqual(case["sent_mb"], SENT_MB[case["collective"]](case["workers"]), places=3)
                self.assertGreater(case["simulated_s"], case["sent_mb"] / MB_PER_S, "no link is faster than its rate")
                self.assertTrue(0 < case["cpu_s"] < 10, "seconds that a few messages cannot need")
                self.assertTrue(5 < case["peak_resident_mb"] < 300, "a program with SimGrid, and little more")

    def test_measures_only_the_collectives_asked_for(self):
        table, cases = self.measure("--collectives", "all-to-all,broadcast")
        self.assertEqual(table[0], "| workers | all-to-all | broadcast |")
        self.assertEqual([case["collective"] for case in cases], ["all-to-all", "broadcast"] * 2)

    def test_refuses_a_collective_that_it_does_not_know(self):
        refused = self.run_script("experiments/simulation-cost", "--collectives", "ring,broadcast", codes=(2,))
        self.assertIn("found ring, expected some of all-reduce,all-gather,", refused.stderr)
