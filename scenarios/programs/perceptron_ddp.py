"""Steps of PyTorch's DistributedDataParallel over a 64-1024-1024-10 perceptron and random batches of 32.

The same network as tools/experiments/compare-ddp trains and `measure-steps` holds pacbench's own worker against.
"""

import argparse

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

import pacbench

LAYERS = (64, 1024, 1024, 10)
BATCH = 32
WARM_UP_STEPS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hook", choices=("none", "fp16"), default="none")
    parser.add_argument("--steps", type=int, default=40)
    arguments = parser.parse_args()
    torch.manual_seed(1)
    dist.init_process_group("gloo")
    layers: list[torch.nn.Module] = []
    for inputs, outputs in zip(LAYERS, LAYERS[1:]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    model = DistributedDataParallel(torch.nn.Sequential(*layers[:-1]), gradient_as_bucket_view=True)
    if arguments.hook == "fp16":
        model.register_comm_hook(None, fp16_compress_hook)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    random = torch.Generator().manual_seed(dist.get_rank())
    for step in range(WARM_UP_STEPS + arguments.steps):
        if step == WARM_UP_STEPS:
            pacbench.begin()
        with pacbench.clock_paused():
            images = torch.rand(BATCH, LAYERS[0], generator=random)
            labels = torch.randint(LAYERS[-1], (BATCH,), generator=random)
        optimizer.zero_grad()
        cross_entropy(model(images), labels).backward()
        optimizer.step()
        if step >= WARM_UP_STEPS:
            pacbench.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
