"""Sends gradients as whole numbers of levels. All ranks share the scale, so integers are summed.

Sources: Wen et al. 2017 (TernGrad), arXiv 1705.07878, sections 3 and 4: ternary digits of one scale a layer, the
largest over all ranks, clipped at 2.5 standard deviations. Alistarh et al. 2017 (QSGD), arXiv 1610.02132, section
3.1: more levels. Rounding is stochastic and unbiased; clipping and a scale of the last iteration are not.
"""

from collections.abc import Mapping
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from pacbench.hooks.bucket_mask import BucketMask
from pacbench.hooks.collectives import Group, all_reduce
from pacbench.hooks.lanes import sum_digits
from pacbench.hooks.moments import deviation
from pacbench.hooks.philox import Stream

_CLIP_DEVIATIONS = 2.5


class LevelCarrier:
    """Averages what a mask keeps of a bucket as digits in [-levels, levels], packed into lanes.

    `scale` is "max", a layer's largest magnitude, or "clip", the smaller of that and 2.5 standard
    deviations around zero. With `scale_from` "step", ranks share the scales of this iteration, by
    one more all-reduce a bucket. With "last" they use the scales of the last iteration, shared
    by one all-reduce for all buckets. If one of a bucket's last scales is zero, as in the first
    iteration, the bucket shares new ones as with "step". `parameters` is how many parameters the
    model has.
    """

    def __init__(self, levels: int, parameters: int, scale: str = "max", scale_from: str = "step"):
        if scale not in ("max", "clip"):
            raise ValueError(f"scale: found {scale!r}, expected 'max' or 'clip'")
        if scale_from not in ("step", "last"):
            raise ValueError(f"scale_from: found {scale_from!r}, expected 'step' or 'last'")
        self._levels = levels
        self._clips = scale == "clip"
        self._ahead = scale_from == "last"
        self._next = torch.zeros(parameters)
        self._shared = torch.zeros(parameters)

    def average(self, values: Tensor, mask: BucketMask, stream: Stream, group: Group, keeps_rest: bool,
                flag: bool | None) -> tuple[Tensor, bool]:
        """Carrier.average. Throws FloatingPointError, naming the parameter, for values that are not finite."""
        scales = self._scales(values, mask, group)
        digits = self._digits(values, scales, mask, stream)
        if keeps_rest:
            values.sub_(self._as_floats(digits, scales, mask, 1))
        if flag is not None:
            digits = torch.cat([digits, digits.new_tensor([int(flag)])])
        sums = sum_digits(digits, self._levels, group)
        mean = self._as_floats(sums[:values.numel()], scales, mask, dist.get_world_size(group))
        return mean, flag is not None and bool(sums[-1] > 0)

    def finish_iteration(self, group: Group, device: torch.device) -> None:
        """With `scale_from` "last", shares this iteration's scales for the next one."""
        if self._ahead:
            self._shared = all_reduce(self._next.to(device), group, dist.ReduceOp.MAX)
            self._next = torch.zeros_like(self._shared)

    def state_dict(self) -> dict[str, Any]:
        return {"scales": self._shared.clone()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._shared = state["scales"].clone()

    def _as_floats(self, sums: Tensor, scales: Tensor, mask: BucketMask, ranks: int) -> Tensor:
        """Turns sums of `ranks` ranks' digits, int64[kept], into their mean, float32[kept]."""
        # Divides by a tensor: by a plain number, a GPU gets other last bits.
        share = torch.full_like(scales, self._levels * ranks)
        return sums.to(torch.float32).mul_(mask.spread(scales / share))

    def _digits(self, values: Tensor, scales: Tensor, mask: BucketMask, stream: Stream) -> Tensor:
        """Rounds float32[kept] to int64[kept] in [-levels, levels], by a scale for each parameter.

        x = |v| * levels / scale goes up from floor(x) with probability x - floor(x): when the element's uniform
        number is below it.
        """
        per_unit = torch.where(scales > 0, torch.full_like(scales, self._levels) / scales, 0)
        scaled = (values.abs() * mask.spread(per_unit)).nan_to_num_(0).clamp_(0, self._levels)
        whole = scaled.floor()
        level = (whole + (mask.uniform(stream) < scaled - whole)).to(torch.int64)
        return torch.where(values < 0, -level, level)

    def _scales(self, values: Tensor, mask: BucketMask, group: Group) -> Tensor:
        """float32[parameters of the bucket], the same on all ranks."""
        own = self._own_scales(values, mask, group)
        if not self._ahead:
            return all_reduce(own, group, dist.ReduceOp.MAX)
        numbers = torch.tensor([part.parameter for part in mask.slices], device=values.device)
        self._next = self._next.to(values.device).index_copy_(0, numbers, own)
        last = self._shared.to(values.device)[numbers]
        known = all(scale > 0 for scale, kept in zip(last.tolist(), mask.counts) if kept)
        return last if known else all_reduce(own, group, dist.ReduceOp.MAX)

    def _own_scales(self, values: Tensor, mask: BucketMask, group: Group) -> Tensor:
        largest = torch.stack([part.abs().max() if part.numel() else part.new_zeros(())
                               for part in mask.parts(values)])
        for scale, part in zip(largest.tolist(), mask.slices):
            if not scale < float("inf"):
                raise FloatingPointError(f"rank {dist.get_rank(group)}: the gradient of {part.name} is not finite "
                                         f"(largest magnitude {scale}), so it cannot be encoded; training may have "
                                         "diverged: try a smaller learning rate. A loss scaler, which lets gradients "
                                         "overflow, needs a hook of floats")
        if not self._clips:
            return largest
        whole = mask.scatter(values, values.new_empty(mask.elements))
        layers = whole.split([part.elements for part in mask.slices])
        return torch.stack([scale if possible < 2 else _clipped(scale, layer, possible)
                            for scale, layer, possible in zip(largest, layers, mask.possible)])


def _clipped(scale: Tensor, layer: Tensor, possible: int) -> Tensor:
    return scale.minimum((_CLIP_DEVIATIONS * deviation(layer, possible)).to(torch.float32))


def levels_of(quantize: str, others: str = "") -> int:
    """1 for "ternary", 2**(k-1) - 1 for "k-bit". Throws ValueError for another word.

    The message lists these words after `others`, which the caller takes too.
    """
    if quantize == "ternary":
        return 1
    if quantize in {f"{bits}-bit" for bits in range(2, 9)}:
        return (1 << int(quantize[0]) - 1) - 1
    raise ValueError(f"quantize: found {quantize!r}, expected {others}'ternary' or '2-bit' to '8-bit'")
