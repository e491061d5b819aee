"""The worker of a cell that has a task or a method in Python: `python -m pacbench.worker < SPECIFICATION.json`.

It is pacbench-worker with an interpreter around it. The trainer is the same code, in the module _pacbench_trainer.
"""

import json
import os
import sys

import torch.distributed  # noqa: F401, registers the classes of c10d that the trainer uses

import _pacbench_trainer as trainer
from pacbench.averager_adapter import AveragerAdapter
from pacbench.ddp_hook_method import take_default_group
from pacbench.task_adapter import TaskAdapter
from pacbench.users_code import made


class Makes:
    """Makes adapters of users' classes for the trainer."""

    @staticmethod
    def task(specification: str) -> TaskAdapter:
        return TaskAdapter(json.loads(specification), trainer.epoch_permutation)

    @staticmethod
    def averager(folder: str, name: str, options: str, seed: int) -> AveragerAdapter:
        return AveragerAdapter(made(folder, {**json.loads(options), "name": name}), seed)


def main() -> None:
    text = sys.stdin.read()
    if json.loads(text).get("role") in ("train", "compose"):  # one rank, and not all as threads
        take_default_group()
    try:
        code = trainer.run(text, Makes)
    except Exception as error:
        print(f"pacbench.worker: {error}", file=sys.stderr, flush=True)
        code = 1
    sys.stdout.flush()
    os._exit(code)  # threads of the trainer may still hold Python objects


if __name__ == "__main__":
    main()
