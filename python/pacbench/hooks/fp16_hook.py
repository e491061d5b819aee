"""All-reduce of gradients in half precision.

Source: Micikevicius et al. 2018, arXiv 1710.03740. Gradients are divided by the number of ranks in float32, before
they become float16: neither a rank's share nor the sum overflows where the mean fits into float16. torch's own
fp16_compress_hook divides after. There is no error feedback.
"""

import torch
import torch.distributed as dist
from torch import Tensor
from torch.futures import Future

from pacbench.hooks.collectives import Group, all_gather, reduce_scatter
from pacbench.hooks.in_order import InOrder


class Fp16:
    """`sum` says how the sum is made. "ring" is one all-reduce, which rounds at every hop. "direct"
    moves the same bytes by all-to-all and all-gather, and each rank adds up its part of the
    elements in float32, with one rounding at the end."""

    def __init__(self, sum: str = "ring", group: Group = None):
        if sum not in ("ring", "direct"):
            raise ValueError(f"sum: found {sum!r}, expected 'ring' or 'direct'")
        self.group = group
        self.in_order = InOrder(group) if sum == "direct" else None


def fp16(state: Fp16 | None, bucket: dist.GradBucket) -> Future[Tensor]:
    """The hook. Without a state the sum is a ring of the default group."""
    if state and state.in_order:
        in_order = state.in_order
        return in_order.run(bucket, lambda values: values.copy_(_direct(_narrow(values, in_order.group), in_order.group)))
    group = state.group if state else None
    values = bucket.buffer()
    narrow = _narrow(values, group)
    reduced = dist.all_reduce(narrow, group=group, async_op=True).get_future()
    return reduced.then(lambda done: values.copy_(done.value()[0]))


def _narrow(values: Tensor, group: Group) -> Tensor:
    return values.div(dist.get_world_size(group)).to(torch.float16)


def _direct(narrow: Tensor, group: Group) -> Tensor:
    """Sums float16[n] over all ranks. All ranks' parts have one size: zeros pad the last."""
    missing = -narrow.numel() % dist.get_world_size(group)
    share = reduce_scatter(torch.nn.functional.pad(narrow, (0, missing)), group)
    return all_gather(share, group).flatten()[:narrow.numel()]
