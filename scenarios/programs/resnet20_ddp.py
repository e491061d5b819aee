"""ResNet-20 by PyTorch's DistributedDataParallel, with hooks of PyTorch's own or of pacbench.hooks.

It tells pacbench of its steps and its accuracy. The images are handwritten digits, which come with
pacbench, enlarged to CIFAR-10's size.
"""

import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import (
    PostLocalSGDState,
    post_localSGD_hook,
)
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.distributed.optim import PostLocalSGDOptimizer
from torch.nn.functional import cross_entropy, interpolate
from torch.nn.parallel import DistributedDataParallel

import pacbench
from pacbench import hooks

DIGITS = Path(__file__).resolve().parents[1] / "data" / "digits.csv"
HOOKS = ("none", "fp16", "powersgd", "post-local-sgd", "topk", "terngrad", "pactrain")


class Block(nn.Module):
    """Two convolutions and the shortcut around them, which pads new channels with zeros."""

    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.stride, self.padding = stride, outputs - inputs

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        shortcut = images[:, :, :: self.stride, :: self.stride]
        shortcut = nn.functional.pad(shortcut, (0, 0, 0, 0, 0, self.padding))
        return torch.relu(self.body(images) + shortcut)


def resnet20() -> nn.Module:
    """He et al., Deep Residual Learning, section 4.2: three stages of three blocks."""
    layers: list[nn.Module] = [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()]
    inputs = 16
    for outputs in (16, 32, 64):
        for place in range(3):
            layers.append(Block(inputs, outputs, 2 if place == 0 and outputs > 16 else 1))
            inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


def digits() -> tuple[torch.Tensor, torch.Tensor]:
    """The handwritten digits as colour images of 32 × 32 pixels, as ResNet-20 takes them."""
    table = [[float(number) for number in line.split(",")] for line in DIGITS.read_text().split()]
    pixels, labels = torch.tensor(table).split([64, 1], dim=1)
    images = interpolate((pixels / 8 - 1).view(-1, 1, 8, 8), scale_factor=4)
    return images.expand(-1, 3, -1, -1).contiguous(), labels.long().squeeze(1)


def register(model: DistributedDataParallel, hook: str, seed: int, local_after: int) -> None:
    if hook == "fp16":
        model.register_comm_hook(None, default_hooks.fp16_compress_hook)
    elif hook == "powersgd":
        state = powerSGD_hook.PowerSGDState(
            process_group=None, matrix_approximation_rank=2, start_powerSGD_iter=2
        )
        model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    elif hook == "post-local-sgd":
        subgroup, _ = dist.new_subgroups(group_size=1)
        local = PostLocalSGDState(process_group=None, subgroup=subgroup, start_localSGD_iter=local_after)
        model.register_comm_hook(local, post_localSGD_hook)
    elif hook == "topk":
        model.register_comm_hook(hooks.TopK(model, ratio=0.1), hooks.topk)
    elif hook == "terngrad":
        model.register_comm_hook(hooks.TernGrad(model, "4-bit", seed=seed), hooks.terngrad)
    elif hook == "pactrain":
        model.register_comm_hook(hooks.PacTrain(model, ratio=0.5, seed=seed), hooks.pactrain)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hook", choices=HOOKS, default="none")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--evaluate-every", type=int, default=20)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--bucket-mb", type=float, default=25)
    arguments = parser.parse_args()
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    seed = int(os.environ.get("PACBENCH_SEED", "1"))
    torch.manual_seed(seed)
    images, labels = digits()
    train, test = slice(0, None, 2), slice(1, None, 8)
    model = DistributedDataParallel(resnet20(), bucket_cap_mb=arguments.bucket_mb)
    local_after = arguments.steps // 3
    register(model, arguments.hook, seed, local_after)
    optimizer: torch.optim.Optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    if arguments.hook == "post-local-sgd":
        averager = PeriodicModelAverager(period=4, warmup_steps=local_after)
        optimizer = PostLocalSGDOptimizer(optim=optimizer, averager=averager)
    own = torch.arange(len(images[train]))[rank::ranks]
    order = torch.Generator().manual_seed(seed * ranks + rank)
    pacbench.begin()
    for step in range(1, arguments.steps + 1):
        batch = own[torch.randint(len(own), (arguments.batch,), generator=order)]
        optimizer.zero_grad()
        cross_entropy(model(images[train][batch]), labels[train][batch]).backward()
        optimizer.step()
        pacbench.step()
        if step % arguments.evaluate_every == 0:
            with pacbench.clock_paused(), torch.no_grad():
                model.eval()
                outputs = model.module(images[test])
                model.train()
                accuracy = (outputs.argmax(1) == labels[test]).float().mean().item()
                loss = cross_entropy(outputs, labels[test]).item()
                pacbench.evaluation(accuracy, loss)
    # Gives the threads of the last exchange time to end: they may need the interpreter's lock, which the model's
    # destructor holds while it waits for them.
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
