#!/usr/bin/env python3
"""Records trainings by PyTorch's own communication hooks, and by plain versions of methods that
PyTorch does not have. The tests compare pacbench's trainings with them; they read only the recorded
file and need no Python.

record_test.py --record runs this in the Python for which `tools/setup --python-torch` installs torch.
"""
import json

import hooks
import plain
import torch
from training import Case

WIDE = {"hidden": (600, 600), "iterations": 10, "lr": 0.005}  # two buckets: the first one ends at 1 MiB

BY_HOOK = [
    Case("all-reduce", {"name": "all-reduce"}),
    Case("fp16", {"name": "fp16", "sum": "ring"}),
    Case("fp16 in two buckets", {"name": "fp16", "sum": "ring"}, **WIDE),
    Case("bf16", {"name": "bf16", "sum": "ring"}),
    *(Case(f"powersgd of rank {rank}",
           {"name": "powersgd", "rank": rank, "dense_iterations": 2, "error_feedback": True})
      for rank in (1, 2, 4)),
    Case("powersgd without error feedback",
         {"name": "powersgd", "rank": 2, "dense_iterations": 2, "error_feedback": False}),
    Case("powersgd in two buckets",
         {"name": "powersgd", "rank": 2, "dense_iterations": 2, "error_feedback": True}, **WIDE),
    Case("local-sgd", {"name": "local-sgd", "every": 5, "begin_after": 0}),
    Case("post-local SGD", {"name": "local-sgd", "every": 4, "begin_after": 6}),
]

PLAIN = [
    Case("topk", {"name": "topk", "ratio": 0.01, "error_feedback": True}),
    Case("ef21", {"name": "ef21", "ratio": 0.05}),
    Case("dgc", {"name": "dgc", "ratio": 0.01, "warm_up_iterations": 0}),
    Case("ef-signsgd", {"name": "ef-signsgd", "error_feedback": True}, lr=0.1, momentum=0, milestones=(15,)),
    Case("signsgd", {"name": "signsgd"}, workers=3, lr=0.001),
    Case("distributed-lion by majority",
         {"name": "distributed-lion", "vote": "majority", "beta1": 0.9, "beta2": 0.99}, workers=3, lr=0.005),
    Case("distributed-lion by mean",
         {"name": "distributed-lion", "vote": "average", "beta1": 0.9, "beta2": 0.99}, lr=0.005),
]

DILOCO = Case("diloco", {"name": "diloco", "every": 5, "outer_lr": 0.7, "outer_momentum": 0.9})


def main() -> None:
    torch.set_num_threads(1)
    cases = [*hooks.train_all(BY_HOOK), *map(plain.train, PLAIN), plain.train_diloco(DILOCO)]
    text = json.dumps({"torch": torch.__version__, "cases": cases}, separators=(",", ":"))
    print(text.replace('{"name":', '\n{"name":').replace('"losses":', '\n"losses":').replace("],[", "],\n["))


if __name__ == "__main__":
    main()
