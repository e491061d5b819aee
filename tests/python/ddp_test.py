"""Methods of the worker in C++ as hooks of DistributedDataParallel."""

import json
import subprocess
from collections.abc import Callable, Iterable

import pacbench
import pytest
import torch
from pacbench import hooks
from pacbench.runs import program
from ranks import on_ranks
from torch import Tensor, nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel

STEPS = 4
LOADED = "loaded"
Later = Callable[[], None] | str | None


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(16, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 4))


def trained(rank: int, register: Callable[[DistributedDataParallel], Later], steps: Iterable[int] = range(STEPS), *,
            overflows_at: int = -1, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    """The gradients of these steps on one rank, in several buckets. Before them DistributedDataParallel rebuilds its
    buckets, and the hook sees them once unless they come with a loaded state. What `register` returns is called then."""
    torch.manual_seed(1)
    model = DistributedDataParallel(network().to(dtype), bucket_cap_mb=0.004)

    def gradient(step: int) -> Tensor:
        random = torch.Generator().manual_seed(1000 * rank + step + 10)
        model.zero_grad()
        loss = model(torch.randn(8, 16, generator=random).to(dtype)).square().mean()
        if rank == 1 and step == overflows_at:
            loss = loss + float("inf") * model.module[0].bias.sum()
        loss.backward()
        return torch.cat([parameter.grad.flatten().float() for parameter in model.parameters()])

    gradient(-3)
    gradient(-2)
    later = register(model)
    if later is not LOADED:
        gradient(-1)
    if callable(later):
        later()
    return [gradient(step) for step in steps]


def averaged(method: str, **options) -> Callable[[DistributedDataParallel], Later]:
    return lambda model: model.register_comm_hook(*pacbench.ddp_hook(model, method, seed=7, **options))


@pytest.mark.parametrize(("method", "options", "own"), [
    ("topk", {"ratio": 0.1}, lambda model: (hooks.TopK(model, 0.1), hooks.topk)),
    ("terngrad", {"encoding": "lanes", "quantize": "ternary", "scale": "max"}, lambda model: (hooks.TernGrad(model, seed=7), hooks.terngrad)),
    ("fp16", {"sum": "direct"}, lambda model: (hooks.Fp16("direct"), hooks.fp16)),
])
def test_a_method_has_the_bits_of_the_hook_in_python(method: str, options: dict, own) -> None:
    def work(rank: int) -> list[list[Tensor]]:
        def in_python(model: DistributedDataParallel) -> Later:
            return lambda: model.register_comm_hook(*own(model))

        return [trained(rank, averaged(method, **options)), trained(rank, in_python)]

    for in_cpp, in_python in on_ranks(2, work):
        assert all(torch.equal(one, other) for one, other in zip(in_cpp, in_python))


def test_each_method_that_averages_gives_all_ranks_one_finite_mean() -> None:
    catalogue = json.loads(subprocess.run([program("pacbench-worker"), "--catalog"], capture_output=True, check=True).stdout)
    methods = [entry["name"] for entry in catalogue["methods"] if entry["averages"]]
    assert len(methods) > 15

    def work(rank: int) -> dict[str, list[Tensor] | str]:
        found: dict[str, list[Tensor] | str] = {}
        for method in methods:
            try:
                found[method] = trained(rank, averaged(method))
            except RuntimeError as error:
                found[method] = str(error)
        return found

    one, other = on_ranks(2, work)
    for method in methods:
        if isinstance(one[method], str):  # it has an option without a default
            assert "missing" in one[method], f"{method}: {one[method]}"
            continue
        assert all(first.isfinite().all() and torch.equal(first, second) for first, second in zip(one[method], other[method])), method
    assert sum(isinstance(each, list) for each in one.values()) > 15


def test_an_overflow_on_one_rank_is_seen_by_all_and_leaves_nothing_of_its_bucket_behind() -> None:
    """The first layer's bias overflows on rank 1; its bucket is skipped, others are not."""
    def work(rank: int) -> list[list[Tensor]]:
        return [trained(rank, averaged("topk", ratio=0.1), overflows_at=2),
                trained(rank, averaged("topk", ratio=0.1), [step for step in range(STEPS) if step != 2])]

    for overflown, without in on_ranks(2, work):
        bias = slice(16 * 40, 16 * 40 + 40)
        assert overflown[2][bias].isnan().all() and overflown[2][-4:].isfinite().all()
        for step, other in ((0, 0), (1, 1), (3, 2)):
            assert torch.equal(overflown[step][bias], without[other][bias]) and overflown[step].isfinite().all()


def test_a_rank_that_has_joined_gives_zeros_to_the_mean() -> None:
    def work(rank: int) -> list[Tensor]:
        torch.manual_seed(1)
        model, found = DistributedDataParallel(network(), bucket_cap_mb=0.004), []
        model.register_comm_hook(*pacbench.ddp_hook(model, "all-reduce"))
        with Join([model]):
            for step in range(4 if rank == 1 else 7):
                model.zero_grad()
                model(torch.randn(8, 16, generator=torch.Generator().manual_seed(step))).square().mean().backward()
                found.append(torch.cat([parameter.grad.flatten() for parameter in model.parameters()]))
        alone = model.module
        alone.zero_grad()
        alone(torch.randn(8, 16, generator=torch.Generator().manual_seed(6))).square().mean().backward()
        return [*found, torch.cat([parameter.grad.flatten() for parameter in alone.parameters()])]

    *found, alone = on_ranks(2, work)[0]
    assert len(found) == 7
    torch.testing.assert_close(found[-1], alone / 2)


def test_half_precision_is_exchanged_from_float32() -> None:
    one, other = on_ranks(2, lambda rank: trained(rank, averaged("all-reduce"), dtype=torch.bfloat16))
    assert all(torch.equal(a, b) and a.isfinite().all() for a, b in zip(one, other))


def test_a_resumed_training_has_the_bits_of_one_that_never_stopped() -> None:
    def work(rank: int) -> list[list[Tensor]]:
        states: list[pacbench.ddp.DdpState] = []

        def kept(model: DistributedDataParallel) -> Later:
            state, hook = pacbench.ddp_hook(model, "topk", ratio=0.1)
            model.register_comm_hook(state, hook)
            states.append(state)
            if len(states) == 1:
                return None
            state.load_state_dict(states[0].state_dict())
            return LOADED

        first = trained(rank, kept, [0, 1])
        second = trained(rank, kept, [2, 3])
        return [first + second, trained(rank, averaged("topk", ratio=0.1))]

    for resumed, whole in on_ranks(2, work):
        assert all(torch.equal(one, other) for one, other in zip(resumed, whole))


def test_what_would_lose_gradients_is_refused_at_registration() -> None:
    def work(_: int) -> list[str]:
        words = []
        unused = DistributedDataParallel(network(), find_unused_parameters=True)
        sparse = DistributedDataParallel(nn.Sequential(nn.Embedding(9, 3, sparse=True)))
        plain = DistributedDataParallel(network())
        for model, method, options in ((unused, "topk", {"ratio": 0.1}), (sparse, "topk", {"ratio": 0.1}), (plain, "topk", {"ratio": 2}),
                                       (plain, "none", {}), (plain, "local-sgd", {"every": 2})):
            try:
                pacbench.ddp_hook(model, method, **options)
                words.append("")
            except (ValueError, RuntimeError) as error:
                words.append(str(error))
        return words

    (words,) = on_ranks(1, work)
    for found, expected in zip(words, ("find_unused_parameters", "sparse gradients", "/ratio: found 2", "none", "more than average")):
        assert expected in found, words
