"""Batches of an iterable, for data that has no places to choose from."""

from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import IterableDataset

from pacbench.task import Batch
from pacbench.turn import generators, seed_all, take_generators


def is_stream(samples: Any) -> bool:
    """Whether one of a task's two sets is an iterable of batches, and no pair of tensors or map-style data set."""
    return isinstance(samples, IterableDataset) or not (isinstance(samples, tuple) or hasattr(samples, "__getitem__"))


class Stream:
    """One rank's batches of a training set that is an iterable. All ranks read all batches; of those of all passes, one
    after another, rank r of N takes number r, r + N, and so on. Each pass draws from generators of its own, which are
    seeded alike on all ranks, so that they see the same order whatever else the user's code draws."""

    def __init__(self, batches: Iterable[Any], seed: int) -> None:
        _refuse_processes(batches)
        self._batches, self._seed = batches, seed
        self._pass, self._next = 0, 0
        self._running: Iterator[Any] | None = None
        self._last: Batch | None = None
        self._states: tuple[Any, ...] = ()

    def batch(self, number: int, size: int) -> Batch:
        """The batch of this number, from 0. Those before it are skipped, so a later one is never read first. Raises
        ValueError unless it has `size` samples."""
        if number < self._next - 1:
            self._pass, self._next, self._running = 0, 0, None
        outer = generators()
        try:
            while self._next <= number:
                self._last = self._read()
                self._next += 1
        finally:
            take_generators(outer)
        if len(self._last.y) != size:
            raise ValueError(f"found a batch of {len(self._last.y)} samples, expected batch_per_worker, which is {size}; leave "
                             "out a last batch that is smaller (drop_last=True of a DataLoader)")
        return Batch(*(column.clone() if isinstance(column, Tensor) else column for column in self._last))

    def _read(self) -> Batch:
        if self._running is not None:
            take_generators(self._states)
            entries = next(self._running, None)
        if self._running is None or entries is None:
            seed_all(self._seed, self._pass)
            self._pass += 1
            self._running = iter(self._batches)
            entries = next(self._running, None)
        if entries is None:
            raise ValueError(f"pass {self._pass} over the training set gave no batch, expected an iterable that can be iterated "
                             "again and again, and no generator")
        self._states = generators()
        return Batch(*entries)


def whole(batches: Iterable[Any]) -> tuple[Tensor, ...]:
    """All samples of an iterable of batches, as a pair of tensors."""
    _refuse_processes(batches)
    return tuple(torch.cat(column) for column in zip(*batches))


def _refuse_processes(batches: Iterable[Any]) -> None:
    if getattr(batches, "num_workers", 0):
        raise ValueError(f"found a DataLoader with {batches.num_workers} processes of its own, expected num_workers=0: a worker "
                         "has threads, and a process that has threads cannot be forked safely")
