"""Writes a run's numbers for other programs: `python -m pacbench.export RUN csv|tensorboard FOLDER`."""

import csv
import json
import sys
from pathlib import Path
from typing import Any

from pacbench.runs import Row, Run, RunFailed, load

LISTS = ("table", "cells", "evaluations", "iterations", "buckets")


def to_csv(run: Run, folder: Path) -> None:
    """Writes each list of a run as FOLDER/LIST.csv (docs/YOUR_MODEL.md says what the columns are). What is no plain value
    is JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in LISTS:
        rows: list[Row] = getattr(run, name)
        with (folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, dict.fromkeys(key for row in rows for key in row))
            writer.writeheader()
            writer.writerows({key: _plain(value) for key, value in row.items()} for row in rows)


def _plain(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict | list) else value


def to_tensorboard(run: Run, folder: Path) -> None:
    """Writes each cell's curve as FOLDER/LINK/LABEL-SEED, by iterations; its wall time is the training clock. Raises
    ImportError where the package tensorboard is missing."""
    from torch.utils.tensorboard import SummaryWriter

    writers: dict[Path, SummaryWriter] = {}
    for row in run.evaluations:
        place = folder / row["link"] / f"{row['label']}-{row['seed']}"
        if place not in writers:
            writers[place] = SummaryWriter(str(place))
        for name in ("accuracy", "loss"):
            if row[name] is not None:
                writers[place].add_scalar(f"test/{name}", row[name], row["iteration"], walltime=row["training_s"])
    for writer in writers.values():
        writer.close()


def main() -> int:
    path, format_name, folder = sys.argv[1:]
    try:
        {"csv": to_csv, "tensorboard": to_tensorboard}[format_name](load(path), Path(folder))
    except (FileNotFoundError, ImportError, RunFailed) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
