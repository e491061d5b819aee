"""Runs ranks over Gloo as processes of this machine."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch._dynamo  # DistributedDataParallel imports it, which takes each child seconds where the parent has not.
import torch.distributed as dist
import torch.multiprocessing as mp

PROGRAMS = Path(os.environ.get("PACBENCH_PROGRAMS", Path(__file__).resolve().parents[2] / "build/bin"))


def on_ranks(ranks: int, work: Callable[[int], Any]) -> list[Any]:
    """What `work(rank)` returns on each rank. Raises what a rank raised.

    Processes are forked, because importing torch takes seconds: the parent must not have called backward before.
    """
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(_rank, (ranks, work, folder), ranks, start_method="fork")
        return [torch.load(f"{folder}/{rank}.pt", weights_only=False) for rank in range(ranks)]


def _rank(rank: int, ranks: int, work: Callable[[int], Any], folder: str) -> None:
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting-point", rank=rank, world_size=ranks)
    dist.barrier()  # A rank that is soon done would close connections that another is still making.
    torch.save(work(rank), f"{folder}/{rank}.pt")
    dist.destroy_process_group()
