"""What a mask that all ranks share keeps of each bucket, averaged as a short dense vector.

Source: PacTrain, arXiv 2505.18563, section III.
"""

from typing import Protocol

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.futures import Future

from pacbench.hooks.bucket_mask import BucketMask, Masks
from pacbench.hooks.collectives import Group, all_reduce
from pacbench.hooks.in_order import InOrder
from pacbench.hooks.layout import Layouts, Slice
from pacbench.hooks.philox import Stream, Use

CHECK_EVERY = 100
"""Exchanges of a bucket between proofs that all ranks hold the same mask; the first one has one."""


class Carrier(Protocol):
    """How kept gradients travel."""

    def average(self, values: Tensor, mask: BucketMask, stream: Stream, group: Group) -> Tensor: ...

    def finish_iteration(self, group: Group) -> None: ...


class Compacted:
    """The state of a hook that sends what masks keep by a carrier. Iterations count from 1."""

    def __init__(self, model: nn.Module, masks: Masks, carrier: Carrier, seed: int, group: Group):
        self._layouts = Layouts(model)
        self._masks = masks
        self._carrier = carrier
        self._seed = seed
        self._group = group
        self._in_order = InOrder()
        self._iteration = 1
        self._of_slices: dict[tuple[Slice, ...], BucketMask] = {}
        self._exchanges: dict[int, int] = {}

    def exchange(self, bucket: dist.GradBucket) -> Future[Tensor]:
        """The future of the bucket's mean, which is zero where the mask keeps nothing."""
        slices, index, is_last = self._layouts.of(bucket), bucket.index(), bucket.is_last()
        stream = Stream(self._seed, Use.ROUNDING, dist.get_rank(self._group), self._iteration)
        self._iteration += is_last

        def average(values: Tensor) -> Tensor:
            mask = self._mask_of(slices, values.device)
            self._check(mask, index)
            mean = self._carrier.average(mask.compact(values), mask, stream, self._group)
            if is_last:
                self._carrier.finish_iteration(self._group)
            return mask.scatter(mean, values)

        return self._in_order.run(bucket, average)

    def _mask_of(self, slices: tuple[Slice, ...], device: torch.device) -> BucketMask:
        if slices not in self._of_slices:
            self._of_slices[slices] = BucketMask(slices, self._masks, device)
        return self._of_slices[slices]

    def _check(self, mask: BucketMask, index: int) -> None:
        """Compacted vectors of different masks would be added element to wrong element."""
        exchanges = self._exchanges.get(index, 0)
        self._exchanges[index] = exchanges + 1
        if mask.whole or exchanges % CHECK_EVERY:
            return
        own = mask.hash()
        # The largest hash and the largest complement of a hash are of one mask only when all are.
        largest, complement = all_reduce(torch.stack([own, ~own]), self._group, dist.ReduceOp.MAX).tolist()
        if largest != ~complement:
            raise RuntimeError(f"bucket {index}: the masks of the ranks differ; rank {dist.get_rank(self._group)} "
                               f"keeps {mask.kept} of {mask.elements} elements; prune with the same seed on all "
                               "ranks, after DistributedDataParallel has made the weights equal")
