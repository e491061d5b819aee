"""Finds the classes that users write, and describes them."""

import ast
import hashlib
import importlib.util
import inspect
import json
import sys
import threading
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from pacbench import averager, task
from pacbench.method import Method
from pacbench.options import catalogue_entries, with_options
from pacbench.stream import is_stream, whole

_folders: set[str] = set()  # of users' files that have been run
_loading = threading.Lock()  # ranks that are threads of one process make their objects at the same time


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


def place_of(error: BaseException) -> str:
    """The innermost place in a user's file, "FILE:LINE: "; empty where the exception came through none."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(tuple(_folders))]
    return f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""


def words_of(error: BaseException) -> str:
    """One sentence on an exception: place_of() it, the exception, and below it the traceback."""
    return f"{place_of(error)}{type(error).__name__}: {error}\n{''.join(traceback.format_exception(error))}".rstrip()


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
        if is_stream(test):
            test = whole(test)
        return {"models": [{"name": name, "summary": summary, "options": options, "input": "own", "channels": 0,
                            "min_side": 1}],
                "datasets": [{"name": name, "summary": summary, "origin": "", "options": [], "input": "own", "shape": [],
                              "classes": 0, "train_samples": task.size_of(training),
                              "test_samples": task.size_of(test), "record_label_bytes": 0, "files": []}]}
    if issubclass(found, averager.Averager):
        prunes = found.pruning is not averager.Averager.pruning
        return {"methods": [{"name": name, "summary": summary, "paper": "", "options": options, "lossless": False,
                             "unbiased": False, "error_feedback": False, "collectives": [], "presets": [],
                             "family": "own", "prunes": prunes, "state_floats": 0, "input": "",
                             "averages": not prunes and not issubclass(found, Method), "owns_step": False,
                             "depends_on_link": False, "depends_on_time": False}]}
    raise TypeError(f"{name}: found a {found.__mro__[1].__name__}, expected a pacbench.Task or a pacbench.Averager")
