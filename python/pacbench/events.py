"""The training clock of one rank, and the JSON lines that the rank writes."""

import contextlib
import json
import math
import os
import time
from collections.abc import Iterator


class _Clock:
    """Nanoseconds of training, which stand still while the clock is paused."""

    def __init__(self) -> None:
        self._before_ns = 0  # training time before the clock's last start
        self._since_ns: int | None = time.monotonic_ns()  # None while it is paused

    @property
    def is_running(self) -> bool:
        return self._since_ns is not None

    def training_ns(self) -> int:
        if self._since_ns is None:
            return self._before_ns
        return self._before_ns + time.monotonic_ns() - self._since_ns

    def pause(self) -> None:
        self._before_ns = self.training_ns()
        self._since_ns = None

    def run(self) -> None:
        self._since_ns = time.monotonic_ns()


def _opened(variable: str, flags: int) -> int | None:
    """Open the FIFO that `variable` names, or take the descriptor in `variable`_FD, as on other
    hosts. None where there is neither, or pacbench has ended."""
    if path := os.environ.get(variable):
        try:
            descriptor = os.open(path, flags | os.O_NONBLOCK)
        except OSError:
            return None
        os.set_blocking(descriptor, True)
        return descriptor
    # What this program starts has no such descriptor.
    text = os.environ.pop(f"{variable}_FD", "")
    if not text:
        return None
    os.set_inheritable(int(text), False)
    return int(text)


class _Rank:
    """The state of one rank: its clock, its iterations so far, and what its
    lines and replies go through."""

    def __init__(self) -> None:
        self.fd = _opened("PACBENCH_EVENTS", os.O_WRONLY)
        self.replies_fd = _opened("PACBENCH_REPLIES", os.O_RDONLY)
        self.rank = int(os.environ.get("RANK", "0"))
        self.has_begun = False
        self.start()

    def start(self) -> None:
        self.clock = _Clock()
        self.iteration = 0
        self.step_ended_ns = 0  # on the training clock

    def tell(self, event: str, **values: object) -> None:
        if self.fd is None:
            return
        text = json.dumps({"event": event, "rank": self.rank, **values}, allow_nan=False)
        data = f"{text}\n".encode()
        while data:
            data = data[os.write(self.fd, data) :]

    def await_reply(self) -> None:
        """Wait for pacbench's reply, which comes once pacbench has read how many bytes the links
        carried. Only rank 0 gets one."""
        if self.replies_fd is None:
            return
        os.read(self.replies_fd, 64)  # one line, or nothing when pacbench has ended
        os.close(self.replies_fd)
        self.replies_fd = None


_rank = _Rank()


def is_measured() -> bool:
    """Whether the program runs under `pacbench run`."""
    return _rank.fd is not None


def begin() -> None:
    """Start the training clock. What was done before, such as loading data, is not counted.

    Rank 0 waits until pacbench has read how many bytes the links have carried so far. The clock of
    a program that does not call begin() runs since it imported the package.
    """
    _rank.tell("began")
    _rank.await_reply()
    _rank.has_begun = True
    _rank.start()


def step() -> None:
    """Tell that this rank has ended an iteration: its weights are updated.

    The step's time is the time on the training clock since the end of the previous step.
    """
    if not _rank.has_begun:
        _rank.tell("began")
        _rank.has_begun = True
    training_ns, now_ns = _rank.clock.training_ns(), time.monotonic_ns()
    start_ns = now_ns - (training_ns - _rank.step_ended_ns)
    _rank.iteration += 1
    _rank.step_ended_ns = training_ns
    _rank.tell(
        "step", iteration=_rank.iteration, step=[start_ns, now_ns], training_s=training_ns / 1e9
    )


@contextlib.contextmanager
def clock_paused() -> Iterator[None]:
    """Stop the training clock for as long as the block runs, for an evaluation or a checkpoint.

    A block inside another one changes nothing.
    """
    was_running = _rank.clock.is_running
    _rank.clock.pause()
    try:
        yield
    finally:
        if was_running:
            _rank.clock.run()


def evaluation(accuracy: float | None = None, loss: float | None = None) -> None:
    """Tell how good the model is after the last step. The calls of rank 0 are the learning curve.

    accuracy: share of the test samples that are right, from 0 to 1. A model that has none, such as
        a language model, leaves it out: `evaluation(loss=3.2)`.
    loss: mean loss over the test samples, in nats.
    Raises ValueError when the accuracy is not such a share, or the loss is missing or not finite.
    """
    if accuracy is not None and not 0 <= accuracy <= 1:
        raise ValueError(f"found accuracy {accuracy}, expected a share from 0 to 1")
    if loss is None or not math.isfinite(loss):
        raise ValueError(
            f"found loss {loss}, expected a finite number; where training diverged, try a smaller "
            "learning rate"
        )
    if _rank.rank == 0:
        told = {} if accuracy is None else {"accuracy": float(accuracy)}
        _rank.tell(
            "evaluation",
            iteration=_rank.iteration,
            training_s=_rank.clock.training_ns() / 1e9,
            **told,
            loss=float(loss),
        )


def alive() -> None:
    """Tell that this rank is still at work. Needed only where no rank would report, print or send
    anything for the scenario's `timeout_s`."""
    _rank.tell("alive")
