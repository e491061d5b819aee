"""The steps of a cell, from its raw lines."""
import gzip
import json
from pathlib import Path


def steps_of(run: Path, cell: dict) -> list[tuple[float, float]]:
    """The begin and the end of each step of rank 0, in seconds. `cell` is an entry of the run's result.json."""
    folder = run / "cells" / f"{cell['label']}-{cell['link']}-{cell['seed']}"
    with gzip.open(folder / "iterations.jsonl.gz", "rt") as text:
        lines = [line for line in map(json.loads, text) if line["rank"] == 0]
    return [(1e-9 * line["step"][0], 1e-9 * line["step"][1]) for line in lines]
