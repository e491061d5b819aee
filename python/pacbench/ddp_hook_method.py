"""An unchanged communication hook of DistributedDataParallel as a method, a row of a table:

    class PowerSGD(pacbench.DdpHook):
        rank: int = pacbench.option(2, low=1)

        def hook(self, group):
            return PowerSGDState(group, matrix_approximation_rank=self.rank, start_powerSGD_iter=2), powerSGD_hook

A hook calls torch.distributed from threads of its own, and waits in callbacks. Here each collective that it calls is
handed to the bucket's coroutine, which awaits it, so that it is ordered, counted and timed as those of other methods.
"""

import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.futures import Future

from pacbench.averager import Averager, Bucket, Group, Slice
from pacbench.turn import Turn

MOST_WAITING = 64  # threads of a hook that wait for collectives at the same time
_of_thread = threading.local()  # of a hook's thread: .wanted, where calls of its bucket go, and .baton
_takes_default_group = False  # in a process that is one rank


def take_default_group() -> None:
    """Has hooks find their group as torch.distributed's default one too. For a process that is one rank."""
    global _takes_default_group
    _takes_default_group = True


class GradBucket:
    """What a hook sees of a bucket, as torch.distributed.GradBucket."""

    def __init__(self, bucket: Bucket, parameters: list[Tensor], is_last: bool) -> None:
        self._buffer, self._slices, self._parameters = bucket.grad, bucket.parameters, parameters
        self._index, self._is_last = bucket.index, is_last

    def buffer(self) -> Tensor:
        return self._buffer

    def set_buffer(self, values: Tensor) -> None:
        self._buffer = values

    def index(self) -> int:
        return self._index

    def is_last(self) -> bool:
        return self._is_last

    def gradients(self) -> list[Tensor]:
        return [_part(self._buffer, place) for place in self._slices]

    def parameters(self) -> list[Tensor]:
        """Stand-ins of the parameters' shapes, the same objects in each iteration; their values are not the weights'."""
        return self._parameters


class _Baton:
    """Lets one thread of a rank's hook compute at a time, and counts what it computes. A thread that waits for a
    collective gives it away meanwhile."""

    def __init__(self, lock: AbstractContextManager[Any]) -> None:
        self._lock, self._cpu_ns, self._from_ns = lock, 0, 0

    def __enter__(self) -> None:
        self._lock.__enter__()
        self._from_ns = time.thread_time_ns()

    def __exit__(self, *_: object) -> None:
        self._cpu_ns += time.thread_time_ns() - self._from_ns
        self._lock.__exit__(None, None, None)

    def take_cpu_ns(self) -> int:
        """The CPU time since the last call."""
        taken, self._cpu_ns = self._cpu_ns, 0
        return taken


class _Future(Future[Any]):
    """What a collective will give. Its callbacks and who waits for it hold the baton of the hook."""

    def wait(self) -> Any:
        baton = _of_thread.baton
        baton.__exit__()
        try:
            return super().wait()
        finally:
            baton.__enter__()

    def then(self, callback: Callable[[Future[Any]], Any]) -> Future[Any]:
        chained = _Future()

        def run(_: Future[Any]) -> None:
            try:
                chained.set_result(callback(self))
            except BaseException as error:
                chained.set_exception(_as_exception(error))

        self.add_done_callback(run)
        return chained


@dataclass(frozen=True)
class _Wanted:
    """A collective that a hook called, and the future that it waits for."""

    call: Callable[[Group], Any]
    finish: Callable[[Tensor], Any]
    future: Future[Any]


class _Work:
    """What a collective returns to a hook, as torch.distributed.Work."""

    def __init__(self, future: _Future) -> None:
        self._future = future

    def get_future(self) -> _Future:
        return self._future

    def wait(self, *_: Any) -> bool:
        self._future.wait()
        return True

    def is_completed(self) -> bool:
        return self._future.done()


