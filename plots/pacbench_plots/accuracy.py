"""Accuracy against training time, and against iterations."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pacbench_plots import canvas
from pacbench_plots.canvas import Styles
from pacbench_plots.document import Json

MARKERS_PER_LINE = 8
SETTLED = 0.005


def draw_series(axes: Axes, series: Json, styles: Styles, x: list[float]) -> None:
    style = styles[series["label"]]
    values = [point["accuracy"] for point in series["points"]]
    axes.plot(
        x,
        [value["median"] for value in values],
        color=style.colour,
        linestyle=":" if series["suspect"] else style.line,
        marker=style.marker,
        markevery=max(1, len(x) // MARKERS_PER_LINE),
    )
    if series["seeds"] > 1:
        low, high = ([value[end] for value in values] for end in ("minimum", "maximum"))
        axes.fill_between(x, low, high, color=style.colour, alpha=0.15, linewidth=0)


def finish(axes: Axes, x_label: str) -> None:
    axes.set_xlabel(x_label)
    axes.set_ylabel("accuracy")
    canvas.set_per_cent(axes)
    axes.set_xlim(left=0)


def settled_s(series: Json) -> float:
    """The training time from which the median accuracy never again lies more than half a percentage
    point below its last value."""
    points = series["points"]
    least = points[-1]["accuracy"]["median"] - SETTLED
    since = len(points) - 1
    while since > 0 and points[since - 1]["accuracy"]["median"] >= least:
        since -= 1
    return float(points[since]["training_s"]["median"])


def time_panel(axes: Axes, panel: Json, styles: Styles) -> None:
    for series in panel["series"]:
        x = [point["training_s"]["median"] for point in series["points"]]
        draw_series(axes, series, styles, x)
    finish(axes, "training clock, s")
    # The axis ends a little after the last curve has settled: the rest is flat.
    if (end := 1.1 * max(map(settled_s, panel["series"]))) > 0:
        axes.set_xlim(0, end)


def iteration_panel(axes: Axes, panel: Json, styles: Styles) -> None:
    for series in panel["series"]:
        draw_series(axes, series, styles, [point["iteration"] for point in series["points"]])
    finish(axes, "iteration")


def labels_of(figure: Json) -> list[str]:
    return [series["label"] for panel in figure["panels"] for series in panel["series"]]


CAPTION = "lines: medians over seeds; bands: their range; dotted: a link that is suspect"


def time_figure(figure: Json, styles: Styles) -> Figure:
    drawn = canvas.draw(figure, styles, time_panel, (6.4, 3.4))
    canvas.add_method_legend(drawn, labels_of(figure), styles, CAPTION)
    return drawn


def iteration_figure(figure: Json, styles: Styles) -> Figure:
    drawn = canvas.draw(figure, styles, iteration_panel, (5.2, 3.4))
    canvas.add_method_legend(drawn, labels_of(figure), styles, CAPTION)
    return drawn
