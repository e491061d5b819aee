"""The training of a case on both sides: network, initial weights, batches and optimiser."""
import sys
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

import torch
from torch import nn

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path += [str(ROOT / "tests/reference"), str(HERE.parent / "learning")]

from formula import value  # noqa: E402
from plain_training import CLASSES, SIDE_SQUARED, Digits, permutation, philox  # noqa: E402, F401

SEED = 7
DIGITS = Digits.read(ROOT / "scenarios/data/digits.csv")


@dataclass
class Case:
    name: str
    method: dict  # as an entry of a scenario names it
    workers: int = 4
    hidden: tuple = (40, 24)
    batch: int = 16
    iterations: int = 30
    lr: float = 0.02
    momentum: float = 0.9
    milestones: tuple = field(default=())  # iterations after which the rate is a tenth

    @cached_property
    def order(self) -> list[int]:
        """The rows of the training set in the order in which they are taken."""
        wanted, samples = self.iterations * self.workers * self.batch, len(DIGITS.train)
        return [row for epoch in range(-(-wanted // samples))
                for row in permutation(SEED, epoch, samples)]

    def samples(self, rank: int, iteration: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The images and labels of a rank in an iteration (from 1)."""
        first = ((iteration - 1) * self.workers + rank) * self.batch
        rows = self.order[first:first + self.batch]
        return torch.from_numpy(DIGITS.train[rows]).float(), torch.from_numpy(DIGITS.train_labels[rows])

    def lr_of(self, iteration: int) -> float:
        return self.lr * 0.1 ** sum(passed < iteration for passed in self.milestones)

    def model(self) -> nn.Module:
        model = Mlp([SIDE_SQUARED, *self.hidden, CLASSES])
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                parameter.copy_(value(name, tuple(parameter.shape)))
        return model

    def sgd(self, model: nn.Module, **options) -> torch.optim.Optimizer:
        return torch.optim.SGD(model.parameters(), lr=self.lr, **({"momentum": self.momentum} | options))

    def recorded(self, losses: list[list[float]], model: nn.Module) -> dict:
        """Losses by iteration and rank, and each parameter's sum, norm, and first, middle and last
        element."""
        weights = {}
        for name, parameter in model.named_parameters():
            flat = parameter.detach().double().flatten()
            picked = (flat.sum(), flat.norm(), flat[0], flat[flat.numel() // 2], flat[-1])
            weights[name] = [float(f"{number:.8g}") for number in picked]
        return asdict(self) | {"losses": [[float(f"{loss:.8g}") for loss in each] for each in losses],
                               "weights": weights}


class Mlp(nn.Module):
    def __init__(self, widths: list[int]):
        super().__init__()
        for number, (inputs, outputs) in enumerate(zip(widths, widths[1:]), 1):
            self.add_module(f"fc{number}", nn.Linear(inputs, outputs))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        *hidden, last = self.children()
        for layer in hidden:
            images = torch.relu(layer(images))
        return last(images)


def loss_of(model: nn.Module, case: Case, rank: int, iteration: int) -> torch.Tensor:
    images, labels = case.samples(rank, iteration)
    return nn.functional.cross_entropy(model(images), labels)
