"""PowerSGD: each matrix of gradients as two thin ones, by two all-reduces, with error feedback.

Source: Vogels, Karimireddy and Jaggi 2019, arXiv 1905.13727, algorithms 1 and 2. The hook is PyTorch's own.
"""

from typing import Any

import torch.distributed as dist
from torch import Tensor
from torch.futures import Future

from pacbench.hooks.collectives import Group


def powersgd_state(rank: int = 1, dense_iterations: int = 10, error_feedback: bool = True, group: Group = None) -> Any:
    """A PowerSGDState of PyTorch for `powersgd`. Needs NumPy, which PyTorch's hook imports.

    `rank` counts the columns of the two matrices. The first `dense_iterations`, at least 2, exchange whole gradients.
    """
    from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState

    return PowerSGDState(group, rank, start_powerSGD_iter=dense_iterations, use_error_feedback=error_feedback,
                         orthogonalization_epsilon=1e-8)


def powersgd(state: Any, bucket: dist.GradBucket) -> Future[Tensor]:
    """The hook. Finishes a bucket before backward goes on.

    PyTorch's hook starts its second all-reduce when the first has ended. With two buckets under
    way, it may start before the next bucket's first all-reduce on one rank and after it on another.
    Gloo then pairs the wrong calls and hangs.
    """
    from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import powerSGD_hook

    mean = powerSGD_hook(state, bucket)
    mean.wait()
    return mean
