"""The steps of a cell, from its raw lines."""
import gzip
import json
from pathlib import Path


def steps_of(cell_folder: Path) -> list[tuple[float, float]]:
    """The begin and the end of each step of rank 0, in seconds."""
    with gzip.open(cell_folder / "iterations.jsonl.gz", "rt") as text:
        lines = [line for line in map(json.loads, text) if line["rank"] == 0]
    return [(1e-9 * line["step"][0], 1e-9 * line["step"][1]) for line in lines]
