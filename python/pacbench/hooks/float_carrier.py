"""Sends kept gradients as floats: as float32, which PacTrain's paper calls masking alone, or as
float16.

Source: PacTrain, arXiv 2505.18563, section III.
"""

from collections.abc import Mapping
from typing import Any

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

    def average(self, values: Tensor, mask: BucketMask, stream: Stream, group: Group, keeps_rest: bool,
                flag: bool | None) -> tuple[Tensor, bool]:
        """Carrier.average."""
        ranks = dist.get_world_size(group)
        with_flag = values if flag is None else torch.cat([values, values.new_tensor([float(flag)])])
        if self._dtype == torch.float32:
            # There is no rest to keep: error feedback is refused with float32.
            mean = all_reduce(with_flag, group).div_(ranks)
        else:
            # Divides before the sum, so that the sum cannot overflow.
            narrow = with_flag.div(ranks).to(self._dtype)
            if keeps_rest:
                values.sub_(narrow[:values.numel()].to(torch.float32).mul_(ranks))
            mean = all_reduce(narrow, group).to(torch.float32)
        return mean[:values.numel()], flag is not None and bool(mean[-1] > 0)

    def finish_iteration(self, group: Group, device: torch.device) -> None:
        """Does nothing: floats need nothing from the last iteration."""

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Nothing was saved."""
