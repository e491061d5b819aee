"""Steps of PyTorch's DistributedDataParallel over a 64-1024-1024-10 perceptron and random batches of 32.

scenarios/beside-pytorch.json runs it beside pacbench's own worker, which trains the same network on as many
samples a step.
"""

import argparse
import os

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook, fp16_compress_hook
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

import pacbench

LAYERS = (64, 1024, 1024, 10)
BATCH = 32
WARM_UP_STEPS = 5
HOOKS = {"allreduce": allreduce_hook, "fp16": fp16_compress_hook}


def device_of_rank() -> torch.device:
    """The device that pacbench's own worker of this rank has."""
    if os.environ.get("PACBENCH_DEVICE", "cpu") == "cpu":
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]) % torch.cuda.device_count())
    torch.cuda.set_device(device)
    return device


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hook", choices=("none", *HOOKS), default="none")
    parser.add_argument("--steps", type=int, default=41)
    arguments = parser.parse_args()
    torch.manual_seed(1)
    device = device_of_rank()
    dist.init_process_group(os.environ.get("PACBENCH_BACKEND", "gloo"))
    layers: list[torch.nn.Module] = []
    for inputs, outputs in zip(LAYERS, LAYERS[1:]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    network = torch.nn.Sequential(*layers[:-1]).to(device)
    model = DistributedDataParallel(network, gradient_as_bucket_view=True)
    if arguments.hook in HOOKS:
        model.register_comm_hook(None, HOOKS[arguments.hook])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    random = torch.Generator().manual_seed(dist.get_rank())
    for step in range(WARM_UP_STEPS + arguments.steps):
        if step == WARM_UP_STEPS:
            pacbench.begin()
        with pacbench.clock_paused():
            images = torch.rand(BATCH, LAYERS[0], generator=random).to(device)
            labels = torch.randint(LAYERS[-1], (BATCH,), generator=random).to(device)
        optimizer.zero_grad()
        cross_entropy(model(images), labels).backward()
        optimizer.step()
        if device.type == "cuda":
            torch.cuda.synchronize()
        if step >= WARM_UP_STEPS:
            pacbench.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
