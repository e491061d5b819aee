"""Trainings by DistributedDataParallel and a hook beside those of `pacbench run` in mode learn: the same initial
weights, batches, seeds and optimizer."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from pacbench import hooks
from plain_training import CLASSES, SIDE_SQUARED, Digits, permutation
from ranks import PROGRAMS, on_ranks
from reference_test import save_safetensors
from torch import nn
from torch.futures import Future
from torch.nn.parallel import DistributedDataParallel

ROOT = Path(__file__).resolve().parents[2]
WORKERS, BATCH, SEED, ITERATIONS = 4, 16, 7, 40
WIDTHS = [SIDE_SQUARED, 48, 32, CLASSES]
LR, MOMENTUM = 0.05, 0.9
DIGITS = Digits.read(ROOT / "scenarios/data/digits.csv")


@dataclass
class Case:
    """A method as an entry of a scenario, the state of its hook, and the hook."""

    method: dict
    state: Callable[[nn.Module], object]
    hook: Callable


TERNARY = {"quantize": "ternary", "scale": "max", "encoding": "lanes"}

CASES = {
    "fp16": Case({"name": "fp16"}, lambda model: None, hooks.fp16),
    "topk": Case({"name": "topk", "ratio": 0.1}, lambda model: hooks.TopK(model, 0.1), hooks.topk),
    "terngrad": Case({"name": "terngrad", **TERNARY}, lambda model: hooks.TernGrad(model, seed=SEED), hooks.terngrad),
    "pactrain-float32": Case({"name": "pactrain", "quantize": "none"}, lambda model: hooks.PacTrain(model, 0.5, None),
                             hooks.pactrain),
    "pactrain-random": Case({"name": "pactrain", "score": "random", "scale_from": "last", **TERNARY},
                            lambda model: hooks.PacTrain(model, 0.5, "ternary", score="random", scale_from="last",
                                                         seed=SEED), hooks.pactrain),
    "pactrain": Case({"name": "pactrain"}, lambda model: hooks.PacTrain(model, seed=SEED), hooks.pactrain),
}

WRONG = {
    "topk": lambda model: hooks.TopK(model, 0.1, error_feedback=False),
    "terngrad": lambda model: hooks.TernGrad(model, seed=SEED + 1),
    "pactrain-float32": lambda model: hooks.PacTrain(model, 0.4, None),
    "pactrain": lambda model: hooks.PacTrain(model, scale="clip", seed=SEED),
}
"""States of a hook with one wrong option each."""

# Both sides compute in float32 by one torch, and sum in one order. Losses were 2e-6 apart at most.
TOLERANCE = 2e-5
# In a ring the order of half-precision sums depends on the place in a bucket. Losses were 2e-4
# apart.
ROUNDED = 1e-3


class Mlp(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Linear(WIDTHS[0], WIDTHS[1]), nn.ReLU(), nn.Linear(WIDTHS[1], WIDTHS[2]), nn.ReLU(),
                         nn.Linear(WIDTHS[2], WIDTHS[3]))
        generator = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.normal_(0, 0.1, generator=generator)


def orders() -> list[int]:
    """The rows of the training set in the order in which the worker takes them."""
    wanted, samples = ITERATIONS * WORKERS * BATCH, len(DIGITS.train)
    return [row for epoch in range(-(-wanted // samples)) for row in permutation(SEED, epoch, samples)]


def by_pacbench(folder: Path, method: dict) -> list[tuple[float, float]]:
    """Loss and accuracy on the test set after each iteration."""
    names = [f"fc{layer}.{kind}" for layer in (1, 2, 3) for kind in ("weight", "bias")]
    save_safetensors(folder / "weights.safetensors",
                     {name: weight.detach().numpy() for name, weight in zip(names, Mlp().parameters())})
    scenario = {
        "version": 1, "name": "hooks", "mode": "learn", "workers": WORKERS,
        "workload": {
            "model": {"name": "mlp", "hidden": WIDTHS[1:-1]}, "dataset": {"name": "digits"}, "batch_per_worker": BATCH,
            "optimizer": {"name": "sgd", "lr": LR, "momentum": MOMENTUM},
            "initial": {"kind": "file", "path": "weights.safetensors"},
            "max_iterations": ITERATIONS, "evaluate_every": 1},
        "methods": [method | {"label": "method"}], "targets": {"accuracy": [0.9]}, "seeds": [SEED]}
    (folder / "scenario.json").write_text(json.dumps(scenario))
    done = subprocess.run([PROGRAMS / "pacbench", "run", folder / "scenario.json", "--out", folder / "run",
                           "--no-progress"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = (folder / f"run/cells/method-none-{SEED}/curve.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    return [(event["loss"], event["accuracy"]) for event in events if event["iteration"] > 0]


def by_hook(case: Case, warms_up: bool = True, **parallel_options) -> list[tuple[float, float]]:
    """Loss and accuracy after each iteration of DistributedDataParallel, the same on all ranks.

    Buckets are rebuilt after the first backward pass, before which the worker exchanges nothing.
    The places of parameters in buckets affect the last bits. So `warms_up` is for curves that are
    compared with the worker's.
    """
    order = orders()

    def train(rank: int) -> list[tuple[float, float]]:
        model = Mlp()
        parallel = DistributedDataParallel(model, **parallel_options)
        state = case.state(model)
        optimizer = torch.optim.SGD(model.parameters(), lr=LR, momentum=MOMENTUM)
        if warms_up:
            register_after_warm_up(parallel, state, case.hook, lambda: batch_loss(parallel, order, rank, 0))
        else:
            parallel.register_comm_hook(state, case.hook)
        curve = []
        for iteration in range(ITERATIONS):
            optimizer.zero_grad()
            batch_loss(parallel, order, rank, iteration).backward()
            optimizer.step()
            curve.append(evaluated(model))
        return curve

    curves = on_ranks(WORKERS, train)
    assert all(curve == curves[0] for curve in curves), "all ranks hold the same weights"
    return curves[0]


def register_after_warm_up(parallel: DistributedDataParallel, state: object, hook: Callable,
                           loss: Callable[[], torch.Tensor]) -> None:
    """Registers a hook that leaves alone the gradients of one backward pass, which this runs."""
    exchanges = False

    def after_warm_up(_, bucket) -> Future[torch.Tensor]:
        if exchanges:
            return hook(state, bucket)
        unchanged: Future[torch.Tensor] = Future()
        unchanged.set_result(bucket.buffer())
        return unchanged

    parallel.register_comm_hook(None, after_warm_up)
    loss().backward()
    exchanges = True


def batch_loss(model: nn.Module, order: list[int], rank: int, iteration: int) -> torch.Tensor:
    first = (iteration * WORKERS + rank) * BATCH
    rows = order[first:first + BATCH]
    images = torch.from_numpy(DIGITS.train[rows]).float()
    return nn.functional.cross_entropy(model(images), torch.from_numpy(DIGITS.train_labels[rows]))


def evaluated(model: nn.Module) -> tuple[float, float]:
    with torch.no_grad():
        logits, labels = model(torch.from_numpy(DIGITS.test).float()), torch.from_numpy(DIGITS.test_labels)
        return (nn.functional.cross_entropy(logits, labels).item(), (logits.argmax(1) == labels).float().mean().item())


@pytest.mark.parametrize("name", CASES)
def test_the_curve_is_that_of_pacbench(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    found, expected = np.array(by_hook(case)), np.array(by_pacbench(tmp_path, case.method))
    assert found.shape == expected.shape == (ITERATIONS, 2)
    apart = np.abs(found - expected).max(0)
    print(f"{name}: losses {apart[0]:.1e} apart, accuracies {apart[1]:.1e}; {expected[0]} to {expected[-1]}")
    assert found[-1, 0] < 0.6 * found[0, 0], "the training learns"
    assert apart[0] < TOLERANCE
    assert apart[1] < 1.5 / len(DIGITS.test), "one image may be a tie"


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_state_is_noticed(name: str) -> None:
    right = CASES[name]
    found, expected = np.array(by_hook(Case({}, WRONG[name], right.hook))), np.array(by_hook(right))
    assert np.abs(found - expected).max(0)[0] > 10 * TOLERANCE


SMALL_BUCKETS = {"bucket_cap_mb": 0.005}
"""Cuts this model into two or three buckets. The order of sums, and thus the last bits, then differ
from those of one bucket."""


@pytest.mark.parametrize("name", [name for name in CASES if name != "topk"])
def test_the_curve_does_not_depend_on_buckets(name: str) -> None:
    one, many = np.array(by_hook(CASES[name])), np.array(by_hook(CASES[name], False, **SMALL_BUCKETS))
    apart = np.abs(one - many).max(0)
    print(f"{name}: losses {apart[0]:.1e} apart, accuracies {apart[1]:.1e}")
    assert apart[0] < (ROUNDED if name == "fp16" else TOLERANCE)


@pytest.mark.parametrize("case", [CASES["topk"], Case({}, lambda model: hooks.powersgd_state(2, 2), hooks.powersgd)])
def test_residuals_move_with_parameters_when_buckets_are_rebuilt(case: Case) -> None:
    losses = [loss for loss, _ in by_hook(case, False, **SMALL_BUCKETS)]
    assert losses[-1] < 0.5 * losses[0]
