"""A CNN with batch norm and augmentation on handwritten digits, as a task of one's own."""

from pathlib import Path

import pacbench
import torch
from torch import nn
from torch.utils.data import Dataset

DATA = Path(__file__).parents[1] / "data/digits.csv"


class Shifted(Dataset):
    """Images that are moved by up to a pixel at each look."""

    def __init__(self, images, labels):
        self.images, self.labels = nn.functional.pad(images, (1, 1, 1, 1)), labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, place):
        down, right = torch.randint(3, (2,))
        return self.images[place, :, down:down + 8, right:right + 8], self.labels[place]


class CNN(pacbench.Task):
    """Three convolutions with batch norm, whose running statistics stay each rank's own."""

    channels: int = pacbench.option(32, low=1)

    def model(self):
        layers = []
        for before, after in ((1, self.channels), (self.channels, self.channels), (self.channels, self.channels)):
            layers += [nn.Conv2d(before, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU()]
        return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(self.channels, 10))

    def data(self):
        table = torch.tensor([[int(number) for number in line.split(",")] for line in DATA.read_text().splitlines()])
        images, labels = (table[:, :64] / 16).view(-1, 1, 8, 8), table[:, 64]
        return Shifted(images[::2], labels[::2]), (images[1::2], labels[1::2])
