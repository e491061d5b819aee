"""Each hook over Gloo gives the same bits as the C++ method of its name over the thread group."""

import json
import math
import subprocess
from pathlib import Path
from unittest import mock

import buckets
import numpy as np
import pytest
import torch
from pacbench import hooks
from plain_training import philox
from ranks import PROGRAMS, on_ranks

SEED = 7
ITERATIONS = 4

TERNARY = {"quantize": "ternary", "scale": "max"}
FOUR_BIT = {"quantize": "4-bit", "scale": "max"}
HOOKS = {"topk": (hooks.TopK, hooks.topk), "terngrad": (hooks.TernGrad, hooks.terngrad),
         "pactrain": (hooks.PacTrain, hooks.pactrain)}


def case(name: str, **options):
    """A method as an entry of a scenario, and its hook with the same options."""
    state, hook = HOOKS[name]
    own = {key: None if value == "none" else value for key, value in options.items()}
    return {"name": name, **options}, lambda model: (state(model, **own), hook)


def digits(name: str, **options):
    """The same of a method that rounds at random."""
    state, hook = HOOKS[name]
    return {"name": name, "encoding": "lanes", **options}, lambda model: (state(model, seed=SEED, **options), hook)


CASES = {
    "fp16 without a state": ({"name": "fp16"}, lambda model: (None, hooks.fp16)),
    "fp16 by a ring": ({"name": "fp16"}, lambda model: (hooks.Fp16(), hooks.fp16)),
    "fp16 direct": ({"name": "fp16", "sum": "direct"}, lambda model: (hooks.Fp16("direct"), hooks.fp16)),
    **{f"topk of {ratio}": case("topk", ratio=ratio) for ratio in (0.001, 0.01, 0.1, 0.5, 1.0)},
    "topk without feedback": case("topk", ratio=0.1, error_feedback=False),
    "terngrad by default": (digits("terngrad", **TERNARY)[0],
                            lambda model: (hooks.TernGrad(model, seed=SEED), hooks.terngrad)),
    "terngrad, clipped": digits("terngrad", quantize="ternary", scale="clip"),
    "terngrad of 8 bits": digits("terngrad", quantize="8-bit"),
    "terngrad with feedback": digits("terngrad", **TERNARY, error_feedback=True),
    "pactrain in float32": case("pactrain", quantize="none"),
    "pactrain in half precision": case("pactrain", quantize="fp16"),
    "pactrain by default": digits("pactrain"),
    "pactrain, ternary": digits("pactrain", **TERNARY),
    "pactrain, clipped": digits("pactrain", quantize="4-bit", scale="clip"),
    "pactrain of digits with feedback": digits("pactrain", **FOUR_BIT, error_feedback=True),
    "pactrain, clipped, scales of the last step, with feedback":
        digits("pactrain", quantize="ternary", scale="clip", scale_from="last", error_feedback=True),
    "pactrain in half precision with feedback": case("pactrain", quantize="fp16", error_feedback=True),
    "pactrain as in its paper, but for the score":
        case("pactrain", quantize="none", mask_source="tracker", stable_after=2),
    "pactrain of clipped digits, tracked":
        digits("pactrain", quantize="ternary", scale="clip", mask_source="tracker", stable_after=1),
    "pactrain of digits, tracked, with feedback":
        digits("pactrain", **FOUR_BIT, mask_source="tracker", stable_after=1, error_feedback=True),
    "pactrain in half precision, tracked":
        case("pactrain", quantize="fp16", mask_source="tracker", stable_after=1),
    "pactrain, random mask, scales of the last step": (
        digits("pactrain", **TERNARY, scale_from="last")[0],
        lambda model: (hooks.PacTrain(model, 0.5, "ternary", score="random", scale_from="last", seed=SEED),
                       hooks.pactrain)),
}


