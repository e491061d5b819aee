"""Sums squares in a fixed order, so that every machine and program gets the same bits.

The order is that of trainer/kernels/mask_kernels.h. In each chunk of 4096 elements, element i is added
to sum i % 16. Then sum k + 8 is added to sum k, k + 4 to k, k + 2 to k, and 1 to 0. Sum 0 is added
to that of the chunks before.
"""

import torch
from torch import Tensor

_CHUNK, _SUMS = 4096, 16


def deviation(values: Tensor, count: int) -> Tensor:
    """The standard deviation around zero of `count` elements of float32[n], where the others are
    zero: a float64 scalar."""
    padded = values.new_zeros(-(-values.numel() // _CHUNK) * _CHUNK, dtype=torch.float64)
    padded[:values.numel()] = values
    # A running sum adds one after another, where sum() would add in an order of its own.
    sums = padded.square_().view(-1, _CHUNK // _SUMS, _SUMS).cumsum(1)[:, -1]
    while sums.shape[1] > 1:
        half = sums.shape[1] // 2
        sums = sums[:, :half] + sums[:, half:]
    return (sums.flatten().cumsum(0)[-1] / count).sqrt()
