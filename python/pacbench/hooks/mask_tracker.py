"""PacTrain's Mask Tracker: which elements of a bucket's gradient can be other than zero, found out from gradients.

Source: PacTrain, arXiv 2505.18563, section III. A single iteration's zeros differ between ranks and
by chance. So each rank proposes all elements that it has seen other than zero. The proposals are
joined over the ranks, and all ranks take the same decision. A bucket's mask is settled (in use)
once `stable_after` agreed masks in a row were the same. Until then gradients travel whole. Later, a
rank whose gradient has elements outside the mask holds them back and raises a flag. The next
iteration then sends whole gradients and agrees anew.
"""

from collections.abc import Mapping
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from pacbench.hooks.bucket_mask import BucketMask
from pacbench.hooks.collectives import Group, all_reduce
from pacbench.hooks.layout import Slice


class TrackedBucket:
    """The knowledge of a bucket's mask. `possible` has the elements that its gradients may have:
    all but pruned weights."""

    def __init__(self, possible: BucketMask, seen: Tensor, held: Tensor | None, unchanged: int, needed: int):
        self._possible = possible
        self._seen = seen  # bool[elements]: other than zero on some rank, as last agreed
        self._held = held  # float32[elements]: to be delivered in the next iteration
        self._unchanged = unchanged  # agreed masks in a row that were the same
        self._needed = needed
        self._mask: BucketMask | None = None

    @property
    def mask(self) -> BucketMask | None:
        """The mask, or None while it is not settled."""
        if self._mask is None and self._unchanged >= self._needed:
            self._mask = BucketMask(self._possible.slices, self._seen, self._seen.device, self._possible.counts)
        return self._mask

    def deliver_held(self, own: Tensor) -> None:
        """Adds what was held back to `own`, and zeroes the gradients of pruned weights."""
        if self._held is not None:
            own.add_(self._held)
            self._held = None
        if not self._possible.whole:
            self._possible.scatter(self._possible.compact(own), own)

    def agree(self, own: Tensor, group: Group) -> None:
        """Joins what all ranks have seen, by one all-reduce of a byte an element."""
        joined = all_reduce((own != 0).logical_or_(self._seen).to(torch.uint8), group, dist.ReduceOp.MAX).bool()
        self._unchanged = self._unchanged + 1 if torch.equal(joined, self._seen) else 1
        self._seen = joined

    def hold_outside(self, own: Tensor) -> bool:
        """Moves what lies outside the mask from `own` to what is held back. Returns whether there was any."""
        outside = own.masked_fill(self._seen, 0)
        if not outside.any():
            return False
        self._held = outside
        own.masked_fill_(~self._seen, 0)
        return True

    def reopen(self) -> None:
        """Gives up the mask. The mask that the next iteration agrees on is used at once: elements
        that this mask still lacks will be flagged in turn."""
        self._unchanged, self._needed, self._mask = 0, 1, None

    def saved(self) -> dict[str, dict[str, Any]]:
        """The state by parameter name, because a resumed training begins with other buckets."""
        held = torch.zeros_like(self._seen, dtype=torch.float32) if self._held is None else self._held
        return {part.name: {"seen": part.of(self._seen).clone(), "held": part.of(held).clone(),
                            "unchanged": self._unchanged, "needed": self._needed} for part in self._possible.slices}


class MaskTracker:
    """The buckets of a model. A mask is settled after `stable_after` agreed masks in a row that were the same."""

    def __init__(self, stable_after: int):
        if stable_after < 1:
            raise ValueError(f"stable_after: found {stable_after}, expected at least 1")
        self._stable_after = stable_after
        self._of_bucket: dict[int, tuple[tuple[Slice, ...], TrackedBucket]] = {}
        self._saved: dict[str, dict[str, Any]] = {}

    def of(self, index: int, possible: BucketMask) -> TrackedBucket:
        """The bucket of that number. When buckets have changed, what was known of their parameters is joined."""
        slices, tracked = self._of_bucket.get(index, ((), None))
        if tracked is None or slices != possible.slices:
            self._saved = self.state_dict()
            # Earlier buckets may hold these parameters too, under other numbers.
            names = {part.name for part in possible.slices}
            self._of_bucket = {number: known for number, known in self._of_bucket.items()
                               if names.isdisjoint(part.name for part in known[0])}
            tracked = self._joined(possible)
            self._of_bucket[index] = possible.slices, tracked
        return tracked

    def _joined(self, possible: BucketMask) -> TrackedBucket:
        new = {"unchanged": 0, "needed": self._stable_after}
        parts = [self._saved.get(part.name, new | {"seen": torch.zeros(part.elements, dtype=torch.bool),
                                                   "held": torch.zeros(part.elements)}) for part in possible.slices]
        seen, held = (torch.cat([part[key] for part in parts]).to(possible.places.device) for key in ("seen", "held"))
        return TrackedBucket(possible, seen, held, min(part["unchanged"] for part in parts),
                             max(part["needed"] for part in parts))

    def state_dict(self) -> dict[str, dict[str, Any]]:
        saved = dict(self._saved)
        for _, tracked in self._of_bucket.values():
            saved |= tracked.saved()
        return saved

    def load_state_dict(self, state: Mapping[str, dict[str, Any]]) -> None:
        self._saved = dict(state)
        self._of_bucket.clear()
