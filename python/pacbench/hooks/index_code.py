"""Encodes as bits which k of n elements a rank sends.

Source: Elias 1974, doi 10.1145/321812.321820, and Vigna 2013, arXiv 1206.4300, section 3. The low bits of each
index travel as they are, and the gaps between the high bits in unary. A bitmap takes the code's place where it
is shorter. The length depends on n and k alone, because an all-gather needs it to be the same on all ranks.
"""

import torch
from torch import Tensor


class IndexCode:
    """The code for `kept` of `elements` indices, 1 <= kept <= elements."""

    def __init__(self, elements: int, kept: int):
        if not 1 <= kept <= elements:
            raise ValueError(f"found {kept} indices of {elements} elements, expected 1 to {elements}")
        self._kept = kept
        self._low_bits: int | None = None  # None: a bitmap
        bits = elements
        for low_bits in range(elements.bit_length()):
            needed = (elements - 1 >> low_bits) + kept + kept * low_bits
            if needed < bits:
                bits, self._low_bits = needed, low_bits
        self.bytes = -(-bits // 8)

    def encode(self, places: Tensor) -> Tensor:
        """Encodes ascending int64[kept] as uint8[bytes]; the lowest bit of a byte is the first."""
        bits = places.new_zeros(8 * self.bytes)
        if self._low_bits is None:
            bits[places] = 1
        else:
            low = places.unsqueeze(1) >> self._shifts(places) & 1
            bits[:low.numel()] = low.flatten()
            bits[low.numel() + (places >> self._low_bits) + _count(places)] = 1
        return (bits.view(-1, 8) << torch.arange(8, device=places.device)).sum(1).to(torch.uint8)

    def decode(self, code: Tensor) -> Tensor:
        """Decodes uint8[bytes] to ascending int64[kept]."""
        bits = (code.unsqueeze(1) >> torch.arange(8, device=code.device, dtype=torch.uint8) & 1).flatten()
        if self._low_bits is None:
            return bits.nonzero().flatten()
        low_end = self._kept * self._low_bits
        gaps = bits[low_end:].nonzero().flatten()
        low = bits[:low_end].view(self._kept, self._low_bits).to(torch.int64)
        # The bit of an index is at its high bits' value plus the number of indices before it.
        return (gaps - _count(gaps) << self._low_bits) + (low << self._shifts(gaps)).sum(1)

    def _shifts(self, beside: Tensor) -> Tensor:
        return torch.arange(self._low_bits or 0, device=beside.device)


def _count(places: Tensor) -> Tensor:
    return torch.arange(places.numel(), device=places.device)
