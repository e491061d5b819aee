"""All figures of a document, drawn and written."""

import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from matplotlib.figure import Figure

from pacbench_plots import (
    accuracy,
    accuracy_pruning,
    bytes_sent,
    canvas,
    pareto,
    phases,
    real_steps,
    relative_tta,
    scaling,
    tta_bandwidth,
)
from pacbench_plots.document import Json
from pacbench_plots.styles import Style, styles_of

Draw = Callable[[Json, dict[str, Style]], Figure]

DRAWN: dict[str, Draw] = {
    "accuracy-time": accuracy.time_figure,
    "accuracy-iteration": accuracy.iteration_figure,
    "relative-tta": relative_tta.figure,
    "accuracy-pruning": accuracy_pruning.figure,
    "phases": phases.figure,
    "bytes": bytes_sent.figure,
    "tta-bandwidth": tta_bandwidth.figure,
    "pareto": pareto.figure,
    "scaling": scaling.figure,
    "real-steps": real_steps.figure,
}


def write_all(document: Json, folder: str, for_paper: bool = False) -> int:
    """Writes NAME.svg and NAME.png of every figure that there is data for, and prints their paths. For a paper it
    writes NAME.pdf, of the width of a column.

    Prints a line on stderr for each figure that is not made, and why. Returns the exit code.
    """
    styles = styles_of(document["methods"])
    Path(folder).mkdir(parents=True, exist_ok=True)
    for content in document["figures"]:
        if content["missing"]:
            print(f"{content['name']}: not made: {content['missing']}", file=sys.stderr)
            continue
        with canvas.for_paper() if for_paper else nullcontext():
            drawn = DRAWN[content["name"]](content, styles)
        for kind in ("pdf",) if for_paper else ("svg", "png"):
            path = Path(folder) / f"{content['name']}.{kind}"
            path.write_bytes(canvas.save(drawn, kind))
            print(path)
    return os.EX_OK
