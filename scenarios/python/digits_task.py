"""Handwritten digits, as a task of one's own."""

from pathlib import Path

import pacbench
import torch
from torch import nn

PIXELS = 64
DATA = Path(__file__).parents[1] / "data/digits.csv"


class Digits(pacbench.Task):
    """An MLP on 8x8 digits; every second image is for testing."""

    hidden: int = pacbench.option(512, low=1, help="width of the two hidden layers")

    def model(self):
        return nn.Sequential(nn.Linear(PIXELS, self.hidden), nn.ReLU(), nn.Linear(self.hidden, self.hidden), nn.ReLU(),
                             nn.Linear(self.hidden, 10))

    def data(self):
        table = torch.tensor([[int(number) for number in line.split(",")] for line in DATA.read_text().splitlines()])
        pixels, labels = table[:, :PIXELS] / 16, table[:, PIXELS]
        pixels = (pixels - pixels[::2].mean()) / pixels[::2].std()
        return (pixels[::2], labels[::2]), (pixels[1::2], labels[1::2])
