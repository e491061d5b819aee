"""hooks.prune makes the same masks as the pruning in C++."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from pacbench import hooks
from ranks import PROGRAMS
from torch import nn

LAYERS = [(16, 3, 3, 3), (32, 16, 3, 3), (32, 32, 1, 1), (40, 32), (10, 40)]
SAMPLES = 150  # GraSP cuts them into three slices


class Mean(nn.Module):
    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return values.mean((2, 3))


def model() -> nn.Module:
    """Weights are multiples of a step, so that many are equal; the step differs between layers."""
    generator = torch.Generator().manual_seed(5)
    parts: list[nn.Module] = []
    for outputs, inputs, *kernel in LAYERS:
        layer = nn.Conv2d(inputs, outputs, kernel, bias=False) if kernel else nn.Linear(inputs, outputs, bias=False)
        parts += [layer, nn.ReLU()]
    layers = nn.Sequential(*parts[:6], Mean(), *parts[6:-1])
    with torch.no_grad():
        for number, weight in enumerate(layers.parameters(), 1):
            weight.copy_(torch.randn(weight.shape, generator=generator).mul(20).round().div(10 * number))
    return layers


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(6)
    return torch.randn(SAMPLES, 3, 8, 8, generator=generator), torch.arange(SAMPLES) % 10


def in_cpp(folder: Path, **options) -> list[bool]:
    torch.cat([weight.detach().flatten() for weight in model().parameters()]).numpy().tofile(folder / "weights")
    inputs, labels = batch()
    inputs.numpy().tofile(folder / "inputs")
    labels.numpy().tofile(folder / "labels")
    request = {"layers": LAYERS, "samples": SAMPLES, **options,
               **{name: str(folder / name) for name in ("weights", "inputs", "labels", "masks")}}
    (folder / "request.json").write_text(json.dumps(request))
    subprocess.run([PROGRAMS / "pacbench-masks-of-weights", folder / "request.json"], check=True,
                   env=os.environ | {"OMP_NUM_THREADS": "1"})
    return np.fromfile(folder / "masks", np.uint8).astype(bool).tolist()


@pytest.mark.parametrize("score", ["magnitude", "random", "grasp"])
@pytest.mark.parametrize("normalize", ["none", "l1", "l2"])
@pytest.mark.parametrize("per_layer", [False, True])
@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.93])
def test_masks_are_those_of_cpp(score: str, normalize: str, per_layer: bool, ratio: float, tmp_path: Path) -> None:
    options = {"score": score, "normalize": normalize, "per_layer": per_layer, "seed": 12345678901}
    expected = in_cpp(tmp_path, ratio=ratio, **options)
    pruned = model()
    masks = hooks.prune(pruned, ratio, **options, batches=[batch()])
    assert torch.cat([masks[number].flatten() for number in range(len(LAYERS))]).tolist() == expected
    assert True in expected and False in expected
    for number, (weight, before) in enumerate(zip(pruned.parameters(), model().parameters())):
        assert torch.equal(weight, before * masks[number]), "pruned weights are zero, and others are as they were"


def test_biases_norms_and_embeddings_are_not_pruned() -> None:
    layers = nn.Sequential(nn.Embedding(5, 8), nn.Linear(8, 8), nn.LayerNorm(8), nn.MultiheadAttention(8, 2))
    names = [name for name, _ in layers.named_parameters()]
    assert [names[number] for number in hooks.prune(layers, 0.5)] == [
        "1.weight", "3.in_proj_weight", "3.out_proj.weight"]


def test_grasp_averages_over_batches() -> None:
    one, other = batch(), (batch()[0].flip(0), batch()[1])
    of_one, of_other, of_both = (hooks.prune(model(), 0.5, "grasp", batches=batches)
                                 for batches in ([one], [other], [one, other]))
    assert any(not torch.equal(of_one[number], of_other[number]) for number in of_one)
    apart = [sum(int((mask != of_both[number]).sum()) for number, mask in masks.items())
             for masks in (of_one, of_other)]
    assert all(0 < each < sum(map(torch.Tensor.numel, of_both.values())) / 4 for each in apart)


def test_grasp_leaves_running_statistics_modes_and_gradients_as_they_were() -> None:
    layers = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), Mean(), nn.Linear(8, 10))
    layers.eval()
    layers[1].train()
    before = {name: value.clone() for name, value in layers.state_dict().items()}
    masks = hooks.prune(layers, 0.5, "grasp", batches=[batch()])
    assert [module.training for module in layers] == [False, True, False, False, False]
    assert all(parameter.grad is None for parameter in layers.parameters())
    for number, (name, value) in enumerate(layers.named_parameters()):
        assert torch.equal(value, before[name] * masks.get(number, 1))
    assert all(torch.equal(value, before[name]) for name, value in layers.named_buffers())


def test_grasp_scores_a_transformer_whose_labels_follow_each_token() -> None:
    class Reader(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(11, 8)
            self.block = nn.TransformerEncoderLayer(8, 2, 16, dropout=0, batch_first=True)
            self.head = nn.Linear(8, 11)

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            return self.head(self.block(self.embedding(tokens)))

    torch.manual_seed(1)
    reader, tokens = Reader(), torch.arange(70 * 6).view(70, 6) % 11
    masks = hooks.prune(reader, 0.5, "grasp", batches=[(tokens, (tokens + 1) % 11)])
    names = [name for name, _ in reader.named_parameters()]
    assert "block.self_attn.in_proj_weight" in {names[number] for number in masks}
    assert 0 < sum(int(mask.sum()) for mask in masks.values()) < sum(map(torch.Tensor.numel, masks.values()))
