"""PacTrain's tracker where DistributedDataParallel has rebuilt its buckets."""

import torch
from pacbench.hooks.bucket_mask import BucketMask
from pacbench.hooks.layout import Slice
from pacbench.hooks.mask_tracker import MaskTracker


def whole_bucket(*parameters: int) -> BucketMask:
    slices = tuple(Slice(number, f"p{number}", 2 * place, 2) for place, number in enumerate(parameters))
    return BucketMask(slices, None, torch.device("cpu"))


def test_buckets_that_are_rebuilt_into_fewer_leave_nothing_of_before() -> None:
    tracker = MaskTracker(3)
    for number, bucket in enumerate([whole_bucket(3), whole_bucket(2), whole_bucket(1, 0)]):
        tracker.of(number, bucket)
    rebuilt = [tracker.of(number, bucket) for number, bucket in enumerate([whole_bucket(3, 2), whole_bucket(1, 0)])]
    for bucket in rebuilt:
        bucket.reopen()
    assert {known["needed"] for known in tracker.state_dict().values()} == {1}
