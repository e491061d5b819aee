"""Top-k sparsification with error feedback.

Source: Aji and Heafield 2017, arXiv 1704.05021. Each rank sends the k entries of largest magnitude of a bucket to
all others, as their float32 values and a code of their places. Biased: with error feedback, the default, what is
left out is added to the parameter's next gradient.
"""

from collections.abc import Mapping
from math import floor
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.futures import Future

from pacbench.hooks.collectives import Group, all_gather
from pacbench.hooks.in_order import InOrder
from pacbench.hooks.index_code import IndexCode
from pacbench.hooks.layout import Layouts, require_keys
from pacbench.hooks.residuals import Residuals


class TopK:
    """Keeps `ratio`, in (0, 1], of each bucket's entries: the nearest whole number, at least one."""

    def __init__(self, model: nn.Module, ratio: float, error_feedback: bool = True, group: Group = None):
        if not 0 < ratio <= 1:
            raise ValueError(f"ratio: found {ratio}, expected a share of the entries in (0, 1]")
        self._layouts = Layouts(model)
        self._ratio = ratio
        self._residuals = Residuals() if error_feedback else None
        self._in_order = InOrder(group)

    def exchange(self, bucket: dist.GradBucket) -> Future[Tensor]:
        """The future of the mean of what all ranks kept."""
        slices, index = self._layouts.of(bucket), bucket.index()

        def average(values: Tensor) -> Tensor:
            own = self._residuals.added_to(values, index, slices) if self._residuals else values
            places = largest(own, kept_of(self._ratio, own.numel()))
            mean = self._mean(own.index_select(0, places), places, values)
            if self._residuals:
                self._residuals.keep(own.index_fill_(0, places, 0), mean, index, slices)
            return mean

        return self._in_order.run(bucket, average)

    def state_dict(self) -> dict[str, Any]:
        """The residuals, for a checkpoint of this rank. Call it between iterations, and on each
        rank, since residuals differ between ranks."""
        return {"residuals": self._residuals.state_dict()} if self._residuals else {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on from a saved state. Throws ValueError for a tensor of a name or a size that the
        model does not have, and where only one of the state and this hook has error feedback."""
        require_keys(state, set(self.state_dict()))
        if self._residuals:
            self._layouts.require(state["residuals"])
            self._residuals.load_state_dict(state["residuals"])

    def _mean(self, sent: Tensor, places: Tensor, out: Tensor) -> Tensor:
        """One all-gather of words of 32 bits: values first, and behind them their places."""
        kept, code = sent.numel(), IndexCode(out.numel(), sent.numel())
        coded = torch.nn.functional.pad(code.encode(places), (0, -code.bytes % 4))
        gathered = all_gather(torch.cat([sent.view(torch.int32), coded.view(torch.int32)]), self._in_order.group)
        out.zero_()
        for words in gathered:
            theirs = code.decode(words[kept:].view(torch.uint8)[:code.bytes])
            out.index_add_(0, theirs, words[:kept].view(torch.float32))
        return out.div_(gathered.shape[0])


def topk(state: TopK, bucket: dist.GradBucket) -> Future[Tensor]:
    """The hook."""
    return state.exchange(bucket)


def kept_of(ratio: float, elements: int) -> int:
    """The nearest whole number to a share of the elements, halves upwards, and at least one."""
    exact = ratio * elements
    return min(max(floor(exact) + (exact - floor(exact) >= 0.5), 1), elements)


def largest(values: Tensor, count: int) -> Tensor:
    """The places of the `count` largest magnitudes of float32[n], ascending; of equal ones the first."""
    # Floats of one sign are ordered as their bits are. NaN counts as larger than all others.
    magnitudes = values.view(torch.int32) & 0x7FFFFFFF
    least = magnitudes.topk(count, sorted=False).values.min()
    above = (magnitudes > least).nonzero().flatten()
    equal = (magnitudes == least).nonzero().flatten()
    return torch.cat([above, equal[:count - above.numel()]]).sort().values
