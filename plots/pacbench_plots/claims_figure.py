"""Each claim's number beside ours, as one figure."""

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pacbench_plots import canvas
from pacbench_plots.claims_words import paper
from pacbench_plots.document import Json

PAPER, STRICT, HERE = "#b3261e", "#0058a3", "#1b6e3c"


def values(judgement: Json | None) -> list[tuple[float, bool]]:
    """The measured values of the arms (methods with options) that the paper may have meant, and
    whether each value counts for the verdict.

    Where no time to accuracy was measured, the ratio of step times takes its place, and does not
    count.
    """
    found = []
    for arm in judgement["arms"] if judgement else []:
        for each in arm["evidence"] if arm["of_paper"] else []:
            value = each["value"] if each["value"] is not None else each["step_ratio"]
            if value is not None:
                found.append((value, each["value"] is not None and not each["not_counted"]))
    return found


def dots(axes: Axes, row: float, found: list[tuple[float, bool]], colour: str, log: bool) -> None:
    for value, decides in found:
        if value > 0 or not log:
            face = colour if decides else "none"
            axes.plot(value, row, "o", color=colour, markerfacecolor=face, alpha=0.7, markersize=5)


def panel(axes: Axes, claims: list[Json], log: bool) -> None:
    for row, claim in enumerate(reversed(claims)):
        dots(axes, row + 0.14, values(claim), STRICT, log)
        dots(axes, row - 0.14, values(claim["here"]), HERE, log)
        axes.plot(claim["paper"], row, "D", color=PAPER, markersize=7)
    if log:
        canvas.set_log_scale(axes, "x")
    names = [f"{claim['id']}: {paper(claim)}" for claim in reversed(claims)]
    axes.set_yticks(range(len(claims)), names)
    axes.set_ylim(-0.6, len(claims) - 0.4)
    axes.set_xlabel("times" if log else "points of accuracy lost")


def handle(marker: str, colour: str, filled: bool = True) -> Line2D:
    face = colour if filled else "none"
    return Line2D([], [], linestyle="", marker=marker, color=colour, markerfacecolor=face)


def figure(document: Json) -> Figure:
    """The claims that a reader should see first; ratios above, points of accuracy below."""
    first = [claim for claim in document["claims"] if claim["first"]]
    of_accuracy = [claim for claim in first if claim["quantity"] == "accuracy-lost"]
    ratios = [claim for claim in first if claim not in of_accuracy]
    parts = [(ratios, True), (of_accuracy, False)]
    parts = [(claims, log) for claims, log in parts if claims]
    with matplotlib.rc_context(canvas.SETTINGS):
        height = [len(claims) + 1 for claims, _ in parts]
        drawn = Figure(figsize=(9, 0.5 * sum(height) + 1), layout="constrained")
        grid = drawn.subplots(len(parts), 1, squeeze=False, height_ratios=height).flatten()
        for axes, (claims, log) in zip(grid, parts, strict=True):
            panel(axes, claims, log)
    handles = [
        handle("D", PAPER),
        handle("o", STRICT),
        handle("o", STRICT, filled=False),
        handle("o", HERE),
        handle("o", HERE, filled=False),
    ]
    labels = [
        "the paper",
        "ours, in its settings",
        "decides nothing",
        "ours, in our own settings",
        "decides nothing",
    ]
    caption = "each dot: one setting against one baseline; hollow: another setting, or a step alone"
    canvas.add_legend(drawn, handles, labels, caption)
    return drawn
