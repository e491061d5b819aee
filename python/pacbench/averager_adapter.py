"""Between the worker in C++ and a user's averager."""

import inspect
import json

import torch
from torch import Tensor

from pacbench import averager
from pacbench.saved import bytes_of, from_bytes


class AveragerAdapter:
    """A user's averager on one rank, as trainer/python/python_averager.cc calls it."""

    def __init__(self, averager_of_user: averager.Averager, seed: int = 1) -> None:
        self._averager = averager_of_user
        self._seed = seed
        self._states: dict[int, averager.State] = {}
        self._slices: dict[int, tuple[averager.Slice, ...]] = {}
        self._place = 0, 1
        self._begun: dict[int, tuple[averager.Group, int]] = {}  # with the bucket's elements

    def inner(self) -> list[str]:
        """The entries of the methods inside, as JSON."""
        return [json.dumps(inner.entry) for inner in self._averager.inner_methods]

    def settle(self, buckets: list[tuple[int, int, list]], rank: int, ranks: int) -> None:
        self._place = rank, ranks
        for index, elements, slices in buckets:
            self._slices[index] = averager.described(slices)
            self._states.setdefault(index, averager.State(elements))

    def begin(self, index: int, grad: Tensor, step: int, lr: float) -> averager.Running:
        bucket = averager.Bucket(index, self._slices[index], self._states[index], grad, step, lr, self._seed, self._place[0],
                                 index == max(self._slices))
        group = averager.Group(*self._place)
        running = self._averager.average(bucket, group)
        if not inspect.iscoroutine(running):
            raise TypeError(f"{type(self._averager).__name__}.average is no coroutine, expected async def average(…)")
        self._begun[id(running)] = group, grad.numel()
        return running

    def go_on(self, running: averager.Running, answer: Tensor | None) -> tuple[str, Tensor, tuple, tuple, int]:
        """Runs a coroutine up to its next collective; "" and the mean at its end."""
        try:
            call = running.send(answer)
        except StopIteration as end:
            return "", _checked(end.value, running, *self._begun.pop(id(running))), (), (), 0
        if not isinstance(call, averager.Call):
            raise TypeError(f"found a coroutine that awaits {call!r}, expected only calls of its group and methods inside")
        elements = self._begun[id(running)][1]
        if call.is_nested and (call.tensor.dtype, call.tensor.numel()) != (torch.float32, elements):
            raise TypeError(f"{call.place}: found {call.tensor.dtype}[{call.tensor.numel()}] for the method inside, expected "
                            f"torch.float32[{elements}], as bucket.grad")
        return call.op, call.tensor, call.send_counts, call.receive_counts, call.root

    def state(self) -> Tensor:
        """What buckets keep, as bytes."""
        return bytes_of({index: state.tensors for index, state in self._states.items()})

    def take_state(self, saved: Tensor) -> None:
        """Puts what state() gave in place of what buckets keep."""
        for index, tensors in from_bytes(saved).items():
            self._states[index].tensors = tensors


def _checked(mean: Tensor, running: averager.Running, group: averager.Group, elements: int) -> Tensor:
    """What a coroutine returned, flat. Raises where it is no mean of the bucket, or where a call was not awaited."""
    for call in group.not_awaited:
        raise RuntimeError(f"{call.place}: group.{call.op} was called and never awaited; write `await` before it")
    if not isinstance(mean, Tensor) or mean.dtype != torch.float32 or mean.numel() != elements:
        found = f"{mean.dtype}[{mean.numel()}]" if isinstance(mean, Tensor) else type(mean).__name__
        raise TypeError(f"{running.__qualname__} returned {found}, expected torch.float32[{elements}], as bucket.grad")
    return mean.reshape(-1)
