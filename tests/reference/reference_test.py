"""Learning curves of pacbench beside those of a plain NumPy implementation of the same training:
the same initial weights, the same batches, and nothing else in common (plain_training.py).
`pacbench verify` shows that a run agrees with itself; these tests show that it agrees with the
papers."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
except ModuleNotFoundError as error:
    print(f"skipped: {error}; tools/setup --tests installs it")
    sys.exit(77)

from plain_training import (BATCH, CLASSES, SIDE_SQUARED, WORKERS, Digits, Perceptron, TopKMean, dense_mean,
                            half_mean, train)

ROOT = Path(__file__).resolve().parents[2]
WIDTHS = [SIDE_SQUARED, 32, CLASSES]
SEED, LR, MOMENTUM, ITERATIONS = 7, 0.1, 0.9, 40


def save_safetensors(path: Path, tensors: dict[str, np.ndarray]) -> None:
    """Writes tensors in the format that its authors describe: length, JSON header, bytes."""
    header, offset = {}, 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + 4 * tensor.size]}
        offset += 4 * tensor.size
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text +
                     b"".join(tensor.astype("<f4").tobytes() for tensor in tensors.values()))


class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.model = Perceptron(WIDTHS)
        random = np.random.default_rng(1)
        cls.weights = random.normal(0, 0.1, cls.model.size).astype(np.float32).astype(np.float64)
        cls.digits = Digits.read(ROOT / "scenarios/data/digits.csv")
        names = [f"fc{layer}.{kind}" for layer in (1, 2) for kind in ("weight", "bias")]
        save_safetensors(cls.folder / "weights.safetensors",
                         dict(zip(names, cls.model.parts(cls.weights))))

    def of_pacbench(self, method: dict) -> list[tuple[float, float]]:
        scenario = {
            "version": 1, "name": "reference", "mode": "learn", "workers": WORKERS,
            "workload": {
                "model": {"name": "mlp", "hidden": WIDTHS[1:-1]}, "dataset": {"name": "digits"},
                "batch_per_worker": BATCH,
                "optimizer": {"name": "sgd", "lr": LR, "momentum": MOMENTUM},
                "initial": {"kind": "file", "path": "weights.safetensors"},
                "max_iterations": ITERATIONS, "evaluate_every": 1},
            "methods": [method], "targets": {"accuracy": [0.9]}, "seeds": [SEED]}
        path = self.folder / "reference.json"
        path.write_text(json.dumps(scenario))
        out = self.folder / method["label"]
        done = subprocess.run([ROOT / "build/bin/pacbench", "run", path, "--out", out,
                               "--no-progress"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (out / f"cells/{method['label']}-none-{SEED}/curve.jsonl").read_text().splitlines()
        events = [json.loads(line) for line in lines]
        return [(event["loss"], event["accuracy"]) for event in events if event["iteration"] > 0]

    def assert_same_curve(self, method: dict, exchange, loss: float, accuracy: float) -> None:
        found = self.of_pacbench(method)
        expected = train(self.model, self.weights, self.digits, exchange, seed=SEED, lr=LR,
                         momentum=MOMENTUM, iterations=ITERATIONS)
        self.assertEqual(len(found), ITERATIONS)
        self.assertLess(expected[-1][0], 0.5 * expected[0][0], "the plain training learns")
        for iteration, (own, other) in enumerate(zip(found, expected), 1):
            self.assertAlmostEqual(own[0], other[0], delta=loss, msg=f"loss, iteration {iteration}")
            self.assertAlmostEqual(own[1], other[1], delta=accuracy,
                                   msg=f"accuracy, iteration {iteration}")

    def test_all_reduce_trains_as_the_mean_of_all_gradients_does(self):
        self.assert_same_curve({"name": "all-reduce", "label": "dense"}, dense_mean, 1e-5, 0)

    def test_fp16_trains_as_gradients_in_half_precision_do(self):
        for way in ("ring", "direct"):
            self.assert_same_curve({"name": "fp16", "sum": way, "label": way}, half_mean, 1e-4, 0.0025)

    def test_top_k_trains_as_its_largest_entries_with_error_feedback_do(self):
        for ratio in (0.01, 0.1):
            self.assert_same_curve({"name": "topk", "ratio": ratio, "label": f"topk-{ratio}"},
                                   TopKMean(ratio, self.model.size), 1e-5, 0)

    def test_a_wrong_exchange_is_noticed(self):
        top_k = TopKMean(0.1, self.model.size)

        def forgetful(gradients):
            top_k.residuals[:] = 0
            return top_k(gradients)

        with self.assertRaises(AssertionError):
            self.assert_same_curve({"name": "topk", "ratio": 0.1, "label": "kept"}, forgetful, 1e-5, 0)


if __name__ == "__main__":
    unittest.main()
