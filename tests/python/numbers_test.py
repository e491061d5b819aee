"""The parts that hooks are made of: random numbers, codes, lanes, places."""

import numpy as np
import pytest
import torch
from pacbench.hooks.index_code import IndexCode
from pacbench.hooks.lanes import Lanes, lanes_for_sums
from pacbench.hooks.moments import deviation
from pacbench.hooks.philox import Stream
from pacbench.hooks.topk_hook import kept_of, largest


@pytest.mark.parametrize(("block", "parameter", "iteration", "last", "seed", "words"), [
    (0, 0, 0, 0, 0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF,
     [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0x299F31D0A4093822,
     [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
])
def test_philox_has_the_words_that_its_authors_publish(block, parameter, iteration, last, seed, words) -> None:
    stream = Stream(seed, last >> 24, (last & 0xFFFFFF) - 1, iteration)
    assert stream.words(torch.tensor([block]), torch.tensor([parameter])).tolist() == [words]


def test_uniform_numbers_are_in_the_unit_interval_with_the_mean_of_one_half() -> None:
    blocks = torch.arange(5000)
    numbers = Stream(1, 5).uniform(blocks, torch.zeros_like(blocks))
    assert 0 <= numbers.min() and numbers.max() < 1
    assert abs(numbers.mean() - 0.5) < 0.01


@pytest.mark.parametrize(("elements", "kept", "size"), [
    (1, 1, 1), (8, 4, 1), (9, 9, 2), (64, 1, 1), (1000, 10, 11), (1000, 500, 125), (4097, 41, 44), (100_000, 100, 150)])
def test_places_come_back_from_their_code(elements: int, kept: int, size: int) -> None:
    code = IndexCode(elements, kept)
    assert code.bytes == size
    generator = torch.Generator().manual_seed(elements)
    for places in (torch.arange(kept), torch.arange(elements - kept, elements),
                   torch.randperm(elements, generator=generator)[:kept].sort().values):
        coded = code.encode(places)
        assert coded.dtype == torch.uint8 and coded.numel() == code.bytes
        assert torch.equal(code.decode(coded), places)


@pytest.mark.parametrize("bits", range(1, 17))
def test_numbers_come_back_from_lanes(bits: int) -> None:
    lanes = Lanes(bits)
    for count in (1, 7, 64, 1001):
        numbers = torch.randint(0, 1 << bits, (count,), generator=torch.Generator().manual_seed(bits))
        assert torch.equal(lanes.unpack(lanes.pack(numbers), count), numbers)


@pytest.mark.parametrize(("levels", "ranks"), [(1, 2), (1, 8), (7, 3), (7, 8), (127, 5), (127, 200)])
def test_the_sum_of_the_others_fits_whatever_is_carried(levels: int, ranks: int) -> None:
    lanes = lanes_for_sums(levels, ranks)
    most = torch.full((ranks, 37), levels)
    packed = [lanes.pack(digits + levels) for digits in most]
    others = sum(packed[1:], packed[0]) - packed[0]
    assert lanes.unpack(others, 37).tolist() == [2 * levels * (ranks - 1)] * 37


def test_two_sums_of_eight_ternary_digits_share_a_byte() -> None:
    assert lanes_for_sums(1, 8).pack(torch.zeros(100, dtype=torch.int64)).nbytes == 50


@pytest.mark.parametrize("elements", [1, 16, 4096, 10_000])
def test_the_deviation_is_that_around_zero(elements: int) -> None:
    values = torch.randn(elements, generator=torch.Generator().manual_seed(1)) + 1
    expected = np.sqrt(np.square(values.numpy(), dtype=np.float64).mean())
    assert deviation(values, elements).item() == pytest.approx(expected, rel=1e-14)


def test_of_equal_magnitudes_the_first_are_taken_and_what_is_not_a_number_counts_as_largest() -> None:
    values = torch.tensor([1.0, -3.0, 2.0, 3.0, -2.0, 2.0, 0.0])
    assert largest(values, 3).tolist() == [1, 2, 3]
    assert largest(values, 4).tolist() == [1, 2, 3, 4]
    assert largest(torch.tensor([1.0, float("nan"), float("-inf"), 5.0]), 2).tolist() == [1, 2]


@pytest.mark.parametrize(("ratio", "elements", "kept"),
                         [(0.01, 49, 1), (0.5, 5, 3), (0.5, 3, 2), (0.3, 10, 3), (1, 7, 7)])
def test_a_share_is_the_nearest_whole_number_and_at_least_one(ratio: float, elements: int, kept: int) -> None:
    assert kept_of(ratio, elements) == kept
