"""What a worker trains: a model of your own with its data and its loss."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import IterableDataset, default_collate


class Batch(NamedTuple):
    """Samples of one batch, as the data set's entries stacked: inputs and what they should give."""

    x: Tensor
    y: Tensor


class Sums(NamedTuple):
    """What an evaluation adds up over samples. correct is None where what is learnt has no accuracy."""

    samples: int
    correct: int | None
    loss: float


OWN_OPTIMIZER = "own"  # the name of a task's own optimiser in a scenario


class Task:
    """A model, its data and its loss, for the worker's data-parallel training. Override model() and data(), and the
    others where their defaults do not fit. Options are class variables (pacbench.option)."""

    accumulate = 1  #: micro-batches of a batch, one after another; buckets are exchanged with the last one's backward
    clip_norm = None  #: the largest norm of all mean gradients together, or None
    autocast = None  #: the dtype in which loss() and evaluate() compute what torch.autocast lowers, or None
    buffers = "local"  #: or "broadcast": after each step all ranks take rank 0's, as in DistributedDataParallel

    def model(self) -> nn.Module:
        """The model with its first weights, on the CPU. Every rank makes it with the same seeds of torch, numpy and
        random, and must get the same weights."""
        raise NotImplementedError(f"{type(self).__name__} has no model()")

    def data(self) -> tuple[Any, Any]:
        """The training and the test set. Each is a pair of tensors (inputs, labels) with equal first dimensions, or has
        a length and entries (input, label), as torch.utils.data.Dataset. Or it is an iterable of batches (inputs,
        labels), as a DataLoader: one for training has batch_per_worker samples a batch, of which the ranks take turns,
        and one for the test is read once, whole."""
        raise NotImplementedError(f"{type(self).__name__} has no data()")

    def optimizer(self, model: nn.Module, lr: float) -> Any:
        """A torch.optim.Optimizer, or a pair of one and its scheduler, which steps after it. It is used where the
        scenario's optimizer is {"name": "own", "lr": lr}. Without a scheduler, learning rates follow the scenario's."""
        raise NotImplementedError(f'{type(self).__name__} has no optimizer(), which the optimizer "own" needs')

    def loss(self, model: nn.Module, batch: Batch) -> Tensor:
        """The mean loss of a batch, a scalar; by default the cross entropy of the model's logits."""
        return functional.cross_entropy(model(batch.x), batch.y)

    def evaluate(self, model: nn.Module, batches: Iterable[Batch]) -> Sums:
        """Sums over the test samples in `batches`, without gradients and in evaluation mode; by default those of
        classes: right answers and cross entropy."""
        samples, correct, loss = 0, 0, 0.0
        for batch in batches:
            logits = model(batch.x)
            samples += batch.y.numel()
            correct += int((logits.argmax(1) == batch.y).sum())
            loss += float(functional.cross_entropy(logits, batch.y, reduction="sum"))
        return Sums(samples, correct, loss)


def part(samples: Any, rows: Tensor) -> Batch:
    """The samples of these places, int64[n], of one of a task's two sets."""
    if isinstance(samples, tuple):
        return Batch(*(column.index_select(0, rows) for column in samples))
    return Batch(*default_collate([samples[row] for row in rows.tolist()]))


def size_of(samples: Any) -> int:
    """The number of samples of one of a task's two sets; 0 where it is an iterable, which does not tell."""
    if isinstance(samples, tuple):
        return len(samples[0])
    return len(samples) if hasattr(samples, "__getitem__") and not isinstance(samples, IterableDataset) else 0
