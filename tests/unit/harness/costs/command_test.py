"""`pacbench costs` computes how long each layer's exchange would take. It runs the built worker,
and needs no network and no root.

command_test.py PACBENCH SCENARIOS    SCENARIOS is the source tree's folder
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACBENCH, SCENARIOS = (Path(each).resolve() for each in sys.argv[1:3])
RATE_MBIT, WORKERS, HIDDEN = 100, 4, 64
LAYERS = {"0": 64 * HIDDEN + HIDDEN, "2": HIDDEN * 10 + 10}
SETTINGS = ["--set", f"/network/links/0/rate_mbit={RATE_MBIT}", "--set", f"/workers={WORKERS}",
            "--set", f"/workload/model/hidden=[{HIDDEN}]"]


def pacbench(*words):
    return subprocess.run([PACBENCH, *words], capture_output=True, text=True, check=False)


def costs(*words):
    return pacbench("costs", SCENARIOS / "smoke.json", *SETTINGS, *words)


class Costs(unittest.TestCase):
    def answer(self, methods):
        done = costs("--set", f"/methods={json.dumps(methods)}", "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_an_all_reduce_takes_what_a_ring_takes_for_each_layer(self):
        answer = self.answer([{"name": "all-reduce"}])
        elements = [each["elements"] for each in answer["layers"]]
        self.assertEqual(elements, list(LAYERS.values()))
        for n, cost in zip(elements, answer["links"][0]["methods"][0]["layers"]):
            self.assertAlmostEqual(cost["sent_bytes"], 2 * (WORKERS - 1) / WORKERS * 4 * n, delta=8)
            seconds = cost["sent_bytes"] * 8 / (RATE_MBIT * 1e6) + 2 * (WORKERS - 1) * 50e-6
            self.assertAlmostEqual(cost["expected_s"], seconds, places=9)

    def test_large_layers_want_few_bytes_and_small_ones_few_messages(self):
        answer = self.answer([{"name": "all-reduce"}, {"name": "parameter-server"}])
        self.assertEqual(answer["links"][0]["fastest"], ["all-reduce", "parameter-server"])

    def test_says_of_each_method_why_its_costs_are_not_known(self):
        answer = self.answer([{"name": "all-reduce"}, {"name": "omnireduce"}, {"name": "local-sgd"},
                              {"name": "pactrain", "pruning_ratio": 0.5}, {"name": "exdyna"},
                              {"name": "spardl", "ratio": 0.1, "teams": 3}])
        reasons = [each["unknown_because"] for each in answer["links"][0]["methods"]]
        self.assertEqual(reasons[0], "")
        for reason, words in zip(reasons[1:], ["depends on the gradients", "layer's gradient", "masks",
                                               "whole model", "3 teams for 4 workers"]):
            self.assertIn(words, reason)

    def test_takes_each_layer_of_a_plan_by_the_method_that_the_plan_names(self):
        answer = self.answer([{"name": "all-reduce"}, {"name": "fp16"},
                              {"name": "espresso", "plan": [1, 0], "methods": [{"name": "all-reduce"}, {"name": "fp16"}]}])
        dense, half, planned = ([each["sent_bytes"] for each in method["layers"]]
                                for method in answer["links"][0]["methods"])
        self.assertEqual(planned, [half[0], dense[1]])

    def test_prints_a_table_for_people(self):
        done = costs()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("mlp of 4 workers over 200Mbps", "topk-keep10%",
                      "pactrain-prune50%-grasp-float32 has no costs here: it sends what its masks keep"):
            self.assertIn(words, done.stdout)

    def test_refuses_a_scenario_without_links(self):
        scenario = json.loads((SCENARIOS / "smoke.json").read_text())
        scenario.pop("network")
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(scenario | {"mode": "learn"}, file)
            file.flush()
            done = pacbench("costs", file.name)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("/network/links: found no links", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
