"""tools/experiments/estimate-cost counts bytes, wire time and computing as its description says."""
import json
import runpy
import sys
import unittest

from scripts import ROOT, ScriptTest

TOOL = ROOT / "tools/experiments/estimate-cost"
sys.path.insert(0, str(TOOL.parent))
COST = runpy.run_path(str(TOOL))
WORKERS = 8


def bytes_per_element(**method: object) -> float:
    return COST["sent_bytes"](method, 1, WORKERS)


def scenario(**changes: object) -> dict:
    return {
        "mode": "emulate", "workers": WORKERS, "network": {"links": [{"name": "slow", "rate_mbit": 100}]},
        "compose": {"iterations": 20}, "methods": [{"name": "all-reduce"}],
        "workload": {"model": {"name": "resnet18"}, "dataset": {"name": "cifar10"}, "batch_per_worker": 32,
                     "max_iterations": 19600},
    } | changes


class Bytes(unittest.TestCase):
    def test_of_rings_are_those_of_all_elements_in_the_type_that_travels(self):
        self.assertEqual(bytes_per_element(name="all-reduce"), 7)
        self.assertEqual(bytes_per_element(name="fp16"), 3.5)
        self.assertEqual(bytes_per_element(name="terngrad"), 1.75)
        self.assertEqual(bytes_per_element(name="terngrad", encoding="lanes"), 7 / 8)
        self.assertEqual(bytes_per_element(name="terngrad", encoding="all-to-all"), 5.25 / 8)

    def test_of_pactrain_are_those_of_what_is_kept(self):
        half = {"name": "pactrain", "pruning_ratio": 0.5}
        self.assertEqual(bytes_per_element(**half), 3.5)
        self.assertEqual(bytes_per_element(**half, quantize="fp16"), 1.75)
        self.assertEqual(bytes_per_element(**half, quantize="ternary"), 0.875)

    def test_of_topk_are_an_index_and_a_value_for_each_other_worker(self):
        self.assertAlmostEqual(bytes_per_element(name="topk", ratio=0.1), 5.6)


class Times(unittest.TestCase):
    def test_on_the_wire_are_bytes_over_what_tcp_carries(self):
        cost = COST["Cost"](scenario())
        # 78.2 MB at 95.64 Mbit/s
        self.assertAlmostEqual(cost.wire_s({"name": "all-reduce"}, 100), 6.543, places=3)

    def test_of_computing_are_three_forward_passes(self):
        cost = COST["Cost"](scenario())
        self.assertAlmostEqual(cost.compute_s(1000), 3 * 1.11 * 32 / 1000)

    def test_of_cells_are_added_over_methods(self):
        one = COST["Cost"](scenario()).cells_s(100, 0.1)
        two = COST["Cost"](scenario(methods=[{"name": "all-reduce"}] * 2)).cells_s(100, 0.1)
        self.assertAlmostEqual(two, 2 * one)

    def test_of_composed_cells_are_of_as_many_iterations_as_fit_and_four_at_least(self):
        def composed_s(**compose: float) -> float:
            return COST["Cost"](scenario(compose={"iterations": 20} | compose)).composed_s(100, 1)

        step_s = composed_s() / 20
        self.assertAlmostEqual(composed_s(cell_s=9.5 * step_s), 9 * step_s)
        self.assertAlmostEqual(composed_s(cell_s=0.5), 4 * step_s)


class Program(ScriptTest):
    def test_says_which_models_it_knows(self):
        path = self.folder / "one.json"
        path.write_text(json.dumps(scenario(workload=scenario()["workload"] | {"model": {"name": "mlp"}})))
        said = self.run_script("experiments/estimate-cost", path, codes=range(1, 256)).stderr
        self.assertIn("found model mlp, expected one of resnet18,", said)

    def test_gives_the_table_of_the_papers_scenarios(self):
        table = self.run_script("experiments/estimate-cost").stdout
        self.assertIn(table, (ROOT / "scenarios/paper/README.md").read_text())
