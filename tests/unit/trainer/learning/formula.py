"""Weights and inputs by the formula of formula.h, for the Python programs that record values."""
import numpy as np
import torch


def filled(name, count):
    """Numbers in [-1, 1), computed from a tensor's name (FNV-1a) and each element's index (a mixer
    of MurmurHash3)."""
    seed = 0x811C9DC5
    for byte in name.encode():
        seed = (seed ^ byte) * 0x01000193 % 2**32
    x = np.arange(count, dtype=np.uint64) * 0x9E3779B1 + seed & 0xFFFFFFFF
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        x = (x ^ (x >> np.uint64(shift))) * factor & 0xFFFFFFFF
    return x.astype(np.float64) / 2**31 - 1


def value(name, shape):
    """A parameter's values: weights are uniform with the variance of He et al., scales are around
    1, and all others are small."""
    count = int(np.prod(shape))
    numbers = filled(name, count)
    if len(shape) > 1:
        numbers *= (6 / (count / shape[0])) ** 0.5
    elif name.endswith("weight") or name.endswith("running_var"):
        numbers = 1 + 0.1 * numbers
    else:
        numbers *= 0.1
    return torch.from_numpy(numbers.reshape(shape))
