"""TernGrad: each rank's gradient as ternary digits. All ranks share one scale for each layer.

Source: Wen et al. 2017, arXiv 1705.07878, sections 3 and 4. Unbiased but for clipping and for scales of the last
iteration. The paper has no error feedback.
"""

import torch.distributed as dist
from torch import Tensor, nn
from torch.futures import Future

from pacbench.hooks.collectives import Group
from pacbench.hooks.compacted import Compacted
from pacbench.hooks.level_carrier import LevelCarrier, levels_of


class TernGrad(Compacted):
    """`quantize` is "ternary" or "k-bit" with k from 2 to 8, which has 2**(k-1) - 1 levels of each sign. `scale`
    and `scale_from` are LevelCarrier's. With `error_feedback` what rounding changed is added to the next gradient.
    All ranks give the same `seed`, which the random numbers are made of."""

    def __init__(self, model: nn.Module, quantize: str = "ternary", *, scale: str = "max", scale_from: str = "step",
                 error_feedback: bool = False, seed: int = 0, group: Group = None):
        carrier = LevelCarrier(levels_of(quantize), len(list(model.parameters())), scale, scale_from)
        super().__init__(model, {}, carrier, seed, group, error_feedback)


def terngrad(state: TernGrad, bucket: dist.GradBucket) -> Future[Tensor]:
    """The hook."""
    return state.exchange(bucket)