def in_cpp(folder: Path, method: dict, values: torch.Tensor, masks: hooks.Masks) -> torch.Tensor:
    """float32[iterations, elements]: the means that the C++ method makes of `values`,
    float32[iterations, ranks, elements]."""
    described = [[{"parameter": number, "shape": buckets.SHAPES[number], "masked": number in masks}
                  for number in bucket] for bucket in buckets.BUCKETS]
    values.numpy().tofile(folder / "gradients")
    bits = [masks.get(number, torch.ones(buckets.SHAPES[number], dtype=torch.bool)).flatten()
            for bucket in buckets.BUCKETS for number in bucket]
    torch.cat(bits).to(torch.uint8).numpy().tofile(folder / "masks")
    request = {"method": method, "ranks": values.shape[1], "iterations": values.shape[0], "buckets": described,
               **{name: str(folder / name) for name in ("gradients", "masks", "means")}}
    (folder / "request.json").write_text(json.dumps(request))
    subprocess.run([PROGRAMS / "pacbench-exchange-on-inputs", folder / "request.json"], check=True)
    return torch.from_numpy(np.fromfile(folder / "means", np.float32)).view(values.shape[0], -1)


def in_python(make, values: torch.Tensor) -> list[torch.Tensor]:
    """The means that the hook makes of `values`, by rank."""
    def work(rank: int) -> torch.Tensor:
        model = buckets.model()
        state, hook = make(model)
        means = []
        for own in values[:, rank]:
            # All buckets of an iteration are under way at once, as in a backward pass.
            futures = [hook(state, bucket) for bucket in buckets.buckets_of(model, own)]
            means.append(torch.cat([future.wait() for future in futures]))
        return torch.stack(means)

    return on_ranks(values.shape[1], work)


def masks_of(make) -> hooks.Masks:
    state, _ = make(buckets.model())
    return getattr(state, "masks", {})


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("ranks", [4, 3])
def test_the_mean_has_the_bits_of_the_method_in_cpp(name: str, ranks: int, tmp_path: Path) -> None:
    method, make = CASES[name]
    values = buckets.gradients(ranks, ITERATIONS)
    expected = in_cpp(tmp_path, method, values, masks_of(make))
    assert expected.abs().max() > 0
    for rank, found in enumerate(in_python(make, values)):
        assert torch.equal(found, expected), f"rank {rank}: off by {(found - expected).abs().max()}"


def first_q(*shape: int, **_) -> torch.Tensor:
    """The first Q of the C++ method, in place of PyTorch's random one: normal numbers from Philox
    by Box and Muller."""
    numbers = []
    for block in range(-(-math.prod(shape) // 4)):
        uniform = [(word >> 8) / 2**24 for word in philox([block, 0, 0, 6 << 24], [0, 0])]
        for first, second in (uniform[:2], uniform[2:]):
            radius, angle = math.sqrt(-2 * math.log1p(-first)), 2 * math.pi * second
            numbers += [radius * math.cos(angle), radius * math.sin(angle)]
    return torch.tensor(numbers[:math.prod(shape)]).view(shape)


def test_powersgd_comes_near_the_method_in_cpp(tmp_path: Path) -> None:
    values = buckets.gradients(4, ITERATIONS)
    expected = in_cpp(tmp_path, {"name": "powersgd", "rank": 2, "dense_iterations": 2}, values, {})
    with mock.patch.object(torch, "randn", first_q):
        found = in_python(lambda model: (hooks.powersgd_state(2, 2), hooks.powersgd), values)
    sizes = [math.prod(buckets.SHAPES[number]) for bucket in buckets.BUCKETS for number in bucket]
    for mine, theirs in zip(found[0].split(sizes, 1), expected.split(sizes, 1)):
        apart = (mine - theirs).norm() / theirs.norm()
        print(f"powersgd: a parameter of {theirs.shape[1]} is {apart:.1e} of its norm apart")
        # Both add 1e-8 to the norm of a column. It matters more in C++, which does not
        # orthonormalise the last Q first.
        assert apart < (1e-6 if theirs.norm() > 1 else 1e-3)


def test_another_seed_gives_other_digits() -> None:
    values = buckets.gradients(4, 1)
    one, other = (in_python(lambda model, seed=seed: (hooks.TernGrad(model, seed=seed), hooks.terngrad), values)[0]
                  for seed in (SEED, SEED + 1))
    assert not torch.equal(one, other)
