"""Communication hooks for DistributedDataParallel: pacbench's methods in plain PyTorch.

    model = DistributedDataParallel(model)
    model.register_comm_hook(hooks.PacTrain(model, ratio=0.5), hooks.pactrain)

A state holds what a hook remembers. It belongs to one model on one rank. With the same seed, each
hook gives the gradients that the method of the same name gives in a pacbench scenario. They are
equal bit by bit, except for powersgd's. docs/METHODS.md says what each one sends. Values are
float32. The hooks run over Gloo and are written for NCCL as well, but no test has run them over
NCCL.

TopK, TernGrad and PacTrain have state_dict() and load_state_dict(), for a checkpoint of each rank.
A training that is resumed with them has the bits of one that never stopped, if the buckets are the
same. DistributedDataParallel rebuilds its buckets after its first backward pass, so run one before
you register the hook. Fp16 remembers nothing. The state of PowerSGD is PyTorch's own.

Pruning in steps and GraSP by differences of gradients are not in this package. Rounding a million
entries to digits takes a CPU a tenth of a second. Measure times with pacbench's worker instead,
which does this in C++.
"""

from pacbench.hooks.bucket_mask import Masks
from pacbench.hooks.fp16_hook import Fp16, fp16
from pacbench.hooks.pactrain_hook import PacTrain, pactrain
from pacbench.hooks.powersgd_hook import powersgd, powersgd_state
from pacbench.hooks.pruning import prune
from pacbench.hooks.terngrad_hook import TernGrad, terngrad
from pacbench.hooks.topk_hook import TopK, topk

__all__ = ["Fp16", "Masks", "PacTrain", "TernGrad", "TopK", "fp16", "pactrain", "powersgd", "powersgd_state", "prune",
           "terngrad", "topk"]
