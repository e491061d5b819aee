"""Chooses which weights a pruned model keeps.

Sources: Han et al. 2015, arXiv 1506.02626 (magnitude, over the whole model). Random masks are the control of Gale,
Elsen and Hooker 2019, arXiv 1902.09574. GraSP is that of grasp.py. The floors of a layer and the order among equals
are those of trainer/pruning/prune.h.
"""

from collections.abc import Sequence
from math import floor

import torch
from torch import Tensor, nn

from pacbench.hooks.bucket_mask import Masks
from pacbench.hooks.grasp import Batch, grasp_scores
from pacbench.hooks.layout import plain
from pacbench.hooks.philox import Stream, Use

_PRUNED = ((nn.Conv2d, "weight"), (nn.Linear, "weight"), (nn.MultiheadAttention, "in_proj_weight"))


def prune(model: nn.Module, ratio: float, score: str = "magnitude", *, seed: int = 0, normalize: str = "none",
          per_layer: bool = False, batches: Sequence[Batch] = (), temperature: float = 200.0) -> Masks:
    """Zeroes round(ratio * n) of the n weights of convolutions, linear layers and attention, and returns the masks.

    `score` is "magnitude", "random" or "grasp". "random" draws from `seed`. "grasp" divides logits
    by `temperature` and needs `batches` of inputs and labels, the same on all ranks, best with 25
    samples of each class. `normalize` divides a layer's scores by their mean magnitude ("l1") or
    root mean square ("l2"), so that one threshold compares layers relatively. Every layer keeps at
    least one hundredth of its weights, and at least as many weights as one filter has. With
    `per_layer` the ratio holds in each layer where this minimum allows it. Of weights with equal
    scores, the later one is pruned first. A mask has its parameter's shape, is bool and lies on the
    CPU; true: kept. Throws ValueError for an unknown word, for GraSP without batches, and for
    scores that are not finite. Throws it also for a model without such weights, and for a ratio
    that is outside (0, 1) or that the minima of all layers do not allow together.
    """
    names = _prunable(plain(model))
    weights = {number: plain(model).get_parameter(name).detach() for number, name in names.items()}
    floors = {number: _floor(weight) for number, weight in weights.items()}
    _check_ratio(ratio, sum(map(Tensor.numel, weights.values())), sum(floors.values()))
    if score == "grasp":
        _check_batches(batches)
        of_names = grasp_scores(plain(model), list(names.values()), batches, temperature)
        scores = dict(zip(names, of_names))
    else:
        scores = {number: _scores(score, number, weight, seed) for number, weight in weights.items()}
    scores = {number: _normalised(values, normalize) for number, values in scores.items()}
    masks = {number: _keep(values, floors[number], torch.zeros_like(values, dtype=torch.bool))
             for number, values in scores.items()}
    for layers in [[number] for number in scores] if per_layer else [list(scores)]:
        _keep_share(layers, scores, masks, ratio)
    shaped = {number: masks[number].view(weight.shape) for number, weight in weights.items()}
    for number, weight in weights.items():
        weight.data.masked_fill_(~shaped[number].to(weight.device), 0)
    return shaped


def _check_batches(batches: Sequence[Batch]) -> None:
    if not batches:
        raise ValueError("score: found 'grasp' without batches, expected batches=[(inputs, labels)]; give them to "
                         "prune, and give PacTrain the masks that prune returns")


def _prunable(model: nn.Module) -> dict[int, str]:
    """Names by number in the order of `model.parameters()`."""
    names = {f"{name}.{weight}".lstrip(".") for name, module in model.named_modules()
             for kind, weight in _PRUNED if isinstance(module, kind)}
    return {number: name for number, (name, _) in enumerate(model.named_parameters()) if name in names}


def _scores(score: str, number: int, weight: Tensor, seed: int) -> Tensor:
    """One score for each weight, float32[elements] on the CPU. Weights with the largest are kept."""
    if score == "magnitude":
        return weight.abs().to(torch.float32).cpu().flatten()
    if score != "random":
        raise ValueError(f"score: found {score!r}, expected 'magnitude', 'random' or 'grasp'")
    blocks = torch.arange(-(-weight.numel() // 4))
    uniform = Stream(seed, Use.PRUNING).uniform(blocks, torch.full_like(blocks, number))
    return uniform.flatten()[:weight.numel()]


def _normalised(values: Tensor, norm: str) -> Tensor:
    if norm not in ("none", "l1", "l2"):
        raise ValueError(f"normalize: found {norm!r}, expected 'none', 'l1' or 'l2'")
    if norm == "none":
        return values
    exact = values.to(torch.float64)
    size = (exact.abs().mean() if norm == "l1" else exact.square().mean().sqrt()).item()
    return values / size if size > 0 else values


def _keep_share(layers: list[int], scores: dict[int, Tensor], masks: dict[int, Tensor], ratio: float) -> None:
    """Keeps more weights of these layers, those with the largest scores over all of them, until at
    most `ratio` of the weights is left to prune."""
    values, kept = (torch.cat([each[number] for number in layers]) for each in (scores, masks))
    missing = values.numel() - _rounded(ratio * values.numel()) - int(kept.sum())
    _keep(values, max(missing, 0), kept)
    for number, part in zip(layers, kept.split([scores[number].numel() for number in layers])):
        masks[number] = part


def _keep(values: Tensor, count: int, kept: Tensor) -> Tensor:
    """Sets in `kept`, bool[n], the places of the `count` largest values not kept yet; of equal
    values the first. Returns `kept`."""
    if not values.isfinite().all():
        raise ValueError("found scores that are not finite, expected finite numbers; the initial weights may have "
                         "diverged")
    if count:
        candidates = (~kept).nonzero().flatten()
        order = values[candidates].argsort(descending=True, stable=True)
        kept[candidates[order[:count]]] = True
    return kept


def _floor(weight: Tensor) -> int:
    return max(-(-weight.numel() // 100), weight.numel() // weight.shape[0])


def _check_ratio(ratio: float, weights: int, floors: int) -> None:
    if not 0 < ratio < 1:
        raise ValueError(f"ratio: found {ratio}, expected a share of the weights between 0 and 1")
    if not weights:
        raise ValueError("found no Conv2d, Linear or MultiheadAttention in the model, expected at least one "
                         "of these; use another method")
    if weights - _rounded(ratio * weights) < floors:
        raise ValueError(f"ratio: found {ratio}, which removes {_rounded(ratio * weights)} of {weights} weights; but "
                         f"every layer must keep at least 1 % of its weights, and at least as many as one filter has, "
                         f"which is {floors} weights over all layers; "
                         f"expected at most {floor(1e4 * (weights - floors) / weights) / 1e4}")


def _rounded(number: float) -> int:
    return floor(number) + (number - floor(number) >= 0.5)
