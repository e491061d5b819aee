"""Mistakes are refused with what was found, what was expected, and what to do."""

import buckets
import pytest
import torch
from pacbench import hooks
from ranks import on_ranks
from torch import nn


@pytest.mark.parametrize(("make", "message"), [
    (lambda: hooks.TopK(buckets.model(), 0), r"ratio: found 0, expected .* \(0, 1\]"),
    (lambda: hooks.Fp16("tree"), "sum: found 'tree'"),
    (lambda: hooks.TernGrad(buckets.model(), "9-bit"), "quantize: found '9-bit', expected .* '2-bit' to '8-bit'"),
    (lambda: hooks.TernGrad(buckets.model(), scale="mean"), "scale: found 'mean'"),
    (lambda: hooks.PacTrain(buckets.model(), scale_from="next"), "scale_from: found 'next'"),
    (lambda: hooks.PacTrain(buckets.model(), mask_source="gradients"), "mask_source: found 'gradients'"),
    (lambda: hooks.PacTrain(buckets.model(), mask_source="tracker", stable_after=0), "stable_after: found 0"),
    (lambda: hooks.PacTrain(buckets.model(), quantize=None, error_feedback=True), "error_feedback: found True"),
    (lambda: hooks.prune(buckets.model(), 0.5, "snip"), "score: found 'snip'"),
    (lambda: hooks.prune(buckets.model(), 0.5, "grasp"), "found 'grasp' without batches"),
    (lambda: hooks.prune(buckets.model(), 0.5, normalize="l3"), "normalize: found 'l3'"),
    (lambda: hooks.prune(buckets.model(), 1), "ratio: found 1, expected .* between 0 and 1"),
    (lambda: hooks.prune(nn.Linear(4, 4), 0.9), "removes 14 of 16 weights.* expected at most 0.75"),
    (lambda: hooks.prune(nn.Sequential(nn.ReLU()), 0.5), "found no Conv2d"),
])
def test_an_option_is_refused(make, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


ONES = torch.ones(buckets.gradients(1, 1).numel())


def failure_of(make, values: torch.Tensor = ONES) -> list[str]:
    """The error of each rank's first future, or nothing. The other buckets are not handed to the
    hook, so no collective is left waiting."""
    def work(rank: int) -> str:
        model = buckets.model()
        state, hook = make(model, rank)
        try:
            hook(state, buckets.buckets_of(model, values)[0]).wait()
        except (RuntimeError, TypeError, ValueError) as error:
            return f"{type(error).__name__}: {error}"
        return ""

    return on_ranks(2, work)


def test_a_gradient_that_is_not_finite_is_named() -> None:
    values = ONES.clone()
    values[8] = float("inf")
    found = failure_of(lambda model, rank: (hooks.TernGrad(model), hooks.terngrad), values)
    assert "rank 1: the gradient of 2.weight is not finite (largest magnitude inf)" in found[1]


@pytest.mark.parametrize(("make", "hook"), [
    (lambda model: hooks.TopK(model, 0.1), hooks.topk),
    (lambda model: hooks.PacTrain(model, quantize="fp16", error_feedback=True, score="random"), hooks.pactrain),
])
def test_an_overflow_is_gone_with_its_step(make, hook) -> None:
    """A loss scaler lets the gradients of a step overflow, on one rank here, and skips that step."""
    def work(rank: int) -> list[bool]:
        model = buckets.model()
        state = make(model)
        finite = []
        for step in range(6):
            values = ONES * float("inf") if step == 1 and rank == 0 else ONES
            means = [hook(state, bucket).wait() for bucket in buckets.buckets_of(model, values)]
            finite.append(all(torch.isfinite(mean).all().item() for mean in means))
        return finite

    assert on_ranks(2, work) == 2 * [[step != 1 for step in range(6)]]


def test_masks_that_differ_are_refused_before_they_are_used() -> None:
    found = failure_of(lambda model, rank: (hooks.PacTrain(model, score="random", seed=rank), hooks.pactrain))
    assert all("bucket 0: the masks of the ranks differ" in each for each in found)


def test_a_bucket_of_another_model_is_refused() -> None:
    found = failure_of(lambda model, rank: (hooks.TernGrad(buckets.model()), hooks.terngrad))
    assert "a parameter of shape [7]" in found[0] and "the model that DistributedDataParallel wraps" in found[0]


def test_gradients_of_another_type_are_refused() -> None:
    found = failure_of(lambda model, rank: (hooks.TopK(model, 0.1), hooks.topk), ONES.double())
    assert "found gradients of torch.float64, expected torch.float32" in found[0]
