"""Gradients as floats: what PacTrain's paper calls masking alone, and the same in half precision.

Source: PacTrain, arXiv 2505.18563, section III.
"""

import torch
import torch.distributed as dist
from torch import Tensor

from pacbench.hooks.bucket_mask import BucketMask
from pacbench.hooks.collectives import Group, all_reduce
from pacbench.hooks.philox import Stream


class FloatCarrier:
    """Averages what a mask keeps of a bucket by one all-reduce of `dtype`, float32 or float16."""

    def __init__(self, dtype: torch.dtype):
        self._dtype = dtype

    def average(self, values: Tensor, mask: BucketMask, stream: Stream, group: Group) -> Tensor:
        """float32[kept] of this rank to the mean over all ranks."""
        ranks = dist.get_world_size(group)
        if self._dtype == torch.float32:
            return all_reduce(values, group).div_(ranks)
        # Divided before the sum, so that it cannot overflow.
        return all_reduce(values.div_(ranks).to(self._dtype), group).to(torch.float32)

    def finish_iteration(self, group: Group) -> None:
        """Floats need nothing of the last iteration."""
