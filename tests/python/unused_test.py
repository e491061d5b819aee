"""A model of which each step uses a part, with find_unused_parameters."""

import copy

import pytest
import torch
import torch.distributed as dist
from pacbench import hooks
from ranks import on_ranks
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class TwoBranches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem, self.left, self.right = (nn.Linear(32, 32) for _ in range(3))

    def forward(self, inputs: torch.Tensor, use_left: bool) -> torch.Tensor:
        return (self.left if use_left else self.right)(torch.tanh(self.stem(inputs)))


@pytest.mark.parametrize(("make", "hook"), [
    (lambda model: hooks.TopK(model, 0.05), hooks.topk),
    (lambda model: hooks.TernGrad(model, error_feedback=True), hooks.terngrad),
    (lambda model: hooks.PacTrain(model, masks={}, error_feedback=True), hooks.pactrain),
])
def test_what_is_applied_and_held_back_is_all_that_was_found(make, hook) -> None:
    """DistributedDataParallel drops the mean of a parameter that no rank used. Weights stay fixed, so each rank
    knows the sum of its gradients."""
    def work(rank: int) -> float:
        torch.manual_seed(3)
        network = TwoBranches()
        plain = copy.deepcopy(network)
        model = DistributedDataParallel(network, find_unused_parameters=True)
        state = make(model)
        model.register_comm_hook(state, hook)
        random = torch.Generator().manual_seed(rank)
        applied = {name: torch.zeros_like(each) for name, each in network.named_parameters()}
        found = {name: torch.zeros_like(each) for name, each in network.named_parameters()}
        for step in range(20):
            inputs = torch.randn(16, 32, generator=random)
            for one, sums in ((plain, found), (model, applied)):
                one.zero_grad(set_to_none=True)
                one(inputs, step % 2 == 0).square().mean().backward()
                for name, each in (plain if one is plain else network).named_parameters():
                    sums[name] += 0 if each.grad is None else each.grad
        held = state.state_dict()["residuals"]
        worst = 0.0
        for name, sums in applied.items():
            due = found[name] - held[name].view_as(sums)
            dist.all_reduce(due)
            due /= dist.get_world_size()
            worst = max(worst, ((sums - due).norm() / due.norm()).item())
        return worst

    assert max(on_ranks(2, work)) < 1e-3


@pytest.mark.parametrize(("make", "hook"), [
    (lambda model: hooks.TopK(model, 1.0), hooks.topk),
    (lambda model: hooks.PacTrain(model, masks={}, quantize=None), hooks.pactrain),
    (lambda model: hooks.Fp16("direct"), hooks.fp16),
])
def test_exchanges_of_the_used_parameters_do_not_mix_with_the_hooks(make, hook) -> None:
    """DistributedDataParallel exchanges which parameters were used while the hook's thread exchanges buckets."""
    def work(rank: int) -> torch.Tensor:
        torch.manual_seed(0)
        network = nn.Sequential(nn.Linear(32, 32), nn.Linear(32, 32))
        network.register_parameter("unused", nn.Parameter(torch.zeros(5)))
        model = DistributedDataParallel(network, find_unused_parameters=True)
        model.register_comm_hook(make(model), hook)
        random = torch.Generator().manual_seed(rank)
        found = []
        for _ in range(100):
            model.zero_grad()
            model(torch.randn(8, 32, generator=random)).square().mean().backward()
            found.append(network[0].weight.grad.clone())
        return torch.stack(found)

    one, other = on_ranks(2, work)
    assert torch.equal(one, other)
