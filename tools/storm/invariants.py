"""Invariants after a run, however it ended, from files and /proc. Shares no code with pacbench."""
import gzip
import hashlib
import json
import os
import time
from pathlib import Path

from .faults import RESULTS
from .runs import Runs

SETTLE_S = 15  # the kernel queues the removal of namespaces


def text_of(file: Path) -> bytes:
    """The content of a file, whether or not it has been compressed since."""
    packed = file.with_name(file.name + ".gz")
    return file.read_bytes() if file.exists() else gzip.decompress(packed.read_bytes())


def lines_of(file: Path) -> list[dict]:
    return [json.loads(line) for line in text_of(file).splitlines()]


def _reap() -> None:
    """Reaps orphans, which become children of this program, the first of its PID namespace. Called
    when it has no child of its own left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _found() -> list[str]:
    found = []
    _reap()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            name = (entry / "comm").read_text().strip()
        except OSError:
            continue
        if name.startswith("pacbench") or name.startswith("netd-"):
            found.append(f"process {entry.name} ({name})")
    found += [f"link {path.name}" for path in Path("/proc/self/net").glob("dev_snmp6/*") if path.name != "lo"]
    found += [f"file {path}" for folder in ("/run", "/tmp", "/dev/shm") for path in Path(folder).rglob("*")]
    found += [f"unfinished file {path}" for path in RESULTS.rglob("*.tmp") if path.is_file()]
    return found


def leftovers() -> list[str]:
    """The things that an ended run has left behind. Waits up to SETTLE_S seconds for their end."""
    end = time.monotonic() + SETTLE_S
    while (found := _found()) and time.monotonic() < end:
        time.sleep(0.05)
    return [f"left behind: {what}" for what in found]


class Undisturbed:
    """The learning curve of each cell when nothing goes wrong."""

    def __init__(self, curves: dict[str, list]):
        self.curves = curves

    @classmethod
    def of(cls, runs: Runs) -> "Undisturbed":
        with runs.folder() as folder:
            runs.run(folder, [])
            return cls({cell.name: curve_of(cell) for cell in (folder / "cells").iterdir()})

    @staticmethod
    def done_cells(folder: Path) -> dict[str, dict]:
        """The numbers of all cells that are done, by their name."""
        cells = {}
        for file in folder.glob("cells/*/cell.json"):
            numbers = json.loads(file.read_text())
            if numbers["status"] == "done":
                cells[file.parent.name] = numbers
        return cells

    def differences(self, folder: Path, before: dict[str, dict]) -> list[str]:
        """What is wrong with the cells that are done: a curve other than the undisturbed one, or
        files or lines that do not fit the cell's numbers. A cell that was done `before` is wrong
        too when it is done no more or its numbers have changed."""
        broken = []
        now = self.done_cells(folder)
        for name, numbers in before.items():
            if name not in now:
                broken.append(f"cell {name} was done before, and is not done any more")
            elif lasting(now[name]) != lasting(numbers):
                broken.append(f"the numbers of cell {name} have changed after it was done")
        for name, numbers in now.items():
            cell = folder / "cells" / name
            broken += [f"{name}: {words}" for words in (*wrong_files(cell, numbers), *wrong_lines(cell, numbers))]
            if curve_of(cell) != self.curves[name]:
                broken.append(f"the learning curve of cell {name} differs from that of a run without faults")
        return broken

    def missing(self, folder: Path) -> list[str]:
        """The cells that are not done after the last run, which has no faults."""
        done = self.done_cells(folder)
        broken = [f"cell {name} is not done after the last run" for name in self.curves if name not in done]
        result = json.loads((folder / "result.json").read_text())
        if [cell["status"] for cell in result["cells"]] != ["done"] * len(self.curves):
            broken.append("result.json does not list every cell as done")
        return broken


def lasting(numbers: dict) -> dict:
    """The numbers without those that a later probe of the cell's link changes."""
    files = [file for file in numbers["files"] if not file["name"].endswith("probes.jsonl")]
    kept = {key: value for key, value in numbers.items() if key not in ("link_probe", "link_verdict", "sha256")}
    return kept | {"files": files}


def curve_of(cell: Path) -> list:
    """The cell's learning curve, without times."""
    return [[line["iteration"], line["accuracy"], line["loss"]] for line in lines_of(cell / "curve.jsonl")]


def wrong_files(cell: Path, numbers: dict) -> list[str]:
    """Files that are not what the cell's numbers were computed from. probes.jsonl grows with later cells."""
    broken = []
    for file in numbers["files"]:
        text = text_of(cell / file["name"])[:file["bytes"]]
        if hashlib.sha256(text).hexdigest() != file["sha256"]:
            broken.append(f"{file['name']} does not match its checksum")
    return broken


def wrong_lines(cell: Path, numbers: dict) -> list[str]:
    """A complaint unless each rank in the file has exactly one line for each iteration."""
    told = [(line["rank"], line["iteration"]) for line in lines_of(cell / "iterations.jsonl")]
    ranks = {rank for rank, _ in told}
    expected = {(rank, i) for rank in ranks for i in range(1, numbers["iterations"] + 1)}
    if len(told) == len(expected) and set(told) == expected:
        return []
    return [f"iterations.jsonl has {len(told)} lines, expected exactly one for each of {len(expected)} "
            "pairs of rank and iteration"]
