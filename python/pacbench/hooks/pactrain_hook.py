"""PacTrain: the model is pruned, and gradients are kept as sparse as its weights.

Source: PacTrain, arXiv 2505.18563, section III. All ranks hold the same mask, so that what it keeps is a short dense
vector, which an ordinary all-reduce carries. The mask is that of the weights, or found out from gradients as in the
paper.
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
    """Prunes `ratio` of the model's prunable weights by `score`, or takes the `masks` that `prune` returned before.

    `quantize` says how kept gradients travel: None for float32, "fp16", "ternary", or "k-bit" with
    k from 2 to 8. `scale` and `scale_from` are LevelCarrier's. With `error_feedback`, what rounding
    to digits or float16 changed is added to the next gradient. `mask_source` is "weights" or
    "tracker", which finds masks out from gradients and takes one that was the same `stable_after`
    times in a row. All ranks give the same `seed`. Make the state after DistributedDataParallel has
    given all ranks the same weights, and before the optimizer's first step: the momentum of a
    pruned weight would move that weight. Throws ValueError for an unknown word, for error feedback
    with float32, which leaves nothing out, and where `prune` does. It gives `prune` no batches, so
    that "grasp" is refused.
    """

    def __init__(self, model: nn.Module, ratio: float = 0.5, quantize: str | None = "4-bit", *,
                 score: str = "magnitude", masks: Masks | None = None, scale: str = "max", scale_from: str = "step",
                 error_feedback: bool = False, mask_source: str = "weights", stable_after: int = 3, seed: int = 0,
                 group: Group = None):
        carrier = _carrier(quantize, len(list(model.parameters())), scale, scale_from)
        if error_feedback and quantize is None:
            raise ValueError("error_feedback: found True with float32, which leaves nothing out; expected False or "
                             "another quantize")
        if mask_source not in ("weights", "tracker"):
            raise ValueError(f"mask_source: found {mask_source!r}, expected 'weights' or 'tracker'")
        masks = prune(model, ratio, score, seed=seed) if masks is None else masks
        super().__init__(model, masks, carrier, seed, group, error_feedback,
                         stable_after if mask_source == "tracker" else None)


def pactrain(state: PacTrain, bucket: dist.GradBucket) -> Future[Tensor]:
    """The hook."""
    return state.exchange(bucket)


def _carrier(quantize: str | None, parameters: int, scale: str, scale_from: str) -> Carrier:
    if quantize is None:
        return FloatCarrier(torch.float32)
    if quantize == "fp16":
        return FloatCarrier(torch.float16)
    return LevelCarrier(levels_of(quantize, "None, 'fp16', "), parameters, scale, scale_from)
