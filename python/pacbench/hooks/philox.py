"""Random numbers by Philox4x32-10. Each depends only on its Stream, parameter and element.

Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011,
section 3. The keys are those of trainer/kernels/philox.h, so that pacbench's worker draws the same numbers.
"""

from dataclasses import dataclass
from enum import IntEnum

import torch
from torch import Tensor

SHARED = -1
"""The rank of a stream that is the same on all ranks."""

_ROUNDS = 10
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_WORD = 0xFFFFFFFF
_CHUNK = 16384  # blocks that stay in a CPU's cache: three times as fast as all at once


class Use(IntEnum):
    """The purpose of random numbers, which keeps the streams of one seed apart."""

    PRUNING = 4
    ROUNDING = 5


@dataclass(frozen=True)
class Stream:
    """Names the streams of one rank in one iteration; each parameter of the model has one of its own."""

    seed: int
    use: Use
    rank: int = SHARED
    iteration: int = 0

    def words(self, blocks: Tensor, parameters: Tensor) -> Tensor:
        """Random words of 32 bits.

        `blocks` and `parameters`, int64[n] on one device, say which four elements of which parameter: block b
        has the words of elements 4b to 4b + 3. Returns int64[n, 4], each in [0, 2**32).
        """
        user = int(self.use) << 24 | (self.rank + 1) & 0xFFFFFF
        counter = [blocks & _WORD, parameters & _WORD, torch.full_like(blocks, self.iteration & _WORD),
                   torch.full_like(blocks, user)]
        key = (self.seed & _WORD, self.seed >> 32 & _WORD)
        for _ in range(_ROUNDS):
            counter = _mixed(counter, key)
            key = ((key[0] + _WEYL[0]) & _WORD, (key[1] + _WEYL[1]) & _WORD)
        return torch.stack(counter, 1)

    def uniform(self, blocks: Tensor, parameters: Tensor) -> Tensor:
        """The upper 24 bits of `words` as float32[n, 4] in [0, 1); every value is exact."""
        chunk = max(1, blocks.numel()) if blocks.is_cuda else _CHUNK
        words = [self.words(*parts) >> 8 for parts in zip(blocks.split(chunk), parameters.split(chunk))]
        return torch.cat([part.to(torch.float32) for part in words]).mul_(2.0**-24)


def _mixed(counter: list[Tensor], key: tuple[int, int]) -> list[Tensor]:
    """One round. A product of 64 bits may come out negative: its bits are right, and the mask takes 32 of them."""
    first, second = counter[0] * _MULTIPLIERS[0], counter[2] * _MULTIPLIERS[1]
    return [(second >> 32 & _WORD) ^ counter[1] ^ key[0], second & _WORD,
            (first >> 32 & _WORD) ^ counter[3] ^ key[1], first & _WORD]
