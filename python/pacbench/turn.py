"""The random generators of a process, for each rank in it, and for what draws apart from the rest."""

import hashlib
import json
import random
import sys
import threading
from typing import Any

import torch


def seed_all(*parts: int) -> None:
    """Seeds torch, numpy and random by these numbers, so that what a user's code draws repeats."""
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    number = int.from_bytes(digest[:4], "little")
    # torch.manual_seed() also writes down the call's stack for each kind of device that was never used.
    torch.default_generator.manual_seed(number)
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(number)
    random.seed(number)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(number)


def generators() -> tuple[Any, ...]:
    """The states of torch's, numpy's and random's generators. numpy's is None where nothing has imported it."""
    of_numpy = sys.modules["numpy"].random.get_state() if "numpy" in sys.modules else None
    return torch.get_rng_state(), random.getstate(), of_numpy


def take_generators(states: tuple[Any, ...]) -> None:
    """Puts what generators() gave in place of the generators' states."""
    torch.set_rng_state(states[0])
    random.setstate(states[1])
    if states[2] is not None:
        sys.modules["numpy"].random.set_state(states[2])


class Turn:
    """A rank's turn among those that are threads of one process (mode learn): while it lasts, torch's, numpy's and
    random's generators are this rank's, as its last turn left them, so that it draws what it would draw alone."""

    _taken = threading.Lock()
    _of_ranks: dict[int, "Turn"] = {}

    def __init__(self) -> None:
        self._left: tuple[Any, ...] | None = None

    @classmethod
    def of_rank(cls, rank: int) -> "Turn":
        """The one of a rank of this process."""
        return cls._of_ranks.setdefault(rank, cls())

    def __enter__(self) -> None:
        self._taken.acquire()
        if self._left is not None:
            take_generators(self._left)

    def __exit__(self, *_: object) -> None:
        self._left = generators()
        self._taken.release()
