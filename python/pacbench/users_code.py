"""Between the worker in C++ and the classes that users write: finds them, describes them, and adapts their objects."""

import hashlib
import importlib.util
import inspect
import json
import random
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from pacbench import averager, task
from pacbench.options import catalogue_entries, with_options

EVALUATED_AT_ONCE = 250
_folders: set[str] = set()  # of users' files that have been run
PRUNABLE = (nn.Linear, nn.Conv2d)


def class_named(folder: str, name: str) -> type:
    """The class of "FILE.py:CLASS", where FILE is seen from `folder`. Runs the file once a process.

    Raises FileNotFoundError, AttributeError or what the file raises.
    """
    file, _, class_name = name.rpartition(":")
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
    sys.modules[known] = module
    spec.loader.exec_module(module)
    return module


def words_of(error: BaseException) -> str:
    """One sentence on an exception: the innermost place in a user's file, the exception, and below it the traceback."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(tuple(_folders))]
    last = f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""
    return f"{last}{type(error).__name__}: {error}\n{''.join(traceback.format_exception(error))}".rstrip()


def described(folder: str, name: str) -> dict[str, list[dict[str, Any]]]:
    """The entries of the catalogue (contract/catalogue/catalogue.h) for a class.

    The file's hash is an option with one value, so that a recorded run is never gone on with after the file has
    changed.
    """
    found = class_named(folder, name)
    digits = hashlib.sha256(Path(folder, name.rpartition(":")[0]).read_bytes()).hexdigest()
    options = [*catalogue_entries(found),
               {"name": "sha256", "type": "choice", "default": digits, "choices": [digits],
                "help": "of the class's file"}]
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
                             "family": "own", "prunes": False, "state_floats": 0, "input": "", "averages": False,
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


class TaskAdapter:
    """A user's task on one rank, as trainer/python/python_task.cc calls it."""

    def __init__(self, spec: dict[str, Any], epoch_permutation) -> None:
        workload = spec["workload"]
        chosen = dict(workload["model"])
        name = chosen.pop("name")
        self._seed, self._rank = spec["seed"], spec["rank"]
        self._evaluated = workload.get("evaluate_samples", 0)
        self._permutation = epoch_permutation
        self._orders: dict[int, Tensor] = {}
        self.task = with_options(class_named(spec["python_folder"], name), chosen)
        seed_all(self._seed)
        self.training, self.test = self.task.data()
        seed_all(self._seed)
        self.model = self.task.model()
        self.model.train()

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
        seed_all(self._seed, rank, iteration)
        return task.part(self.training, rows)

    def _order(self, epoch: int) -> Tensor:
        if epoch not in self._orders:
            self._orders = {epoch: self._permutation(self._seed, epoch, task.size_of(self.training)),
                            **{old: order for old, order in self._orders.items() if old == epoch - 1}}
        return self._orders[epoch]

    def loss(self, batch: task.Batch) -> Tensor:
        return self.task.loss(self.model, batch)

    def evaluated_samples(self) -> int:
        return self._evaluated or task.size_of(self.test)

    def evaluate(self, first: int, count: int) -> tuple[int, int | None, float]:
        rows = torch.arange(first, first + count)
        batches = (task.part(self.test, part) for part in rows.split(EVALUATED_AT_ONCE))
        self.model.eval()
        try:
            with torch.no_grad():
                return tuple(self.task.evaluate(self.model, batches))
        finally:
            self.model.train()


class AveragerAdapter:
    """A user's averager on one rank, as trainer/python/python_averager.cc calls it."""

    def __init__(self, averager_of_user: averager.Averager, seed: int = 1) -> None:
        self._averager = averager_of_user
        self._seed = seed
        self._states: dict[int, averager.State] = {}
        self._slices: dict[int, tuple[averager.Slice, ...]] = {}
        self._place = 0, 1
        self._begun: dict[int, tuple[averager.Group, int]] = {}  # with the bucket's elements

    def settle(self, buckets: list[tuple[int, int, list]], rank: int, ranks: int) -> None:
        self._place = rank, ranks
        for index, elements, slices in buckets:
            self._slices[index] = averager.described(slices)
            self._states.setdefault(index, averager.State(elements))

    def begin(self, index: int, grad: Tensor, step: int, lr: float) -> averager.Running:
        bucket = averager.Bucket(index, self._slices[index], self._states[index], grad, step, lr, self._seed, self._place[0])
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
        if not isinstance(call, averager.Call):
            raise TypeError(f"found a coroutine that awaits {call!r}, expected only calls of its group")
        return call.op, call.tensor, call.send_counts, call.receive_counts, call.root

    def take_state(self, saved: dict[str, Tensor]) -> None:
        """Puts tensors, by the names of state(), in place of what buckets keep."""
        for name, tensor in saved.items():
            own, _, index = name.rpartition("/")
            self._states[int(index)].tensors[own] = tensor

    def state(self) -> dict[str, Tensor]:
        return {f"{name}/{index}": tensor for index, state in self._states.items() for name, tensor in state.tensors.items()}


def _checked(mean: Tensor, running: averager.Running, group: averager.Group, elements: int) -> Tensor:
    """What a coroutine returned, flat. Raises where it is no mean of the bucket, or where a call was not awaited."""
    for call in group.not_awaited:
        raise RuntimeError(f"{call.place}: group.{call.op} was called and never awaited; write `await` before it")
    if not isinstance(mean, Tensor) or mean.dtype != torch.float32 or mean.numel() != elements:
        found = f"{mean.dtype}[{mean.numel()}]" if isinstance(mean, Tensor) else type(mean).__name__
        raise TypeError(f"{running.__qualname__} returned {found}, expected torch.float32[{elements}], as bucket.grad")
    return mean.reshape(-1)
