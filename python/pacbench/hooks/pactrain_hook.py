"""PacTrain: the model is pruned, and gradients are kept as sparse as its weights.

Source: PacTrain, arXiv 2505.18563, section III. All ranks hold the same mask, so that what it keeps is a short dense
vector, which an ordinary all-reduce carries. The mask is that of the weights; the paper finds it out from gradients.
"""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.futures import Future

from pacbench.hooks.bucket_mask import Masks
from pacbench.hooks.collectives import Group
from pacbench.hooks.compacted import Carrier, Compacted
from pacbench.hooks.float_carrier import FloatCarrier
from pacbench.hooks.level_carrier import LevelCarrier, levels_of
from pacbench.hooks.pruning import prune


class PacTrain(Compacted):
    """Prunes `ratio` of the model's weights by `score`, or takes the `masks` that `prune` returned before.

    `quantize` says how kept gradients travel: None for float32, "fp16", "ternary", or "k-bit" with k from 2 to 8.
    `scale` and `scale_from` are LevelCarrier's. All ranks give the same `seed`. To be made after
    DistributedDataParallel has given all ranks the same weights, and before the optimizer's first step: momentum of
    a pruned weight would move it.
    """

    def __init__(self, model: nn.Module, ratio: float = 0.5, quantize: str | None = "4-bit", *,
                 score: str = "magnitude", masks: Masks | None = None, scale: str = "max", scale_from: str = "step",
                 seed: int = 0, group: Group = None):
        carrier = _carrier(quantize, len(list(model.parameters())), scale, scale_from)
        self.masks = prune(model, ratio, score, seed=seed) if masks is None else masks
        super().__init__(model, self.masks, carrier, seed, group)


def pactrain(state: PacTrain, bucket: dist.GradBucket) -> Future[Tensor]:
    """The hook."""
    return state.exchange(bucket)


def _carrier(quantize: str | None, parameters: int, scale: str, scale_from: str) -> Carrier:
    if quantize is None:
        return FloatCarrier(torch.float32)
    if quantize == "fp16":
        return FloatCarrier(torch.float16)
    return LevelCarrier(levels_of(quantize), parameters, scale, scale_from)
