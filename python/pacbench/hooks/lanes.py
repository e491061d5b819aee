"""Small whole numbers that share words, so that an integer all-reduce sums many of them at once.

Lane j of word i holds element j * words + i. A word is one byte where lanes fill it without waste,
and 8 bytes otherwise. The layout is that of trainer/kernels/lanes.h.
"""

import torch
import torch.distributed as dist
from torch import Tensor

from pacbench.hooks.collectives import Group, all_reduce


class Lanes:
    """Lanes of `bits` bits, 1 to 16."""

    def __init__(self, bits: int):
        if not 1 <= bits <= 16:
            raise ValueError(f"found lanes of {bits} bits, expected 1 to 16; use fewer levels or fewer ranks")
        self._bits = bits
        self._type = torch.uint8 if 8 % bits == 0 else torch.int64
        self._lanes = (8 if 8 % bits == 0 else 64) // bits

    def pack(self, numbers: Tensor) -> Tensor:
        """Packs int64[n], each in [0, 2**bits), into uint8[words] or int64[words]."""
        words = -(-numbers.numel() // self._lanes)
        padded = numbers.new_zeros(words * self._lanes)
        padded[:numbers.numel()] = numbers
        return (padded.view(self._lanes, words) << self._shifts(numbers)).sum(0).to(self._type)

    def unpack(self, words: Tensor, count: int) -> Tensor:
        """Unpacks int64[count]: the inverse of pack()."""
        numbers = words.to(torch.int64) >> self._shifts(words)
        return (numbers & (1 << self._bits) - 1).flatten()[:count]

    def _shifts(self, beside: Tensor) -> Tensor:
        return torch.arange(0, self._lanes * self._bits, self._bits, device=beside.device).unsqueeze(1)


def lanes_for_sums(levels: int, ranks: int) -> Lanes:
    """Lanes for the sum of all other ranks' digits.

    A lane need not hold all ranks' sum. Subtracting this rank's own words from the total leaves the
    sum of the others, whatever was carried from lane to lane on the way. Throws ValueError when the
    sum does not fit.
    """
    if levels * ranks > 32767:
        raise ValueError(f"{ranks} ranks with digits from -{levels} to {levels} sum up to {levels * ranks}, "
                         "expected at most 32767; use fewer levels or fewer ranks")
    return Lanes(max(1, (2 * levels * (ranks - 1)).bit_length()))


def sum_digits(digits: Tensor, levels: int, group: Group) -> Tensor:
    """Sums digits in [-levels, levels], int64[n], over all ranks to int64[n], by one all-reduce."""
    ranks = dist.get_world_size(group)
    lanes = lanes_for_sums(levels, ranks)
    own = lanes.pack(digits + levels)
    others = all_reduce(own.clone(), group) - own
    return lanes.unpack(others, digits.numel()) + digits - (ranks - 1) * levels
