"""Between the worker in C++ and the classes that users write: finds them, describes them, and adapts their objects."""

import ast
import contextlib
import hashlib
import importlib.util
import inspect
import io
import json
import random
import sys
import threading
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import Subset

from pacbench import averager, task
from pacbench.options import catalogue_entries, with_options

EVALUATED_AT_ONCE = 250
_folders: set[str] = set()  # of users' files that have been run
_loading = threading.Lock()  # ranks that are threads of one process make their objects at the same time
PRUNABLE = (nn.Linear, nn.Conv2d)


def class_named(folder: str, name: str) -> type:
    """The class of "FILE.py:CLASS", where FILE is seen from `folder`. Runs the file once a process.

    Raises FileNotFoundError, AttributeError or what the file raises.
    """
    file, _, class_name = name.rpartition(":")
    with _loading:
        module = _module(Path(folder, file).resolve())
    if not isinstance(getattr(module, class_name, None), type):
        known = [key for key, value in vars(module).items() if isinstance(value, type) and value.__module__ == module.__name__]
        raise AttributeError(f"{file}: found no class {class_name}, expected one of {', '.join(known) or 'its classes'}")
    return getattr(module, class_name)


def _module(path: Path) -> ModuleType:
    known = f"pacbench_user_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    if known in sys.modules:
        return sys.modules[known]
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file, expected the Python file of a class that the scenario names")
    _folders.add(f"{path.parent}/")
    sys.path.insert(0, str(path.parent))  # so that the file finds its neighbours
    spec = importlib.util.spec_from_file_location(known, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[known] = module  # classes may look for their module while it runs
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[known]
        raise
    return module


def words_of(error: BaseException) -> str:
    """One sentence on an exception: the innermost place in a user's file, the exception, and below it the traceback."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(tuple(_folders))]
    last = f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""
    return f"{last}{type(error).__name__}: {error}\n{''.join(traceback.format_exception(error))}".rstrip()


def files_of(folder: str, name: str) -> dict[str, str]:
    """The text of a class's file and of those beside it that it imports, at any depth, by their paths below `folder`."""
    top = Path(folder).resolve()
    beside = (top / name.rpartition(":")[0]).resolve().parent
    left, texts = [(top / name.rpartition(":")[0]).resolve()], {}
    while left:
        path = left.pop()
        key = str(path.relative_to(top)) if path.is_relative_to(top) else str(path)
        if key in texts:
            continue
        texts[key] = path.read_text()
        modules = []
        for node in ast.walk(ast.parse(texts[key], str(path))):
            if isinstance(node, ast.Import):
                modules += [(beside, alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                start = path.parents[node.level - 1] if node.level else beside
                parts = [part for part in (node.module,) if part]
                modules += [(start, ".".join(parts)), *((start, ".".join([*parts, alias.name])) for alias in node.names)]
        for start, module in modules:
            place = start
            for part in module.split("."):  # a package runs before what it holds
                place /= part
                left += [file for file in (place.parent / f"{part}.py", place / "__init__.py") if part and file.is_file()]
    return texts


def hash_of(folder: str, name: str) -> str:
    """One hash of files_of(), 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(sorted(files_of(folder, name).items())).encode()).hexdigest()


def made(folder: str, choice: dict[str, Any]) -> Any:
    """The object of a class that a worker's document names, with its options. Raises ValueError where its files are not
    those that the run began with."""
    name = choice["name"]
    wanted, found = choice.get("sha256"), hash_of(folder, name)
    if wanted not in (None, found):
        raise ValueError(f"{Path(folder, name)}: the file, or one that it imports, has changed since the run began "
                         f"(sha256 {found[:12]}…, expected {wanted[:12]}…); begin a new run")
    return with_options(class_named(folder, name), choice)


def described(folder: str, name: str) -> dict[str, list[dict[str, Any]]]:
    """The entries of the catalogue (contract/catalogue/catalogue.h) for a class.

    The hash of its files is an option with one value, so that a recorded run is never gone on with after they have
    changed.
    """
    found = class_named(folder, name)
    digits = hash_of(folder, name)
    options = [*catalogue_entries(found),
               {"name": "sha256", "type": "choice", "default": digits, "choices": [digits],
                "help": "of the class's file and those that it imports"}]
    summary = (inspect.getdoc(found) or "").partition("\n")[0]
    if issubclass(found, task.Task):
        training, test = with_options(found, {}).data()
        return {"models": [{"name": name, "summary": summary, "options": options, "input": "own", "channels": 0,
                            "min_side": 1}],
                "datasets": [{"name": name, "summary": summary, "origin": "", "options": [], "input": "own", "shape": [],
                              "classes": 0, "train_samples": task.size_of(training),
                              "test_samples": task.size_of(test), "record_label_bytes": 0, "files": []}]}
    if issubclass(found, averager.Averager):
        return {"methods": [{"name": name, "summary": summary, "paper": "", "options": options, "lossless": False,
                             "unbiased": False, "error_feedback": False, "collectives": [], "presets": [],
                             "family": "own", "prunes": False, "state_floats": 0, "input": "", "averages": True,
                             "depends_on_link": False, "depends_on_time": False}]}
    raise TypeError(f"{name}: found a {found.__mro__[1].__name__}, expected a pacbench.Task or a pacbench.Averager")


def seed_all(*parts: int) -> None:
    """Seeds torch, numpy and random by these numbers, so that what a user's code draws repeats."""
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    number = int.from_bytes(digest[:4], "little")
    torch.manual_seed(number)
    random.seed(number)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(number)


class Turn:
    """A rank's turn among those that are threads of one process (mode learn): while it lasts, torch's, numpy's and
    random's generators are this rank's, as its last turn left them, so that it draws what it would draw alone."""

    _taken = threading.Lock()
    _of_ranks: dict[int, "Turn"] = {}

    def __init__(self) -> None:
        self._left: tuple[Any, ...] | None = None

    @classmethod
    def of_rank(cls, rank: int) -> "Turn":
        """The one of a rank of this process."""
        return cls._of_ranks.setdefault(rank, cls())

    def __enter__(self) -> None:
        self._taken.acquire()
        if self._left is None:
            return
        torch.set_rng_state(self._left[0])
        random.setstate(self._left[1])
        if self._left[2] is not None:
            sys.modules["numpy"].random.set_state(self._left[2])

    def __exit__(self, *_: object) -> None:
        of_numpy = sys.modules["numpy"].random.get_state() if "numpy" in sys.modules else None
        self._left = torch.get_rng_state(), random.getstate(), of_numpy
        self._taken.release()


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
            self._hold_out(workload.get("validation_samples", 0))
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

    def batch(self, iteration: int, rank: int, workers: int, batch_per_worker: int) -> task.Batch:
        """The rank's part of an iteration: the endless stream of epochs, cut as for pacbench's own data sets."""
        first = ((iteration - 1) * workers + rank) * batch_per_worker
        samples = task.size_of(self.training)
        places = range(first, first + batch_per_worker)
        rows = torch.stack([self._order(place // samples)[place % samples] for place in places])
        with self._turn:
            seed_all(self._seed, rank, iteration)
            return task.part(self.training, rows)

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
        return _bytes_of({name: part.state_dict() for name, part in parts.items() if part is not None})

    def take_state(self, saved: Tensor) -> None:
        state = _from_bytes(saved)
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


def _bytes_of(state: dict[str, Any]) -> Tensor:
    file = io.BytesIO()
    torch.save(state, file)
    return torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8)


def _from_bytes(saved: Tensor) -> dict[str, Any]:
    return torch.load(io.BytesIO(saved.numpy().tobytes()), weights_only=True)


class AveragerAdapter:
    """A user's averager on one rank, as trainer/python/python_averager.cc calls it."""

    def __init__(self, averager_of_user: averager.Averager, seed: int = 1) -> None:
        self._averager = averager_of_user
        self._seed = seed
        self._states: dict[int, averager.State] = {}
        self._slices: dict[int, tuple[averager.Slice, ...]] = {}
        self._place = 0, 1
        self._begun: dict[int, tuple[averager.Group, int]] = {}  # with the bucket's elements

    def inner(self) -> list[str]:
        """The entries of the methods inside, as JSON."""
        return [json.dumps(inner.entry) for inner in self._averager.inner_methods]

    def settle(self, buckets: list[tuple[int, int, list]], rank: int, ranks: int) -> None:
        self._place = rank, ranks
        for index, elements, slices in buckets:
            self._slices[index] = averager.described(slices)
            self._states.setdefault(index, averager.State(elements))

    def begin(self, index: int, grad: Tensor, step: int, lr: float) -> averager.Running:
        bucket = averager.Bucket(index, self._slices[index], self._states[index], grad, step, lr, self._seed, self._place[0],
                                 index == max(self._slices))
        group = averager.Group(*self._place)
        running = self._averager.average(bucket, group)
        if not inspect.iscoroutine(running):
            raise TypeError(f"{type(self._averager).__name__}.average is no coroutine, expected async def average(…)")
        self._begun[id(running)] = group, grad.numel()
        return running

    def go_on(self, running: averager.Running, answer: Tensor | None) -> tuple[str, Tensor, tuple, tuple, int]:
        """Runs a coroutine up to its next collective; "" and the mean at its end."""
        try:
            call = running.send(answer)
        except StopIteration as end:
            return "", _checked(end.value, running, *self._begun.pop(id(running))), (), (), 0
        if not isinstance(call, averager.Call | averager.Nested):
            raise TypeError(f"found a coroutine that awaits {call!r}, expected only calls of its group and methods inside")
        elements = self._begun[id(running)][1]
        if isinstance(call, averager.Nested) and (call.tensor.dtype, call.tensor.numel()) != (torch.float32, elements):
            raise TypeError(f"{call.place}: found {call.tensor.dtype}[{call.tensor.numel()}] for the method inside, expected "
                            f"torch.float32[{elements}], as bucket.grad")
        return call.op, call.tensor, call.send_counts, call.receive_counts, call.root

    def state(self) -> Tensor:
        """What buckets keep, as bytes."""
        return _bytes_of({index: state.tensors for index, state in self._states.items()})

    def take_state(self, saved: Tensor) -> None:
        """Puts what state() gave in place of what buckets keep."""
        for index, tensors in _from_bytes(saved).items():
            self._states[index].tensors = tensors


def _checked(mean: Tensor, running: averager.Running, group: averager.Group, elements: int) -> Tensor:
    """What a coroutine returned, flat. Raises where it is no mean of the bucket, or where a call was not awaited."""
    for call in group.not_awaited:
        raise RuntimeError(f"{call.place}: group.{call.op} was called and never awaited; write `await` before it")
    if not isinstance(mean, Tensor) or mean.dtype != torch.float32 or mean.numel() != elements:
        found = f"{mean.dtype}[{mean.numel()}]" if isinstance(mean, Tensor) else type(mean).__name__
        raise TypeError(f"{running.__qualname__} returned {found}, expected torch.float32[{elements}], as bucket.grad")
    return mean.reshape(-1)
