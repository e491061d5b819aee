"""The collectives that the methods call. Each returns when the result may be used on the current stream."""

import torch
import torch.distributed as dist
from torch import Tensor

Group = dist.ProcessGroup | None
"""None stands for the default group."""


def all_reduce(values: Tensor, group: Group, reduction: dist.ReduceOp.RedOpType = dist.ReduceOp.SUM) -> Tensor:
    """Reduces [n] over all ranks in place, and returns it."""
    dist.all_reduce(values, reduction, group)
    return values


def all_gather(values: Tensor, group: Group) -> Tensor:
    """Gathers [n] of each rank into [ranks, n]."""
    gathered = values.new_empty((dist.get_world_size(group), values.numel()))
    dist.all_gather_into_tensor(gathered.view(-1), values, group)
    return gathered


def reduce_scatter(values: Tensor, group: Group) -> Tensor:
    """Reduces [ranks * n] to the sum over all ranks of this rank's part, [n].

    The parts travel by all-to-all. Each rank adds up its part in float32 and rounds once, where a
    ring would round at every hop.
    """
    received = torch.empty_like(values)
    dist.all_to_all_single(received, values, group=group)
    return received.view(dist.get_world_size(group), -1).sum(0, dtype=values.dtype)
