"""Functions by which a training program tells pacbench of its steps and its accuracy.

Under `pacbench run` the calls write JSON lines to the FIFO that PACBENCH_EVENTS names
(docs/OWN_PROGRAM.md has the lines). Anywhere else they write nothing, so that they may stay in the
program. The calls need only Python's standard library, as do `run` and `load`, which start and read
runs; `pacbench.hooks` and `ddp_hook`, and `Task`, `Averager`, `Method` and `DdpHook`, a model and a
method of your own (docs/YOUR_MODEL.md), need torch.

    import pacbench

    pacbench.begin()                  # the training clock starts
    for batch in batches:
        train(batch)
        pacbench.step()               # one iteration has ended
    with pacbench.clock_paused():
        accuracy, loss = evaluate()
    pacbench.evaluation(accuracy, loss)
"""

import importlib
from typing import Any

from pacbench.events import alive, begin, clock_paused, evaluation, is_measured, step

# Imported when they are asked for: most need torch, which a program that only tells its steps may lack.
_MODULES = {"Averager": "averager", "Batch": "task", "DdpHook": "ddp_hook_method", "Method": "method", "Run": "runs", "RunFailed": "runs", "Sums": "task", "Task": "task",
            "ddp_hook": "ddp", "load": "runs", "option": "options", "run": "runs"}

__all__ = [*_MODULES, "alive", "begin", "clock_paused", "evaluation", "is_measured", "step"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module pacbench has no attribute {name}")
    return getattr(importlib.import_module(f"pacbench.{_MODULES[name]}"), name)
