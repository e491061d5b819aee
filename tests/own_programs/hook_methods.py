"""Hooks of PyTorch's, unchanged, as methods."""

import pacbench
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook, quantization_hooks


class PowerSGD(pacbench.DdpHook):
    rank: int = pacbench.option(2, low=1)

    def hook(self, group):
        state = powerSGD_hook.PowerSGDState(group, matrix_approximation_rank=self.rank, start_powerSGD_iter=2,
                                            min_compression_rate=1)
        return state, powerSGD_hook.powerSGD_hook


class PerTensor(pacbench.DdpHook):
    def hook(self, group):
        return None, quantization_hooks.quantization_pertensor_hook


class PerChannel(pacbench.DdpHook):
    def hook(self, group):
        return group, quantization_hooks.quantization_perchannel_hook


class Fp16(pacbench.DdpHook):
    def hook(self, group):
        return group, default_hooks.fp16_compress_hook


class Broken(pacbench.DdpHook):
    def hook(self, group):
        def hook(state, bucket):
            return default_hooks.allreduce_hook(group, bucket).then(lambda _: 1 / 0)

        return None, hook
