"""A task that reads a DataLoader, and whose ranks share batch norm's statistics."""

import pacbench
from torch import nn
from torch.utils.data import DataLoader

from noisy_task import Points


class Streamed(pacbench.Task):
    buffers = "broadcast"

    def model(self):
        return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))

    def data(self):
        return DataLoader(Points(100, 1), 16, shuffle=True, drop_last=True), DataLoader(Points(64, 2), 16)


class Hanging(pacbench.Averager):
    async def average(self, bucket, group):
        while bucket.step == 3:
            pass
        return (await group.all_reduce(bucket.grad)) / group.size