class ProcessGroup(dist.ProcessGroup):
    """The process group of a hook: its collectives go to the coroutine of the bucket that the hook was called for."""

    def __init__(self, rank: int, size: int) -> None:
        super().__init__(rank, size)
        self._place = rank, size

    def rank(self) -> int:
        return self._place[0]

    def size(self) -> int:
        return self._place[1]

    def getBackendName(self) -> str:
        return "pacbench"

    def allreduce(self, tensors: list[Tensor], options: dist.AllreduceOptions) -> _Work:
        (tensor,) = tensors
        op = options.reduceOp.op
        if op not in (dist.ReduceOp.SUM, dist.ReduceOp.AVG, dist.ReduceOp.MAX):
            raise NotImplementedError(f"found an all-reduce by {op}, expected SUM, AVG or MAX")

        def finish(answer: Tensor) -> list[Tensor]:
            tensor.copy_(answer / self.size() if op == dist.ReduceOp.AVG else answer)
            return [tensor]

        return _wanted(lambda group: group.all_reduce(tensor, "max" if op == dist.ReduceOp.MAX else "sum"), finish)

    def broadcast(self, tensors: list[Tensor], options: dist.BroadcastOptions) -> _Work:
        (tensor,) = tensors
        return _wanted(lambda group: group.broadcast(tensor, options.rootRank), lambda answer: [tensor.copy_(answer)])

    def allgather(self, outputs: list[list[Tensor]], tensors: list[Tensor], *_: Any) -> _Work:
        (rows,), (tensor,) = outputs, tensors

        def finish(answer: Tensor) -> list[Tensor]:
            for row, gathered in zip(rows, answer):
                row.copy_(gathered)
            return [answer]

        return _wanted(lambda group: group.all_gather(tensor), finish)

    def _allgather_base(self, output: Tensor, tensor: Tensor, *_: Any) -> _Work:
        return _wanted(lambda group: group.all_gather(tensor), lambda answer: [output.copy_(answer.view_as(output))])

    def alltoall_base(self, output: Tensor, tensor: Tensor, receive: list[int], send: list[int], *_: Any) -> _Work:
        width = tensor.numel() // max(len(tensor), 1)
        even = [len(tensor) // self.size()] * self.size()
        counts = [[rows * width for rows in (given or even)] for given in (send, receive)]
        return _wanted(lambda group: group.all_to_all(tensor, *counts), lambda answer: [output.copy_(answer.view_as(output))])

    def _reduce_scatter_base(self, output: Tensor, tensor: Tensor, options: dist.ReduceScatterOptions) -> _Work:
        """By an all-to-all, whose bytes are those of a reduce-scatter; each rank adds up its part."""
        op = options.reduceOp.op
        if op not in (dist.ReduceOp.SUM, dist.ReduceOp.AVG):
            raise NotImplementedError(f"found a reduce-scatter by {op}, expected SUM or AVG")
        counts = [output.numel()] * self.size()

        def finish(answer: Tensor) -> list[Tensor]:
            total = answer.view(self.size(), -1).sum(0)
            return [output.copy_((total / self.size() if op == dist.ReduceOp.AVG else total).view_as(output))]

        return _wanted(lambda group: group.all_to_all(tensor, counts, counts), finish)

    def barrier(self, *_: Any) -> _Work:
        return _wanted(lambda group: group.all_reduce(torch.zeros(1)), lambda _: [])


def _wanted(call: Callable[[Group], Any], finish: Callable[[Tensor], Any]) -> _Work:
    wanted = getattr(_of_thread, "wanted", None)
    if wanted is None:
        raise RuntimeError("found a collective outside of the hook and its futures' callbacks, expected it inside")
    future = _Future()
    wanted.put(_Wanted(call, finish, future))
    return _Work(future)


class DdpHook(Averager):
    """A method that is a hook of DistributedDataParallel. Override hook(). What the hook's state remembers is not saved,
    so a run in mode learn does not resume in the middle of a cell."""

    def hook(self, group: dist.ProcessGroup) -> tuple[Any, Callable[[Any, Any], Future[Any]]]:
        """The state and the hook, as for register_comm_hook(), made once a rank; `group` is the process group of all
        ranks."""
        raise NotImplementedError(f"{type(self).__name__} has no hook()")

    async def average(self, bucket: Bucket, group: Group) -> Tensor:
        wanted: SimpleQueue[Any] = SimpleQueue()
        self._threads_of_hook(group).submit(self._call, bucket, wanted)
        while isinstance(item := self._next(wanted), _Wanted):
            answer = await item.call(group)
            self._threads.submit(self._complete, item, answer, wanted)
        value = item.value()  # raises what the hook raised
        return (value[0] if isinstance(value, list) else value).reshape(-1).to(torch.float32)

    def _threads_of_hook(self, group: Group) -> ThreadPoolExecutor:
        if not hasattr(self, "_threads"):
            # A thread that has not been told may compute on more cores than others, and then rounds otherwise.
            self._threads = ThreadPoolExecutor(MOST_WAITING, initializer=torch.set_num_threads, initargs=(torch.get_num_threads(),))
            self._baton = _Baton(threading.Lock() if _takes_default_group else Turn.of_rank(group.rank))
            self._parameters: dict[tuple[Slice, ...], list[Tensor]] = {}
            self._state, self._hook = self.hook(_process_group(group))
        return self._threads

    def _next(self, wanted: "SimpleQueue[Any]") -> Any:
        """What the hook wants next for a bucket, or the future of its end. What its threads computed meanwhile counts as
        this thread's computing."""
        item = wanted.get()
        if trainer := sys.modules.get("_pacbench_trainer"):
            trainer.computed(self._baton.take_cpu_ns())
        return item

    def _call(self, bucket: Bucket, wanted: "SimpleQueue[Any]") -> None:
        known = self._parameters.setdefault(bucket.parameters, [torch.empty(place.shape) for place in bucket.parameters])
        self._run(wanted, lambda: self._hook(self._state, GradBucket(bucket, known, bucket.is_last)).add_done_callback(wanted.put))

    def _complete(self, item: _Wanted, answer: Tensor, wanted: "SimpleQueue[Any]") -> None:
        """Lets a hook go on with the result of a collective. Its callbacks run in this thread."""
        self._run(wanted, lambda: item.future.set_result(item.finish(answer)))

    def _run(self, wanted: "SimpleQueue[Any]", work: Callable[[], Any]) -> None:
        _of_thread.wanted, _of_thread.baton = wanted, self._baton
        with self._baton:
            try:
                work()
            except BaseException as error:
                failed: Future[Any] = Future()
                failed.set_exception(_as_exception(error))
                wanted.put(failed)


def _as_exception(error: BaseException) -> Exception:
    return error if isinstance(error, Exception) else RuntimeError(repr(error))


def _part(values: Tensor, place: Slice) -> Tensor:
    return values.narrow(0, place.offset, place.elements).view(place.shape)


def _process_group(group: Group) -> dist.ProcessGroup:
    if not _takes_default_group:
        own = ProcessGroup(group.rank, group.size)
        # dist.broadcast() looks the root up here.
        dist.distributed_c10d._world.pg_group_ranks[own] = {rank: rank for rank in range(group.size)}
        return own
    if not dist.is_initialized():
        dist.Backend.register_backend("pacbench", lambda _, rank, size, __: ProcessGroup(rank, size), devices=["cpu"])
        dist.init_process_group("pacbench", store=dist.HashStore(), rank=group.rank, world_size=group.size)
    return dist.group.WORLD
