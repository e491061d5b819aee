"""Between the worker in C++ and a user's averager."""

import inspect
import json
from typing import Any

import torch
from torch import Tensor

from pacbench import averager
from pacbench.method import Method, Weights
from pacbench.saved import bytes_of, from_bytes


class AveragerAdapter:
    """A user's averager on one rank, as trainer/python/python_averager.cc calls it."""

    def __init__(self, averager_of_user: averager.Averager, seed: int = 1) -> None:
        self._averager = averager_of_user
        self._seed = seed
        self._states: dict[int, averager.State] = {}
        self._slices: dict[int, tuple[averager.Slice, ...]] = {}
        self._kept: dict[int, tuple[Tensor | None, Tensor | None]] = {}  # the mask and the places of each bucket
        self._place = 0, 1
        self._begun: dict[int, tuple[averager.Group, int | None]] = {}  # with the bucket's elements; None: after a step
        self._names: list[str] = []
        self._state_of_weights: dict[str, Tensor] = {}

    def inner(self) -> list[str]:
        """The entries of the methods inside, as JSON."""
        return [json.dumps(inner.entry) for inner in self._averager.inner_methods]

    def settle(self, buckets: list[tuple[int, int, list]], rank: int, ranks: int) -> None:
        self._place = rank, ranks
        for index, elements, slices in buckets:
            self._slices[index] = averager.described(slices)
            mask = averager.mask_of(self._slices[index])
            self._kept[index] = mask, None if mask is None else mask.nonzero().flatten()
            self._states.setdefault(index, averager.State(elements))

    def begin(self, index: int, grad: Tensor, step: int, lr: float) -> averager.Running:
        bucket = averager.Bucket(index, self._slices[index], self._states[index], grad, step, lr, self._seed, self._place[0],
                                 index == max(self._slices), *self._kept[index])
        group = averager.Group(*self._place)
        return self._started(self._averager.average(bucket, group), "average", group, grad.numel())

    def pruning(self) -> tuple[float, str] | None:
        return self._averager.pruning()

    def changes_weights(self) -> bool:
        return isinstance(self._averager, Method)

    def period(self) -> int:
        period = self._averager.period()
        if not isinstance(period, int) or period < 1:
            raise ValueError(f"{type(self._averager).__name__}.period() gave {period!r}, expected a number of steps of at least 1")
        return period

    def take_names(self, names: list[str]) -> None:
        """The parameters' names, in the order of begin_after_step()."""
        self._names = names

    def begin_after_step(self, parameters: list[Tensor], step: int, lr: float) -> averager.Running:
        group = averager.Group(*self._place)
        weights = Weights(dict(zip(self._names, parameters)), self._state_of_weights, step, lr, self._seed, self._place[0])
        return self._started(self._averager.after_step(weights, group), "after_step", group, None)

    def _started(self, running: averager.Running, name: str, group: averager.Group, elements: int | None) -> averager.Running:
        if not inspect.iscoroutine(running):
            raise TypeError(f"{type(self._averager).__name__}.{name} is no coroutine, expected async def {name}(…)")
        self._begun[id(running)] = group, elements
        return running

    def go_on(self, running: averager.Running, answer: Tensor | None) -> tuple[str, Tensor, tuple, tuple, int]:
        """Runs a coroutine up to its next collective; "" and its result at its end."""
        try:
            call = running.send(answer)
        except StopIteration as end:
            return "", _checked(end.value, running, *self._begun.pop(id(running))), (), (), 0
        if not isinstance(call, averager.Call):
            raise TypeError(f"found a coroutine that awaits {call!r}, expected only calls of its group and methods inside")
        elements = self._begun[id(running)][1]
        if call.is_nested and elements is None:
            raise TypeError(f"{call.place}: found a method inside in after_step(), expected it in average() alone")
        if call.is_nested and (call.tensor.dtype, call.tensor.numel()) != (torch.float32, elements):
            raise TypeError(f"{call.place}: found {call.tensor.dtype}[{call.tensor.numel()}] for the method inside, expected "
                            f"torch.float32[{elements}], as bucket.grad")
        return call.op, call.tensor, call.send_counts, call.receive_counts, call.root

    def state(self) -> Tensor:
        """What buckets and weights keep, as bytes."""
        of_buckets = {index: state.tensors for index, state in self._states.items()}
        return bytes_of({"buckets": of_buckets, "weights": self._state_of_weights})

    def take_state(self, saved: Tensor) -> None:
        """Puts what state() gave in place of what buckets and weights keep."""
        state = from_bytes(saved)
        for index, tensors in state["buckets"].items():
            self._states[index].tensors = tensors
        self._state_of_weights = state["weights"]


def _checked(mean: Any, running: averager.Running, group: averager.Group, elements: int | None) -> Tensor:
    """What a coroutine returned, flat. Raises where it is no mean of the bucket, or after a step neither True nor False,
    or where a call was not awaited."""
    for call in group.not_awaited:
        raise RuntimeError(f"{call.place}: group.{call.op} was called and never awaited; write `await` before it")
    if elements is None:
        if not isinstance(mean, bool):
            raise TypeError(f"{running.__qualname__} returned {type(mean).__name__}, expected True where all ranks now hold the "
                            "same weights, or False")
        return torch.tensor(mean)
    if not isinstance(mean, Tensor) or mean.dtype != torch.float32 or mean.numel() != elements:
        found = f"{mean.dtype}[{mean.numel()}]" if isinstance(mean, Tensor) else type(mean).__name__
        raise TypeError(f"{running.__qualname__} returned {found}, expected torch.float32[{elements}], as bucket.grad")
    return mean.reshape(-1)
