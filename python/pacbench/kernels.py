"""What pacbench's own methods encode with, for methods in Python: exact, vectorised, the same bits on every machine.

    from pacbench import kernels

    places = kernels.largest(bucket.grad, 100)
    code = kernels.SparseCode(bucket.elements, len(places))
    mean = torch.zeros_like(bucket.grad)
    for payload in await group.all_gather(code.encode(bucket.grad[places], places)):
        code.add(payload, mean)

Tensors are contiguous, one-dimensional and on the CPU. Others raise ValueError.
"""

import torch
from torch import Tensor

from pacbench.averager import Bucket, Group
from pacbench.hooks.topk_hook import kept_of
from pacbench.runs import trainer_module

__all__ = ["SparseCode", "dequantise", "kept_of", "largest", "peaks", "quantise", "sum_digits"]

_trainer = trainer_module()


def largest(values: Tensor, count: int) -> Tensor:
    """The places of the `count` entries of float32[n] of largest magnitude, ascending, int64[count]; of equal ones the
    first. NaN counts as larger than infinity."""
    return _trainer.largest(values, count)


class SparseCode:
    """A code of `kept` of `elements` entries: their float32 values, and their places by Elias and Fano's code or as a
    bitmap, whichever is shorter. Its length depends on the two numbers alone."""

    def __init__(self, elements: int, kept: int) -> None:
        self._code = _trainer.SparseCode(elements, kept)

    def encode(self, values: Tensor, places: Tensor) -> Tensor:
        """int32[words], of float32[kept] at int64[kept], which ascend."""
        return self._code.encode(values, places)

    def add(self, payload: Tensor, total: Tensor) -> None:
        """Adds the entries of what encode() gave to float32[elements]."""
        self._code.add(payload, total)


def peaks(bucket: Bucket) -> Tensor:
    """The largest magnitude of each parameter's part of bucket.grad, float32[parameters]. NaN counts as the largest."""
    return _trainer.peaks(bucket.grad, _places(bucket))


def quantise(bucket: Bucket, scales: Tensor, levels: int) -> Tensor:
    """Rounds each parameter's part of bucket.grad by chance to int8[elements] in [-levels, levels], whole levels of its
    scale / levels, without bias. `scales` is float32[parameters]. What it draws is the same in each run of a seed, and
    another on each rank and in each step."""
    return _trainer.quantise(bucket.grad, _places(bucket), scales.tolist(), levels, bucket.seed, bucket.rank, bucket.step)


def dequantise(bucket: Bucket, sums: Tensor, units: Tensor) -> Tensor:
    """Overwrites bucket.grad with int16[elements] times each parameter's unit, float32[parameters], and returns it."""
    _trainer.dequantise(sums, _places(bucket), units.tolist(), bucket.grad)
    return bucket.grad


async def sum_digits(digits: Tensor, levels: int, group: Group) -> Tensor:
    """The sums over all ranks, int16[n], of digits in [-levels, levels], int8[n], by one all-reduce of words that hold
    several of them."""
    bits = _trainer.bits_for(2 * levels * (group.size - 1))
    own = _trainer.pack(digits, levels, bits)
    words = await group.all_reduce(own.clone())
    return _trainer.unpack_sums(words, own, digits, levels, group.size, bits)


def _places(bucket: Bucket) -> list[tuple[int, int, int]]:
    return [(part.parameter, part.offset, part.elements) for part in bucket.parameters]
