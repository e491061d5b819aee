"""Checks of a task or an averager of one's own without links, in seconds; also under pytest:

    from pacbench.testing import check_averager, check_method, check_task

    def test_mine():
        check_averager("my_method.py:BlockTopK", keep=0.1)

Each check raises AssertionError with what was found and what was expected. What they cannot show: that a method learns,
and that kernels of torch give the same bits on another machine.
"""

import copy
import hashlib
import time
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from pacbench import task
from pacbench.averager_adapter import AveragerAdapter
from pacbench.ddp_hook_method import DdpHook
from pacbench.options import with_options
from pacbench.runs import trainer_module
from pacbench.stream import is_stream
from pacbench.task_adapter import TaskAdapter
from pacbench.users_code import class_named

SIZES = (1, 7, 1000)  # elements of buckets
RANKS = (1, 2, 3, 8)
STEPS = 3
BATCH = 8


def carry_out(calls: list[tuple[str, Tensor, tuple, tuple, int]]) -> list[Tensor]:
    """What each rank gets of a collective that all ranks call. Methods inside are taken to be exact."""
    ops = {call[0] for call in calls}
    assert len(ops) == 1, f"rank 0 calls {calls[0][0] or 'nothing more'} where another rank calls " \
                          f"{(ops - {calls[0][0]}).pop() or 'nothing more'}, expected the same calls in the same order"
    op, sent = ops.pop(), [call[1] for call in calls]
    if op != "all_to_all":
        sizes = {tensor.numel() for tensor in sent}
        assert len(sizes) == 1, f"ranks call {op} with {sorted(sizes)} elements, expected as many on each"
    if op == "average":
        return [torch.stack(sent).mean(0) for _ in sent]
    if op == "average_and_rest":
        return [torch.stack([torch.stack(sent).mean(0), torch.zeros_like(own)]) for own in sent]
    if op == "all_reduce":
        return [torch.stack(sent).sum(0, dtype=sent[0].dtype) for _ in sent]
    if op == "all_reduce_max":
        return [torch.stack(sent).amax(0) for _ in sent]
    if op == "broadcast":
        return [sent[calls[0][4]].clone() for _ in sent]
    if op == "all_gather":
        return [torch.cat(sent) for _ in sent]
    parts = [tensor.split(list(call[2])) for tensor, call in zip(sent, calls)]
    return [torch.cat([of_rank[rank] for of_rank in parts]) for rank in range(len(sent))]


class Ranks:
    """Averagers of all ranks in this process, which exchange through memory."""

    def __init__(self, cls: type, options: dict[str, Any], ranks: int, elements: int) -> None:
        self.adapters = [AveragerAdapter(with_options(cls, options)) for _ in range(ranks)]
        self.step = 0
        for rank, adapter in enumerate(self.adapters):
            adapter.settle([(0, elements, [("weight", [elements], 0, elements, 0, None)])], rank, ranks)

    @torch.no_grad()
    def average(self, grads: Tensor) -> list[Tensor]:
        """float32[elements] of each rank, in one more iteration; `grads` is float32[ranks, elements]."""
        self.step += 1
        running = [adapter.begin(0, grad.clone(), self.step, 0.1) for adapter, grad in zip(self.adapters, grads)]
        answers: list[Tensor | None] = [None] * len(running)
        while True:
            calls = [adapter.go_on(one, answer) for adapter, one, answer in zip(self.adapters, running, answers)]
            if not any(call[0] for call in calls):
                return [call[1] for call in calls]
            answers = carry_out(calls)

    def take_state(self, other: "Ranks") -> None:
        """Goes on where `other` is, by what its buckets keep."""
        self.step = other.step
        for mine, theirs in zip(self.adapters, other.adapters):
            mine.take_state(theirs.state())


def _grads(ranks: int, elements: int) -> Iterator[Tensor]:
    generator = torch.Generator().manual_seed(7)
    while True:
        yield torch.randn(ranks, elements, generator=generator)


