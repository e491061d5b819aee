"""Runs the exchanges of buckets one after another, while the backward pass goes on.

A method may call two collectives for a bucket. Gloo and NCCL pair the ranks' collectives by their
order, so that order must be the same on all ranks. Hence each state has one thread, which finishes
a bucket before it begins the next one. Backward goes on meanwhile. DistributedDataParallel calls
collectives of its own then, such as that of `find_unused_parameters`. So the thread needs a process
group that nobody else uses.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch import Tensor
from torch.futures import Future

from pacbench.hooks.collectives import Group


class InOrder:
    """Runs exchanges in the order in which they are asked for. On a GPU they have a stream of their own.

    `group` is one that nothing else uses meanwhile. None stands for a new group of all ranks, which the first `run`
    makes."""

    def __init__(self, group: Group = None) -> None:
        self.group = group
        self._thread = ThreadPoolExecutor(1, "pacbench-exchange")
        self._stream: torch.cuda.Stream | None = None

    def run(self, bucket: dist.GradBucket, exchange: Callable[[Tensor], Tensor]) -> Future[Tensor]:
        """The future of `exchange(buffer)`, where `buffer` is the bucket's float32[elements].

        What `exchange` raises is raised by the backward pass, as a RuntimeError with its message. Throws TypeError
        for a bucket of another type than float32.
        """
        buffer = bucket.buffer()
        if buffer.dtype != torch.float32:
            raise TypeError(f"bucket {bucket.index()}: found gradients of {buffer.dtype}, expected torch.float32; "
                            "keep the parameters in float32 (autocast may compute in less)")
        if self.group is None:
            self.group = dist.new_group()
        ready = torch.cuda.current_stream(buffer.device).record_event() if buffer.is_cuda else None
        done: Future[Tensor] = Future(devices=[buffer.device] if buffer.is_cuda else [])

        def finish() -> None:
            with self._after(ready, buffer.device):
                try:
                    done.set_result(exchange(buffer))
                except Exception as error:  # Backward waits for `done`, and throws the error.
                    done.set_exception(error)

        result = done.then(lambda ended: ended.value())
        self._thread.submit(finish)
        return result

    @contextmanager
    def _after(self, ready: torch.cuda.Event | None, device: torch.device) -> Iterator[None]:
        """Runs the block on this object's own stream, after `ready`. Without `ready` everything is
        on the CPU."""
        if ready is None:
            yield
            return
        self._stream = self._stream or torch.cuda.Stream(device)
        self._stream.wait_event(ready)
        with torch.cuda.stream(self._stream):
            yield
