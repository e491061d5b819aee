"""Trains by torch's DistributedDataParallel with torch's communication hooks, a process a rank."""
import os
import tempfile
from math import cos, log1p, pi, prod, sin, sqrt
from unittest import mock

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import PostLocalSGDState, post_localSGD_hook
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.distributed.optim import PostLocalSGDOptimizer
from torch.nn.parallel import DistributedDataParallel
from training import Case, loss_of, philox


def first_q(*shape: int, **_) -> torch.Tensor:
    """pacbench's own first Q (normal numbers from Philox by Box and Muller), in place of torch's
    random one: both sides have to begin with the same matrix."""
    numbers = []
    for block in range(-(-prod(shape) // 4)):
        uniform = [(word >> 8) / 2**24 for word in philox([block, 0, 0, 6 << 24], [0, 0])]
        for first, second in (uniform[:2], uniform[2:]):
            radius, angle = sqrt(-2 * log1p(-first)), 2 * pi * second
            numbers += [radius * cos(angle), radius * sin(angle)]
    return torch.tensor(numbers[:prod(shape)]).view(shape)


def power_sgd(state: powerSGD_hook.PowerSGDState, bucket: dist.GradBucket):
    with mock.patch.object(torch, "randn", first_q):
        mean = powerSGD_hook.powerSGD_hook(state, bucket)
    # One bucket at a time, since the hook hangs over Gloo with two under way. It asks for its
    # second sum when the first is there. Probably that is before the next bucket's first sum on one
    # rank, and after it on another.
    mean.wait()
    return mean


def hook_of(case: Case):
    """torch's hook that is a case's method, and the hook's state."""
    method = case.method
    if method["name"] == "powersgd":
        return power_sgd, powerSGD_hook.PowerSGDState(
            None, method["rank"], start_powerSGD_iter=method["dense_iterations"],
            use_error_feedback=method["error_feedback"], orthogonalization_epsilon=1e-8)
    if method["name"] == "local-sgd":
        return post_localSGD_hook, PostLocalSGDState(None, None, method["begin_after"],
                                                     post_local_gradient_allreduce=False)
    return {"all-reduce": default_hooks.allreduce_hook, "fp16": default_hooks.fp16_compress_hook,
            "bf16": default_hooks.bf16_compress_hook}[method["name"]], None


def optimizer_of(case: Case, model: torch.nn.Module):
    optimizer = case.sgd(model)
    if case.method["name"] != "local-sgd":
        return optimizer
    # torch averages after step `warmup_steps`, counted from 0, and then after every period.
    # pacbench averages at the end of a period of local steps.
    every, begin_after = case.method["every"], case.method["begin_after"]
    return PostLocalSGDOptimizer(optimizer, PeriodicModelAverager(every, begin_after + every - 1))


def train(case: Case, rank: int) -> dict | None:
    model = case.model()
    parallel = DistributedDataParallel(model)
    hook, state = hook_of(case)
    exchanges = False

    def after_warm_up(_, bucket):
        if exchanges:
            return hook(state, bucket)
        done = torch.futures.Future()
        done.set_result(bucket.buffer())
        return done

    parallel.register_comm_hook(None, after_warm_up)
    # Buckets are rebuilt after the first backward pass; pacbench exchanges only the rebuilt ones.
    loss_of(parallel, case, rank, 1).backward()
    exchanges = True
    optimizer = optimizer_of(case, model)
    losses = torch.zeros(case.iterations, case.workers, dtype=torch.float64)
    for iteration in range(1, case.iterations + 1):
        optimizer.zero_grad()
        loss = loss_of(parallel, case, rank, iteration)
        loss.backward()
        optimizer.step()
        losses[iteration - 1, rank] = loss.item()
    dist.all_reduce(losses)
    return case.recorded(losses.tolist(), model) if rank == 0 else None


def run_rank(rank: int, workers: int, cases: list[Case], meeting_point: str, results) -> None:
    torch.set_num_threads(1)
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    dist.init_process_group("gloo", init_method=f"file://{meeting_point}", rank=rank, world_size=workers)
    trained = [train(case, rank) for case in cases]
    if rank == 0:
        results.put(trained)
    dist.destroy_process_group()


def train_all(cases: list[Case]) -> list[dict]:
    workers, = {case.workers for case in cases}
    results = mp.get_context("spawn").SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        ranks = mp.spawn(run_rank, (workers, cases, f"{folder}/meeting-point", results), nprocs=workers, join=False)
        trained = None
        while not ranks.join(timeout=0.1):  # throws what a rank threw
            trained = trained or (None if results.empty() else results.get())
        return trained or results.get()
