"""A way of one's own to average gradients, written as a coroutine."""

import hashlib
import sys
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Slice:
    """The place of a parameter in a bucket: elements [offset, offset + elements)."""

    name: str
    shape: tuple[int, ...]
    offset: int
    elements: int
    parameter: int  #: its number in the model's order
    kept: Tensor | None  #: bool[elements], false where pruning() has made the weights zero; None: it prunes none here


class State:
    """Tensors of a bucket that stay from one iteration to the next, by name."""

    def __init__(self, elements: int) -> None:
        self.elements = elements
        self.tensors: dict[str, Tensor] = {}

    def zeros(self, name: str) -> Tensor:
        """float32[elements], the same tensor at each call; zeros at first. Change it in place."""
        if name not in self.tensors:
            self.tensors[name] = torch.zeros(self.elements)
        return self.tensors[name]


@dataclass(frozen=True)
class Bucket:
    """A flat piece of this rank's gradient in one iteration."""

    index: int
    parameters: tuple[Slice, ...]
    state: State
    grad: Tensor = field(repr=False)  #: float32[elements], may be overwritten
    step: int  #: from 1
    lr: float
    seed: int  #: the cell's
    rank: int
    is_last: bool  #: of the iteration's buckets
    mask: Tensor | None = field(default=None, repr=False)  #: what kept() gives
    places: Tensor | None = field(default=None, repr=False)  #: what kept_places() gives

    @property
    def elements(self) -> int:
        return self.grad.numel()

    def kept(self) -> Tensor | None:
        """bool[elements]: which of them pruning has left; None where it prunes none of them."""
        return self.mask

    def kept_places(self) -> Tensor | None:
        """int64[kept]: the places of those that pruning has left, ascending; None where it prunes none of them."""
        return self.places

    def with_grad(self, values: Tensor) -> "Bucket":
        """The same bucket with other values, float32[elements], for a method inside."""
        return replace(self, grad=values)

    def random(self, *, same_on_all_ranks: bool = False) -> torch.Generator:
        """A generator of this bucket and step, and of this rank or of all: the same numbers in each run of a seed."""
        return generator(self.seed, -1 if same_on_all_ranks else self.rank, self.step, self.index)


def generator(*parts: int) -> torch.Generator:
    """One whose numbers these parts alone decide."""
    digest = hashlib.sha256(" ".join(map(str, parts)).encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "little", signed=True))


class Call:
    """What a coroutine awaits: a collective, or an average by a method inside, whose number is `root`."""

    def __init__(self, group: "Group", op: str, tensor: Tensor, shape: tuple[int, ...], *, send_counts: tuple[int, ...] = (),
                 receive_counts: tuple[int, ...] = (), root: int = 0) -> None:
        self.op, self.shape, self.root = op, shape, root
        self.tensor = tensor.contiguous().view(-1)
        self.send_counts, self.receive_counts = send_counts, receive_counts
        caller = sys._getframe(2)
        self.place = f"{caller.f_code.co_filename}:{caller.f_lineno}"
        self._group = group
        group.not_awaited.append(self)

    @property
    def is_nested(self) -> bool:
        return self.op.startswith("average")

    def __await__(self) -> Generator["Call", Tensor, Tensor]:
        self._group.not_awaited.remove(self)
        answer = yield self
        return answer.view(self.shape)


class Inner:
    """Another method inside of one's own, pacbench's or a class in Python: the value of an option of the type
    pacbench.Averager. It averages buckets as an Averager does; which one it is, a scenario says:

        inner: pacbench.Averager = pacbench.option({"name": "topk", "ratio": 0.01})
        …
        mean = await self.inner.average(bucket.with_grad(values), group)
    """

    def __init__(self, number: int, entry: dict[str, Any]) -> None:
        self.number, self.entry = number, entry

    def average(self, bucket: Bucket, group: "Group") -> Call:
        """float32[elements]: the mean, or what the method puts in its place. bucket.grad is overwritten."""
        return Call(group, "average", bucket.grad, (bucket.elements,), root=self.number)

    def average_and_rest(self, bucket: Bucket, group: "Group") -> Call:
        """The mean and, for error feedback, what this rank's values lost on their way into it: float32[2, elements]."""
        return Call(group, "average_and_rest", bucket.grad, (2, bucket.elements), root=self.number)


class Group:
    """The ranks that train together. Every rank must make the same calls in the same order; each call is awaited:
    `everyone = await group.all_gather(values)`."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size
        self.not_awaited: list[Call] = []

    def all_reduce(self, tensor: Tensor, op: str = "sum") -> Call:
        """The sum ("sum") or the largest ("max") over all ranks, in tensor's shape, with the same bits on each."""
        if op not in ("sum", "max"):
            raise ValueError(f'found op "{op}", expected sum or max')
        return Call(self, "all_reduce" if op == "sum" else "all_reduce_max", tensor, tuple(tensor.shape))

    def all_gather(self, tensor: Tensor) -> Call:
        """Every rank's tensor, of one shape: [size, *shape]."""
        return Call(self, "all_gather", tensor, (self.size, *tensor.shape))

    def broadcast(self, tensor: Tensor, root: int = 0) -> Call:
        """The tensor of rank `root`."""
        return Call(self, "broadcast", tensor, tuple(tensor.shape), root=root)

    def all_to_all(self, tensor: Tensor, send_counts: list[int], receive_counts: list[int]) -> Call:
        """Sends the first send_counts[0] elements to rank 0, the next to rank 1, and so on; what the ranks sent here,
        one after another: [sum(receive_counts)]."""
        return Call(self, "all_to_all", tensor, (sum(receive_counts),), send_counts=tuple(send_counts),
                    receive_counts=tuple(receive_counts))


class Averager:
    """Turns each rank's gradient of a bucket into one that all ranks share. Override average(). Options are class
    variables (pacbench.option). The worker makes one object a rank and drives the coroutines of several buckets in
    turn, so that one bucket computes while another is on the wire; all on one thread."""

    async def average(self, bucket: Bucket, group: Group) -> Tensor:
        """Returns float32[bucket.elements] in place of bucket.grad: the mean over all ranks or what the method puts
        there, with the same bits on each rank."""
        raise NotImplementedError(f"{type(self).__name__} has no average()")

    def pruning(self) -> tuple[float, str] | None:
        """The share of the weights of linear layers and convolutions that is pruned before the first step, and what
        decides which: "magnitude" or "random". All ranks then have the same bucket.kept(), and the weights stay pruned.
        None: nothing is pruned."""
        return None


def mask_of(slices: tuple[Slice, ...]) -> Tensor | None:
    """Which elements of a bucket pruning has left; None where it prunes none of them."""
    if all(part.kept is None for part in slices):
        return None
    return torch.cat([torch.ones(part.elements, dtype=torch.bool) if part.kept is None else part.kept for part in slices])


def described(slices: list[tuple[str, list[int], int, int, int, Tensor | None]]) -> tuple[Slice, ...]:
    return tuple(Slice(name, tuple(shape), *others) for name, shape, *others in slices)


Running = Any
"""A coroutine of Averager.average that has begun."""
