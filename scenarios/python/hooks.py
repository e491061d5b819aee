"""Hooks of PyTorch's DistributedDataParallel, unchanged, as methods."""

import pacbench
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook


class PowerSGD(pacbench.DdpHook):
    """PyTorch's PowerSGD, after ten iterations of all-reduce."""

    rank: int = pacbench.option(2, low=1)

    def hook(self, group):
        return PowerSGDState(group, matrix_approximation_rank=self.rank, start_powerSGD_iter=10), powerSGD_hook
