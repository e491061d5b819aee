"""hooks.prune makes the masks of the pruning in C++."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from pacbench import hooks
from ranks import PROGRAMS
from torch import nn

LAYERS = [(16, 3, 3, 3), (32, 16, 3, 3), (32, 16, 1, 1), (40, 32), (10, 40)]


def model() -> nn.Module:
    """Weights in whole steps, so that many are equal, and of another size in each layer."""
    generator = torch.Generator().manual_seed(5)
    layers = nn.Sequential(*(nn.Linear(shape[1], shape[0], bias=False) if len(shape) == 2
                             else nn.Conv2d(shape[1], shape[0], shape[2:], bias=False) for shape in LAYERS))
    with torch.no_grad():
        for number, weight in enumerate(layers.parameters(), 1):
            weight.copy_(torch.randn(weight.shape, generator=generator).mul(20).round().div(10 * number))
    return layers


def in_cpp(folder: Path, **options) -> list[bool]:
    torch.cat([weight.detach().flatten() for weight in model().parameters()]).numpy().tofile(folder / "weights")
    request = {"layers": LAYERS, "weights": str(folder / "weights"), "masks": str(folder / "masks"), **options}
    (folder / "request.json").write_text(json.dumps(request))
    subprocess.run([PROGRAMS / "pacbench-masks-of-weights", folder / "request.json"], check=True)
    return np.fromfile(folder / "masks", np.uint8).astype(bool).tolist()


@pytest.mark.parametrize("score", ["magnitude", "random"])
@pytest.mark.parametrize("normalize", ["none", "l1", "l2"])
@pytest.mark.parametrize("per_layer", [False, True])
@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.93])
def test_masks_are_those_of_cpp(score: str, normalize: str, per_layer: bool, ratio: float, tmp_path: Path) -> None:
    options = {"score": score, "normalize": normalize, "per_layer": per_layer, "seed": 12345678901}
    expected = in_cpp(tmp_path, ratio=ratio, **options)
    masks = hooks.prune(model(), ratio, **options)
    assert torch.cat([masks[number].flatten() for number in range(len(LAYERS))]).tolist() == expected
    assert True in expected and False in expected


def test_pruned_weights_are_zero_and_others_are_as_they_were() -> None:
    pruned, whole = model(), model()
    masks = hooks.prune(pruned, 0.5)
    for number, (weight, before) in enumerate(zip(pruned.parameters(), whole.parameters())):
        assert torch.equal(weight, before * masks[number])


def test_biases_norms_and_embeddings_are_not_pruned() -> None:
    layers = nn.Sequential(nn.Embedding(5, 8), nn.Linear(8, 8), nn.LayerNorm(8), nn.MultiheadAttention(8, 2))
    names = [name for name, _ in layers.named_parameters()]
    assert [names[number] for number in hooks.prune(layers, 0.5)] == [
        "1.weight", "3.in_proj_weight", "3.out_proj.weight"]
