"""Averages the elements of each bucket that a mask keeps, as a short dense vector. All ranks share
the mask.

Source: PacTrain, arXiv 2505.18563, section III.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.futures import Future

from pacbench.hooks.bucket_mask import BucketMask, Masks
from pacbench.hooks.collectives import Group, all_reduce
from pacbench.hooks.in_order import InOrder
from pacbench.hooks.layout import Layouts, Slice, require_keys
from pacbench.hooks.mask_tracker import MaskTracker
from pacbench.hooks.philox import Stream, Use
from pacbench.hooks.residuals import Residuals

CHECK_EVERY = 100
"""All ranks must hold the same mask. They compare it at a bucket's first exchange with a mask, then at every 100th."""


class Carrier(Protocol):
    """Averages kept gradients over all ranks."""

    def average(self, values: Tensor, mask: BucketMask, stream: Stream, group: Group, keeps_rest: bool,
                flag: bool | None) -> tuple[Tensor, bool]:
        """Averages float32[kept] over all ranks. Also returns whether any rank's flag was up.

        With `keeps_rest`, what was not sent is left in `values`. `flag` travels as one more
        element; None: no flag does.
        """

    def finish_iteration(self, group: Group, device: torch.device) -> None:
        """Compacted calls it after an iteration's last bucket; gradients are on `device`."""

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None: ...


class Compacted:
    """The state of a hook that hands a carrier the elements that masks keep. Iterations count from
    1.

    With `error_feedback` each rank adds what it did not send to its next gradient. With
    `stable_after`, PacTrain's MaskTracker finds the masks out from gradients.
    """

    def __init__(self, model: nn.Module, masks: Masks, carrier: Carrier, seed: int, group: Group,
                 error_feedback: bool = False, stable_after: int | None = None):
        self._layouts = Layouts(model)
        self.masks = masks
        self._carrier = carrier
        self._seed = seed
        self._residuals = Residuals() if error_feedback else None
        self._tracker = None if stable_after is None else MaskTracker(stable_after)
        self._in_order = InOrder(group)
        self._iteration = 1
        self._of_slices: dict[tuple[Slice, ...], BucketMask] = {}
        self._exchanges: dict[int, int] = {}

    def exchange(self, bucket: dist.GradBucket) -> Future[Tensor]:
        """The future of the bucket's mean, which is zero where the mask keeps nothing."""
        slices, index, is_last = self._layouts.of(bucket), bucket.index(), bucket.is_last()
        stream = Stream(self._seed, Use.ROUNDING, dist.get_rank(self._in_order.group), self._iteration)
        self._iteration += is_last

        def average(values: Tensor) -> Tensor:
            own = self._residuals.added_to(values, index, slices) if self._residuals else values
            self._average(own, values, index, self._of_weights(slices, values.device), stream)
            if self._residuals:
                self._residuals.keep(own, values, index, slices)
            if is_last:
                self._carrier.finish_iteration(self._in_order.group, values.device)
            return values

        return self._in_order.run(bucket, average)

    def state_dict(self) -> dict[str, Any]:
        """All that is remembered from one iteration to the next, for a checkpoint of this rank.

        Call it between iterations, and on each rank: what ranks hold back differs between them.
        """
        saved = {"iteration": self._iteration, "carrier": self._carrier.state_dict(),
                 "masks": {self._layouts.names[number]: mask.clone() for number, mask in self.masks.items()}}
        if self._residuals:
            saved["residuals"] = self._residuals.state_dict()
        if self._tracker:
            saved["tracker"] = self._tracker.state_dict()
        return saved

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on from a saved state, masks included. Throws ValueError for a tensor of a name or a
        size that the model does not have. Throws it also where the state and this hook differ in
        error feedback or in having a tracker. Other options are not compared."""
        require_keys(state, set(self.state_dict()))
        self._layouts.require(state["masks"])
        self.masks = {self._layouts.names.index(name): mask.clone() for name, mask in state["masks"].items()}
        self._iteration = state["iteration"]
        self._carrier.load_state_dict(state["carrier"])
        if self._residuals:
            self._layouts.require(state["residuals"])
            self._residuals.load_state_dict(state["residuals"])
        if self._tracker:
            self._layouts.require({name: known["seen"] for name, known in state["tracker"].items()})
            self._tracker.load_state_dict(state["tracker"])
        self._of_slices.clear()
        self._exchanges.clear()  # The next exchange checks that all ranks loaded the same masks.

    def _of_weights(self, slices: tuple[Slice, ...], device: torch.device) -> BucketMask:
        if slices not in self._of_slices:
            self._of_slices[slices] = BucketMask.of_weights(slices, self.masks, device)
        return self._of_slices[slices]

    def _average(self, own: Tensor, out: Tensor, index: int, possible: BucketMask, stream: Stream) -> None:
        """Writes the mean of float32[elements] to `out`. With error feedback what is not sent stays
        in `own`."""
        tracked = self._tracker.of(index, possible) if self._tracker else None
        if tracked:
            tracked.deliver_held(own)
        mask = tracked.mask if tracked else possible
        if mask is None:
            self._exchanges[index] = 0
            tracked.agree(own, self._in_order.group)
            mean = all_reduce(own.clone(), self._in_order.group).div_(dist.get_world_size(self._in_order.group))
            own.zero_()
            out.copy_(mean)
            return
        self._check(mask, index)
        kept = mask.compact(own)
        flag = tracked.hold_outside(own) if tracked else None
        mean, flagged = self._carrier.average(kept, mask, stream, self._in_order.group, self._residuals is not None, flag)
        if flagged:
            tracked.reopen()
        if self._residuals:
            mask.scatter(kept, own)
        mask.scatter(mean, out)

    def _check(self, mask: BucketMask, index: int) -> None:
        """At every CHECK_EVERY-th exchange, throws RuntimeError when the ranks' masks differ: the
        sum of their vectors would mix different elements. A mask that keeps everything is not
        checked, except with a tracker."""
        exchanges = self._exchanges.get(index, 0)
        self._exchanges[index] = exchanges + 1
        if (mask.whole and not self._tracker) or exchanges % CHECK_EVERY:
            return
        own = mask.hash()
        # The complement of the largest complement is the smallest hash. It equals the largest one
        # only when all hashes are equal.
        largest, complement = all_reduce(torch.stack([own, ~own]), self._in_order.group, dist.ReduceOp.MAX).tolist()
        if largest != ~complement:
            raise RuntimeError(f"bucket {index}: the masks of the ranks differ; rank {dist.get_rank(self._in_order.group)} "
                               f"keeps {mask.kept} of {mask.elements} elements; prune with the same seed on all "
                               "ranks, after DistributedDataParallel has made the weights equal")
