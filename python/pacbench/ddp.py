"""pacbench's methods, those of its worker in C++, as communication hooks in a program of your own:

    model = DistributedDataParallel(network)
    model.register_comm_hook(*pacbench.ddp_hook(model, "topk", ratio=0.01))

Names and options are those of a scenario (docs/METHODS.md). It needs the worker's torch, and gradients on the CPU.
"""

import json
import os
from collections.abc import Callable
from dataclasses import astuple
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.futures import Future
from torch.nn.parallel import DistributedDataParallel

from pacbench.hooks.layout import Layouts, Slice
from pacbench.runs import trainer_module

TIMEOUT_S = 600
_made: dict[dist.ProcessGroup, int] = {}  # hooks of each group, so that each meets its peers apart from others


class DdpState:
    """What a hook remembers on one rank. `lr` is the learning rate of the coming step, for methods that look at it."""

    def __init__(self, model: DistributedDataParallel, method: str, options: dict[str, Any], seed: int) -> None:
        self.lr = 0.0
        self._group = group = model.process_group
        self._layouts = Layouts(model)
        self._kinds = _kinds_of(model.module)
        self._shapes = [list(parameter.shape) for parameter in model.module.parameters()]
        self._entry = {"name": method, **options}
        self._exchanges = trainer_module().DdpExchanges(_store(group), os.environ.get("GLOO_SOCKET_IFNAME", ""), group.rank(),
                                                       group.size(), TIMEOUT_S, json.dumps(self._entry), seed)
        self._iteration = 0
        self._seen: list[tuple[Slice, ...]] = []  # of this iteration, as far as it has come
        self._before: list[tuple[Slice, ...]] = []  # of the iteration before
        self._settled: list[tuple[Slice, ...]] = []
        self._saved: dict[str, Any] | None = None

    def exchange(self, bucket: dist.GradBucket) -> Future[Tensor]:
        """The future of the bucket's mean, or what the method puts in its place.

        DistributedDataParallel rebuilds its buckets after the first backward pass. So an iteration is averaged exactly
        where its buckets are not those of the iteration before, as in the first two.
        """
        index, slices, is_last = bucket.index(), self._layouts.of(bucket), bucket.is_last()
        if index == 0:
            self._seen = []
            self._is_known = bool(self._before) and self._before[0] == slices
            if self._is_known:
                self._begin()
        self._seen.append(slices)
        future = self._replaced(index, slices, bucket.buffer()) if self._is_known else allreduce_hook(self._group, bucket)
        if is_last:
            if self._is_known:
                self._exchanges.finish()
            self._before = self._seen
        return future

    def _begin(self) -> None:
        if self._settled != self._before:
            if self._settled:
                raise RuntimeError("DistributedDataParallel has rebuilt its buckets again, and what the method remembers is of "
                                   "the old ones; register the hook anew")
            self._settled = self._before
            self._exchanges.settle([[self._described(part) for part in slices] for slices in self._settled])
            self._restore()
        self._iteration += 1
        self._exchanges.begin(self._iteration, self.lr)

    def _described(self, part: Slice) -> tuple[int, str, list[int], int, int, bool, bool]:
        return part.parameter, part.name, self._shapes[part.parameter], part.offset, part.elements, *self._kinds[part.name]

    def _replaced(self, index: int, slices: tuple[Slice, ...], buffer: Tensor) -> Future[Tensor]:
        if self._settled[index] != slices:
            raise RuntimeError(f"bucket {index} has other parameters than in the iteration before, expected the same")
        if buffer.device.type != "cpu":
            raise TypeError(f"found gradients on {buffer.device}, expected them on the CPU: this hook exchanges over Gloo")
        values = buffer if buffer.dtype == torch.float32 else buffer.float()
        done: Future[Tensor] = Future()

        def ended(failure: str | None) -> None:
            if failure is not None:
                done.set_exception(RuntimeError(failure))
                return
            if values is not buffer:
                buffer.copy_(values)
            done.set_result(buffer)

        result = done.then(lambda future: future.value())
        self._exchanges.exchange(index, values, ended)
        return result

    def state_dict(self) -> dict[str, Any]:
        """All that the method remembers on this rank, for a checkpoint; call it between iterations, on each rank."""
        if self._saved is not None:
            return self._saved  # loaded, and not used yet
        return {"method": self._entry, "iteration": self._iteration, "lr": self._exchanges.last_lr,
                "buckets": [[astuple(part) for part in slices] for slices in self._settled],
                "state": self._exchanges.state() if self._settled else {}}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on from a saved state. Call it once DistributedDataParallel has rebuilt its buckets, after a backward pass
        whose gradients are dropped: then the training has the bits of one that never stopped. Raises ValueError where
        the method or its options are others; where the buckets are, the next backward pass raises it."""
        if state["method"] != self._entry:
            raise ValueError(f"the saved state is of {state['method']}, expected {self._entry}")
        self._saved = state
        if self._settled:
            self._restore()
        elif state["buckets"]:
            self._before = [tuple(Slice(*part) for part in slices) for slices in state["buckets"]]

    def _restore(self) -> None:
        if self._saved is None:
            return
        saved, self._saved = self._saved, None
        if not saved["buckets"]:
            return  # saved before the method began
        if saved["buckets"] != [[astuple(part) for part in slices] for slices in self._settled]:
            raise ValueError("the saved state is of other buckets than DistributedDataParallel has now; keep bucket_cap_mb and "
                             "the model as they were")
        self._exchanges.take_state(saved["state"])
        self._exchanges.last_lr, self._iteration = saved["lr"], saved["iteration"]


def _hook(state: DdpState, bucket: dist.GradBucket) -> Future[Tensor]:
    return state.exchange(bucket)


def ddp_hook(model: DistributedDataParallel, method: str, *, seed: int = 0,
             **options: Any) -> tuple[DdpState, Callable[[DdpState, dist.GradBucket], Future[Tensor]]]:
    """The arguments of model.register_comm_hook() for a method that only averages gradients (`pacbench list methods`).
    Call it on all ranks with the same arguments; it waits for them.

    A bucket with a gradient that is not finite on any rank, as where a loss scaler tries too large a scale, becomes NaN on
    all, and nothing of it stays in residuals. What other buckets sent in a step that the scaler then skips is lost to
    error feedback, and residuals are not rescaled with the scale: bfloat16 needs no scaler. Gradients in half precision
    are exchanged from float32 copies.

    Raises ValueError where the model's gradients would be lost: with find_unused_parameters, where a parameter that no
    rank used has no mean, and for sparse gradients. RuntimeError for a wrong method or option, and ImportError where
    the worker's module cannot be used.
    """
    if model.find_unused_parameters:
        raise ValueError("found find_unused_parameters=True, expected False: what a method holds back of a parameter that no "
                         "rank used in a step would be lost; pacbench.hooks.TopK, TernGrad and PacTrain keep it")
    for name, module in model.module.named_modules():
        if isinstance(module, (nn.Embedding, nn.EmbeddingBag)) and module.sparse:
            raise ValueError(f"{name}: found sparse gradients, expected dense ones: make it with sparse=False")
    return DdpState(model, method, options, seed), _hook


def _store(group: dist.ProcessGroup) -> dist.Store:
    """Where the ranks of a group meet for one hook. They make its hooks in the same order."""
    _made[group] = _made.get(group, 0) + 1
    return dist.PrefixStore(f"pacbench-{_made[group]}", dist.distributed_c10d._get_process_group_store(group))


def _kinds_of(network: nn.Module) -> dict[str, tuple[bool, bool]]:
    """Whether each parameter is the weight of a convolution or a linear layer, and whether it is an embedding."""
    kinds = {}
    for prefix, module in network.named_modules():
        for name, _ in module.named_parameters(prefix, recurse=False):
            kinds[name] = isinstance(module, (nn.Linear, nn.Conv2d)) and name.endswith("weight"), isinstance(module, nn.Embedding)
    return kinds
