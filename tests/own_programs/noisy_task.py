"""A task that draws random numbers in data and model, and has an optimiser of its own, of which methods know nothing."""

import pacbench
import torch
from torch import nn
from torch.utils.data import Dataset

import noisy_data


class Points(Dataset):
    """Points in two clouds, moved a little at each look."""

    def __init__(self, samples: int, seed: int) -> None:
        self.x, self.y = noisy_data.clouds(samples, seed)

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, place: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.x[place] + 0.1 * torch.randn(8), self.y[place]


class Noisy(pacbench.Task):
    """Two clouds, dropout, batch norm, AdamW with warm-up."""

    clip_norm = 0.5
    bf16: bool = False

    def model(self):
        self.autocast = torch.bfloat16 if self.bf16 else None
        return nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 2))

    def data(self):
        return Points(512, 1), noisy_data.clouds(256, 2)

    def optimizer(self, model, lr):
        own = torch.optim.AdamW(model.parameters(), lr, weight_decay=0.1)
        return own, torch.optim.lr_scheduler.LinearLR(own, 0.1, 1.0, total_iters=5)