def check_averager(name: str, folder: str = ".", **options: Any) -> None:
    """Averages random gradients among 1, 2, 3 and 8 ranks and checks that

    - all ranks make the same calls and end with the same bits, in the bucket's shape;
    - the same gradients give the same bits again;
    - what it remembers is in bucket.state, so that a training can be resumed;
    - a gradient that is not a number does not vanish.
    """
    cls = class_named(folder, name)
    for ranks in RANKS:
        for elements in SIZES:
            where = f"{name} among {ranks} ranks, a bucket of {elements}"
            one, again = (Ranks(cls, options, ranks, elements) for _ in range(2))
            grads = _grads(ranks, elements)
            for _ in range(STEPS):
                own = next(grads)
                means = one.average(own)
                for rank, mean in enumerate(means):
                    assert torch.equal(mean, means[0]), f"{where}: rank {rank} has another mean than rank 0"
                assert torch.equal(again.average(own)[0], means[0]), \
                    f"{where}: the same gradients gave another mean; draw random numbers from bucket.random()"
            if issubclass(cls, DdpHook):
                continue  # what its hook remembers is nobody's to save
            resumed = Ranks(cls, options, ranks, elements)
            resumed.take_state(one)
            own = next(grads)
            assert torch.equal(resumed.average(own)[0], one.average(own)[0]), \
                f"{where}: resumed from bucket.state it gives another mean; keep what lasts in bucket.state"
    bad = torch.ones(2, 64)
    bad[1, 5] = float("nan")
    try:
        (mean, _) = Ranks(cls, options, 2, 64).average(bad)
    except Exception:
        return  # refused
    assert not mean.isfinite().all(), f"{name}: rank 1's gradient is not a number, and the mean does not show it"


class RanksAfterSteps:
    """Methods of all ranks in this process, whose weights an optimiser changes at random, each rank's otherwise."""

    def __init__(self, cls: type, options: dict[str, Any], ranks: int, elements: int = 7) -> None:
        self.adapters = [AveragerAdapter(with_options(cls, options)) for _ in range(ranks)]
        self.weights = torch.zeros(ranks, elements)
        self.step = 0
        for rank, adapter in enumerate(self.adapters):
            adapter.settle([(0, elements, [("weight", [elements], 0, elements, 0, None)])], rank, ranks)
            adapter.take_names(["weight"])

    @torch.no_grad()
    def go_on(self) -> bool:
        """One more step. Returns whether all ranks say that they hold the same weights."""
        self.step += 1
        self.weights += torch.randn(self.weights.shape, generator=torch.Generator().manual_seed(self.step))
        running = [adapter.begin_after_step([own], self.step, 0.1) for adapter, own in zip(self.adapters, self.weights)]
        answers: list[Tensor | None] = [None] * len(running)
        while True:
            calls = [adapter.go_on(one, answer) for adapter, one, answer in zip(self.adapters, running, answers)]
            if not any(call[0] for call in calls):
                said = {bool(call[1]) for call in calls}
                assert len(said) == 1, "some ranks say that all hold the same weights, and others that they do not"
                return said.pop()
            answers = carry_out(calls)

    def take_state(self, other: "RanksAfterSteps") -> None:
        self.step, self.weights = other.step, other.weights.clone()
        for mine, theirs in zip(self.adapters, other.adapters):
            mine.take_state(theirs.state())


def check_method(name: str, folder: str = ".", **options: Any) -> None:
    """Changes the weights of 1, 2, 3 and 8 ranks at random, two periods of steps long, and checks that

    - all ranks make the same calls, and hold the same bits where they say so, at least once;
    - the same weights give the same bits again;
    - what it remembers is in weights.state, so that a training can be resumed.
    """
    cls = class_named(folder, name)
    for ranks in RANKS:
        where = f"{name} among {ranks} ranks"
        one, again = (RanksAfterSteps(cls, options, ranks) for _ in range(2))
        agreed = 0
        for _ in range(2 * with_options(cls, options).period() + 1):
            if one.go_on():
                agreed += 1
                assert (one.weights == one.weights[0]).all(), f"{where}: after_step() returned True, but their weights differ"
            again.go_on()
            assert torch.equal(one.weights, again.weights), f"{where}: the same weights became others in after_step()"
            resumed = RanksAfterSteps(cls, options, ranks)
            resumed.take_state(one)
        assert agreed > 0, f"{where}: after_step() never returned True, in {one.step} steps; tell its period()"
        for _ in range(with_options(cls, options).period()):
            one.go_on(), resumed.go_on()
        assert torch.equal(one.weights, resumed.weights), \
            f"{where}: resumed from weights.state it gives other weights; keep what lasts in weights.state"


