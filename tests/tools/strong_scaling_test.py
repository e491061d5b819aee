"""tools/experiments/strong-scaling simulates more workers that share the same samples."""
import json
import re

from scripts import ScriptTest, needs_simgrid


@needs_simgrid
class StrongScaling(ScriptTest):
    def test_shares_the_samples_of_an_iteration_among_more_workers(self):
        scenario = self.folder / "scenario.json"
        scenario.write_text(json.dumps({
            "version": 1, "name": "small", "mode": "simulate", "workers": 4,
            "network": {"topology": "groups", "groups": [2, 2], "links": [{"name": "fast", "rate_mbit": 90000}]},
            "compose": {"profile": "made.json", "exchange": "profile", "iterations": 2},
            "workload": {"model": {"name": "resnet8"}, "dataset": {"name": "digits"}, "batch_per_worker": 32,
                         "optimizer": {"name": "sgd", "lr": 0.1}, "max_iterations": 2, "evaluate_every": 2},
            "methods": [{"name": "all-reduce", "label": "dense"}, {"name": "hierarchical", "sites": 2, "label": "sites"}],
            "targets": {"accuracy": [0.9]}, "seeds": [1]}))
        runs = self.folder / "runs"
        said = self.run_script("experiments/strong-scaling", scenario, "--workers", "4,8", "--site", "2", "--keep", runs,
                               "--out", self.folder / "out").stdout
        row = re.search(r"^\| dense \| ([\d.]+) \| 5.81 \|", said, re.MULTILINE)
        self.assertIsNotNone(row, said)
        self.assertAlmostEqual(float(row[1]), 2, delta=0.1, msg="half the samples each, over links that cost nothing")
        manifest = json.loads((runs / "site-2/8/run/manifest.json").read_text())["scenario"]
        self.assertEqual(manifest["workload"]["batch_per_worker"], 16)
        self.assertEqual([method.get("sites") for method in manifest["methods"]], [None, 4])
        self.assertEqual((self.folder / "out/strong-scaling.md").read_text(), said)
        points = json.loads((self.folder / "out/strong-scaling.json").read_text())[0]["points"]
        self.assertEqual([point["workers"] for point in points], [4, 8])
        self.assertIn("dense", (self.folder / "out/strong-scaling.svg").read_text())
