"""A training loop of PyTorch's DistributedDataParallel that does not use the package pacbench.

Its seed is PACBENCH_SEED where that is set, else 1.

It runs under torchrun as well: torchrun --nproc-per-node 4 stock_ddp.py --epochs 2
"""

import argparse
import os
import random
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

DIGITS = Path(__file__).resolve().parents[1] / "data" / "digits.csv"


def digits() -> tuple[TensorDataset, TensorDataset]:
    """Every second image is for testing."""
    table = [[float(number) for number in line.split(",")] for line in DIGITS.read_text().split()]
    pixels, labels = torch.tensor(table).split([64, 1], dim=1)
    pixels, labels = pixels / 8 - 1, labels.long().squeeze(1)
    return TensorDataset(pixels[0::2], labels[0::2]), TensorDataset(pixels[1::2], labels[1::2])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--width", type=int, default=512)
    arguments = parser.parse_args()
    seed = int(os.environ.get("PACBENCH_SEED", "1"))
    random.seed(seed)
    torch.manual_seed(seed)
    dist.init_process_group("gloo")
    train, test = digits()
    sampler = DistributedSampler(train, seed=seed)
    loader = DataLoader(train, batch_size=32, sampler=sampler)
    width = arguments.width
    model = DistributedDataParallel(
        torch.nn.Sequential(
            torch.nn.Linear(64, width),
            torch.nn.ReLU(),
            torch.nn.Linear(width, width),
            torch.nn.ReLU(),
            torch.nn.Linear(width, 10),
        )
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(arguments.epochs):
        sampler.set_epoch(epoch)
        for images, labels in loader:
            optimizer.zero_grad()
            cross_entropy(model(images), labels).backward()
            optimizer.step()
    if dist.get_rank() == 0:
        images, labels = test.tensors
        right = (model.module(images).argmax(1) == labels).float().mean().item()
        print(f"accuracy {right:.3f} after {arguments.epochs} epochs")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