def task_of(cls_name: str, folder: str, options: dict[str, Any], rank: int, seed: int = 1) -> TaskAdapter:
    """A task as one rank of a cell makes it."""
    epoch_permutation = trainer_module().epoch_permutation
    spec = {"workload": {"model": {"name": cls_name, **options}}, "python_folder": folder, "seed": seed, "rank": rank}
    return TaskAdapter(spec, epoch_permutation)


def _hash(tensors: list[Tensor]) -> str:
    digest = hashlib.sha256()
    for tensor in tensors:
        digest.update(tensor.detach().contiguous().numpy().tobytes())
    return digest.hexdigest()


def check_task(name: str, folder: str = ".", batch_per_worker: int | None = None, **options: Any) -> dict[str, float]:
    """Makes a task as two ranks would and checks that

    - both have the same first weights, and another seed has others;
    - their batches of an iteration are disjoint, and come again the same;
    - three steps have finite losses, and gradients for each parameter;
    - an evaluation leaves weights and buffers as they are.

    batch_per_worker is 8, or that of an iterable's first batch, where it is not given. Returns parameters, train_samples, test_samples, step_s and evaluated_s.
    """
    ranks = [task_of(name, folder, options, rank) for rank in range(2)]
    if batch_per_worker is None:
        batch_per_worker = len(next(iter(ranks[0].training))[1]) if is_stream(ranks[0].training) else BATCH
    weights = [[tensor for _, tensor, _, _ in adapter.parameters()] for adapter in ranks]
    assert not {id(one) for one in weights[0]} & {id(one) for one in weights[1]}, \
        f"{name}: model() gives two ranks the same tensors; make a new model at each call"
    assert _hash(weights[0]) == _hash(weights[1]), \
        f"{name}: model() gives two ranks different weights; draw them from torch's, numpy's or random's generators alone"
    other = [tensor for _, tensor, _, _ in task_of(name, folder, options, 0, seed=2).parameters()]
    assert _hash(other) != _hash(weights[0]), f"{name}: model() gives the same weights for seeds 1 and 2"
    batches = [adapter.batch(1, rank, 2, batch_per_worker) for rank, adapter in enumerate(ranks)]
    assert _hash(list(batches[0])) == _hash(list(ranks[0].batch(1, 0, 2, batch_per_worker))), \
        f"{name}: rank 0's batch of iteration 1 is another one at the second call"
    assert _hash(list(batches[0])) != _hash(list(batches[1])), f"{name}: both ranks have the same batch in iteration 1"
    adapter, parameters = ranks[0], weights[0]
    began = time.perf_counter()
    for step in range(1, STEPS + 1):
        for parameter in parameters:
            parameter.grad = None
        loss = adapter.loss(adapter.batch(step, 0, 2, batch_per_worker))
        assert loss.ndim == 0 and loss.isfinite(), f"{name}: loss() of step {step} is {loss}, expected a finite scalar"
        loss.backward()
        for (parameter_name, parameter, _, _) in adapter.parameters():
            assert parameter.grad is not None, f"{name}: parameter {parameter_name} gets no gradient; it must take part in each step"
            with torch.no_grad():
                parameter -= 0.01 * parameter.grad
    step_s = (time.perf_counter() - began) / STEPS
    kept = copy.deepcopy([*parameters, *(buffer for _, buffer in adapter.buffers())])
    began = time.perf_counter()
    samples, correct, loss_sum = adapter.evaluate(0, adapter.evaluated_samples())
    evaluated_s = time.perf_counter() - began
    assert _hash(kept) == _hash([*parameters, *(buffer for _, buffer in adapter.buffers())]), \
        f"{name}: evaluate() changed weights or buffers"
    assert samples > 0 and loss_sum == loss_sum, f"{name}: evaluate() found {samples} samples and a loss of {loss_sum}"
    assert correct is None or 0 <= correct <= samples, f"{name}: evaluate() found {correct} of {samples} right"
    return {"parameters": sum(parameter.numel() for parameter in parameters), "step_s": step_s, "evaluated_s": evaluated_s,
            "train_samples": task.size_of(adapter.training), "test_samples": task.size_of(adapter.test)}
