"""Between the worker in C++ and a user's task."""

import contextlib
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import Subset

from pacbench import task
from pacbench.saved import bytes_of, from_bytes
from pacbench.stream import Stream, is_stream, whole
from pacbench.turn import Turn, seed_all
from pacbench.users_code import made

EVALUATED_AT_ONCE = 250
PRUNABLE = (nn.Linear, nn.Conv2d)


class TaskAdapter:
    """A user's task on one rank, as trainer/python/python_task.cc calls it."""

    def __init__(self, spec: dict[str, Any], epoch_permutation) -> None:
        workload = spec["workload"]
        self._seed, self._rank = spec["seed"], spec["rank"]
        self._permutation = epoch_permutation
        self._orders: dict[int, Tensor] = {}
        self._turn = Turn.of_rank(self._rank) if spec.get("role") == "learn" else contextlib.nullcontext()
        with self._turn:
            self.task = made(spec["python_folder"], workload["model"])
            seed_all(self._seed)
            self.training, self.test = self.task.data()
            if is_stream(self.test):
                self.test = whole(self.test)
            self._hold_out(workload.get("validation_samples", 0))
            self._stream = Stream(self.training, self._seed) if is_stream(self.training) else None
            self._tested = self._drawn(self.test, workload.get("evaluate_samples", 0) or task.size_of(self.test))
            seed_all(self._seed)
            self.model = self.task.model()
            self.model.train()
            self._first_lr = workload.get("optimizer", {}).get("lr", 1.0)
            self._optimizer, self._scheduler = self._own_optimizer(workload.get("optimizer", {}))

    def _drawn(self, samples: Any, count: int) -> Tensor:
        """The places of `count` samples, the same on every machine, in a random order unless they are all."""
        size = task.size_of(samples)
        return torch.arange(size) if count == size else self._permutation(0, 0, size)[:count]

    def _hold_out(self, count: int) -> None:
        """Takes samples for validation from the training set; they stand in for the test set."""
        if count == 0:
            return
        if is_stream(self.training):
            raise ValueError("found an iterable to train on, expected a data set with a length, since validation takes samples from it")
        order = self._permutation(0, 0, task.size_of(self.training))
        self.training, self.test = (_subset(self.training, rows) for rows in (order[count:], order[:count]))

    def _own_optimizer(self, options: dict[str, Any]) -> tuple[torch.optim.Optimizer | None, Any]:
        if options.get("name") != task.OWN_OPTIMIZER:
            return None, None
        own = self.task.optimizer(self.model, options["lr"])
        return own if isinstance(own, tuple) else (own, None)

    def parameters(self) -> list[tuple[str, Tensor, bool, bool]]:
        """Each parameter that is trained: name, tensor, whether it may be pruned, whether it is an embedding."""
        owners = {id(own): module for module in self.model.modules() for own in module.parameters(recurse=False)}
        return [(name, tensor, name.endswith("weight") and isinstance(owners[id(tensor)], PRUNABLE),
                 isinstance(owners[id(tensor)], nn.Embedding))
                for name, tensor in self.model.named_parameters() if tensor.requires_grad]

    def buffers(self) -> list[tuple[str, Tensor]]:
        return [(name, buffer) for name, buffer in self.model.named_buffers() if buffer.numel() > 0]

    def shares_buffers(self) -> bool:
        if self.task.buffers not in ("local", "broadcast"):
            raise ValueError(f'{type(self.task).__name__}.buffers: found {self.task.buffers!r}, expected "local" or "broadcast"')
        return self.task.buffers == "broadcast"

    def batch(self, iteration: int, rank: int, workers: int, batch_per_worker: int) -> task.Batch:
        """The rank's part of an iteration: the endless stream of epochs, cut as for pacbench's own data sets."""
        if self._stream is not None:
            with self._turn:
                batch = self._stream.batch((iteration - 1) * workers + rank, batch_per_worker)
                seed_all(self._seed, rank, iteration)
                return batch
        rows = self._rows(((iteration - 1) * workers + rank) * batch_per_worker, batch_per_worker)
        with self._turn:
            seed_all(self._seed, rank, iteration)
            return task.part(self.training, rows)

    def _rows(self, first: int, count: int) -> Tensor:
        """Samples [first, first + count) of the endless stream of epochs."""
        parts = []
        while count > 0:
            epoch, place = divmod(first, task.size_of(self.training))
            parts.append(self._order(epoch)[place:place + count])
            first, count = first + len(parts[-1]), count - len(parts[-1])
        return torch.cat(parts)

    def _order(self, epoch: int) -> Tensor:
        if epoch not in self._orders:
            self._orders = {epoch: self._permutation(self._seed, epoch, task.size_of(self.training)),
                            **{old: order for old, order in self._orders.items() if old == epoch - 1}}
        return self._orders[epoch]

    def loss(self, batch: task.Batch) -> Tensor:
        with self._turn, self._autocast():
            if self.task.accumulate == 1 or not torch.is_grad_enabled():
                return self.task.loss(self.model, batch)
            return self._accumulated([task.Batch(*parts) for parts in zip(*(column.chunk(self.task.accumulate) for column in batch))])

    def _accumulated(self, batches: list[task.Batch]) -> Tensor:
        """The mean loss of micro-batches, in whose backward pass the graph of the last one alone is left: the gradients
        of those before are terms of it that are linear in the parameters. So buckets are exchanged once, with the last."""
        trained = [own for own in self.model.parameters() if own.requires_grad]
        sums = [torch.zeros_like(own) for own in trained]
        shares = [len(batch.y) / sum(len(each.y) for each in batches) for batch in batches]
        before = torch.zeros(())
        for batch, share in zip(batches[:-1], shares):
            loss = share * self.task.loss(self.model, batch)
            for total, grad in zip(sums, torch.autograd.grad(loss, trained)):
                total += grad
            before += loss.detach()
        linear = sum(((own * total).sum() for own, total in zip(trained, sums)), torch.zeros(()))
        return shares[-1] * self.task.loss(self.model, batches[-1]) + before + linear - linear.detach()

    def _autocast(self) -> contextlib.AbstractContextManager[Any]:
        wanted = self.task.autocast
        return torch.autocast("cpu", wanted) if wanted is not None else contextlib.nullcontext()

    def clip_gradients(self) -> None:
        if self.task.clip_norm is not None:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.task.clip_norm)

    def step(self, lr: float) -> None:
        """The step of the task's own optimiser. Without a scheduler of its own, the learning rates of its groups follow
        the scenario's schedule, from those that they began with."""
        if self._scheduler is None:
            for group in self._optimizer.param_groups:
                group["lr"] = group.setdefault("initial_lr", group["lr"]) * lr / self._first_lr
        self._optimizer.step()
        if self._scheduler is not None:
            self._scheduler.step()

    @torch.no_grad()
    def forget_pruned(self, index: int, kept: Tensor) -> None:
        """Sets to zero what the task's own optimiser remembers of pruned weights."""
        parameter = [own for own in self.model.parameters() if own.requires_grad][index]
        for value in self._optimizer.state.get(parameter, {}).values():
            if isinstance(value, Tensor) and value.shape == kept.shape:
                value.masked_fill_(~kept, 0)

    def state(self) -> Tensor:
        """What its optimiser and its scheduler remember, as bytes."""
        parts = {"optimizer": self._optimizer, "scheduler": self._scheduler}
        return bytes_of({name: part.state_dict() for name, part in parts.items() if part is not None})

    def take_state(self, saved: Tensor) -> None:
        state = from_bytes(saved)
        if "optimizer" in state:
            self._optimizer.load_state_dict(state["optimizer"])
        if "scheduler" in state:
            self._scheduler.load_state_dict(state["scheduler"])

    def evaluated_samples(self) -> int:
        return len(self._tested)

    def evaluate(self, first: int, count: int) -> tuple[int, int | None, float]:
        rows = self._tested[first:first + count]
        batches = (task.part(self.test, part) for part in rows.split(EVALUATED_AT_ONCE))
        with self._turn:
            self.model.eval()
            try:
                with torch.no_grad(), self._autocast():
                    return tuple(self.task.evaluate(self.model, batches))
            finally:
                self.model.train()


def _subset(samples: Any, rows: Tensor) -> Any:
    if isinstance(samples, tuple):
        return tuple(column.index_select(0, rows) for column in samples)
    return Subset(samples, rows.tolist())
