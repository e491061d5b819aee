"""Buckets with given gradients, as hooks get them from DistributedDataParallel."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

SHAPES = [(33, 20), (33,), (10, 33), (10,), (90, 70), (7,)]
"""The shapes of the model's parameters. The last matrix is longer than a chunk of moments; the
others fill no whole words."""
BUCKETS = [[5, 4, 3], [2, 1, 0]]
"""The parameters of each bucket, by number."""


def model() -> nn.Module:
    """A model with these parameters, whose matrices are of linear layers."""
    layers = nn.Sequential(nn.Linear(20, 33), nn.Linear(33, 10), nn.Linear(70, 90, bias=False),
                           nn.LayerNorm(7, bias=False))
    assert [tuple(each.shape) for each in layers.parameters()] == SHAPES
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in layers.parameters():
            parameter.normal_(generator=generator)
    return layers


@dataclass
class Bucket:
    """Stands in for a GradBucket, with the functions that a hook calls."""

    number: int
    own_parameters: list[Tensor]
    values: Tensor

    def index(self) -> int:
        return self.number

    def is_last(self) -> bool:
        return self.number == len(BUCKETS) - 1

    def buffer(self) -> Tensor:
        return self.values

    def parameters(self) -> list[Tensor]:
        return self.own_parameters

    def gradients(self) -> list[Tensor]:
        parts = self.values.split([each.numel() for each in self.own_parameters])
        return [part.view(each.shape) for part, each in zip(parts, self.own_parameters)]


def buckets_of(layers: nn.Module, values: Tensor) -> list[Bucket]:
    """float32[elements of all buckets] as the buckets of one iteration."""
    parameters = list(layers.parameters())
    members = [[parameters[number] for number in numbers] for numbers in BUCKETS]
    parts = values.split([sum(each.numel() for each in bucket) for bucket in members])
    return [Bucket(at, bucket, part.clone()) for at, (bucket, part) in enumerate(zip(members, parts))]


def gradients(ranks: int, iterations: int) -> Tensor:
    """float32[iterations, ranks, elements]: the magnitude differs from parameter to parameter, and
    there are zeros and equal entries."""
    generator = torch.Generator().manual_seed(11)
    sizes = torch.cat([torch.full((torch.Size(SHAPES[number]).numel(),), 10.0 ** (number - 3))
                       for bucket in BUCKETS for number in bucket])
    values = torch.randn(iterations, ranks, sizes.numel(), generator=generator) * sizes
    values[..., ::5] = 0
    values[..., 1::50] = values[..., 3::50][..., :values[..., 1::50].shape[-1]]
    return values
