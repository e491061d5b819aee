"""The kept elements of a bucket, parameter by parameter, and their random numbers."""

from collections.abc import Mapping

import torch
from torch import Tensor

from pacbench.hooks.layout import Slice
from pacbench.hooks.philox import Stream

Masks = Mapping[int, Tensor]
"""Maps a parameter's number to a bool tensor of its shape; true: kept. Parameters without an entry
are kept whole."""


class BucketMask:
    """The elements that a mask keeps of a bucket: those where `kept`, bool[elements], is true, or
    all without `kept`. All ranks have the same mask.

    `possible` counts, for each parameter, the elements whose gradient may be other than zero: the
    kept ones, and those whose gradient only happened to be zero so far. By default it counts the
    kept ones.
    """

    def __init__(self, slices: tuple[Slice, ...], kept: Tensor | None, device: torch.device,
                 possible: list[int] | None = None):
        self.slices = slices
        self.elements = sum(part.elements for part in slices)
        self.whole = kept is None
        self.counts = [part.elements if kept is None else int(part.of(kept).sum()) for part in slices]
        self.possible = possible or self.counts
        self.kept = sum(self.counts)
        self._counts = torch.tensor(self.counts, device=device)
        # For a whole bucket the indices are made where they are needed: int64 indices take twice
        # the memory of the gradients.
        self._kept = None if kept is None else kept.nonzero().flatten().to(device)
        # Four elements of a parameter share a block of random words, and each parameter begins a block.
        self._parameters = torch.tensor([part.parameter for part in slices], device=device)
        self._blocks = torch.tensor([-(-part.elements // 4) for part in slices], device=device)
        self._first_block = self._blocks.cumsum(0) - self._blocks
        self._padding = 4 * self._first_block - torch.tensor([part.offset for part in slices], device=device)

    @classmethod
    def of_weights(cls, slices: tuple[Slice, ...], masks: Masks, device: torch.device) -> "BucketMask":
        """The mask that keeps what the weights' masks keep, and all of each parameter that has no mask."""
        if not any(part.parameter in masks for part in slices):
            return cls(slices, None, device)
        return cls(slices, torch.cat([_bits(part, masks) for part in slices]), device)

    @property
    def places(self) -> Tensor:
        """int64[kept], ascending: where the kept elements lie in the bucket."""
        return torch.arange(self.elements, device=self._counts.device) if self._kept is None else self._kept

    def hash(self) -> Tensor:
        """int64: a hash that two different masks hardly ever share. It sums the mixed bits of the
        kept places, modulo 2**64."""
        mixed = (self.places + 1) * 0x2545F4914F6CDD1D
        return ((mixed >> 29 ^ mixed) * 0x369DEA0F31A53F85).sum()

    def compact(self, values: Tensor) -> Tensor:
        """Picks the kept elements, [kept], out of [elements], in order."""
        return values.clone() if self._kept is None else values.index_select(0, self._kept)

    def scatter(self, kept: Tensor, out: Tensor) -> Tensor:
        """Writes [kept] into `out`, [elements], which is zero elsewhere; returns `out`."""
        return out.copy_(kept) if self._kept is None else out.zero_().index_copy_(0, self._kept, kept)

    def parts(self, kept: Tensor) -> tuple[Tensor, ...]:
        """[kept], cut into one part for each parameter."""
        return kept.split(self.counts)

    def spread(self, of_parameters: Tensor) -> Tensor:
        """[parameters] to [kept]: each kept element gets the value of its parameter."""
        return of_parameters.repeat_interleave(self._counts, output_size=self.kept)

    def uniform(self, stream: Stream) -> Tensor:
        """float32[kept]: a random number in [0, 1) for each kept element, which depends on its
        place among all elements of its parameter."""
        first = self._first_block.repeat_interleave(self._blocks)
        blocks = torch.arange(first.numel(), device=first.device) - first
        numbers = stream.uniform(blocks, self._parameters.repeat_interleave(self._blocks)).flatten()
        return numbers.index_select(0, self.places + self.spread(self._padding))


def _bits(part: Slice, masks: Masks) -> Tensor:
    mask = masks.get(part.parameter)
    if mask is None:
        return torch.ones(part.elements, dtype=torch.bool)
    if mask.numel() != part.elements:
        raise ValueError(f"the mask of {part.name}: found {mask.numel()} elements, expected {part.elements}; "
                         "prune the model that is trained")
    return mask.flatten().cpu()
