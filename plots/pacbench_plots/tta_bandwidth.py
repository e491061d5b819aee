"""Time to accuracy against the rate of the link, and where the fastest method changes."""

from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pacbench_plots import canvas
from pacbench_plots.canvas import Styles
from pacbench_plots.document import Json
from pacbench_plots.styles import BASELINES

# With more methods, colours and markers can no longer be told apart.
MOST_IN_COLOUR = 10
FASTEST = 3
GREY = "#c8c8c8"


def fastest_anywhere(series: list[Json]) -> set[str]:
    """The labels that are among the fastest three at some rate."""
    times: dict[float, list[tuple[float, str]]] = {}
    for each in series:
        for point in each["points"]:
            if point["tta_s"]["median"] is not None:
                times.setdefault(point["rate_mbit"], []).append(
                    (point["tta_s"]["median"], each["label"])
                )
    return {label for at_rate in times.values() for _, label in sorted(at_rate)[:FASTEST]}


def in_colour(panels: list[Json], styles: Styles) -> set[str]:
    """The labels to draw in colour: all, or, when they are too many, the baselines and those among
    the fastest three at some rate."""
    labels = {each["label"] for content in panels for each in content["series"]}
    if len(labels) <= MOST_IN_COLOUR:
        return labels
    baselines = {label for label in labels if styles[label] in BASELINES.values()}
    return baselines.union(*(fastest_anywhere(content["series"]) for content in panels))


def draw_line(axes: Axes, series: Json, **style: Any) -> None:
    """Draws a line through the points whose median reached the target."""
    reached = [point for point in series["points"] if point["tta_s"]["median"] is not None]
    axes.plot(
        [point["rate_mbit"] for point in reached],
        [point["tta_s"]["median"] for point in reached],
        **style,
    )


def draw_method(axes: Axes, series: Json, styles: Styles) -> None:
    style = styles[series["label"]]
    draw_line(axes, series, color=style.colour, linestyle=style.line)
    for point in series["points"]:
        rate, time = point["rate_mbit"], point["tta_s"]
        if time["median"] is None:
            axes.text(
                rate,
                1.0,
                "DNF",
                color=style.colour,
                transform=axes.get_xaxis_transform(),
                ha="center",
                va="bottom",
                fontsize=7,
            )
            continue
        axes.errorbar(
            rate,
            time["median"],
            canvas.error(time),
            color=style.colour,
            marker=style.marker,
            capsize=2,
            linewidth=1,
            markerfacecolor="white" if point["suspect"] else style.colour,
        )


def draw_crossing(axes: Axes, crossing: Json) -> None:
    rate, time = crossing["rate_mbit"], crossing["tta_s"]
    axes.plot([rate], [time], marker="o", markersize=10, markerfacecolor="none", color="#000000")
    axes.annotate(
        f"{rate:.3g} Mbit/s",
        (rate, time),
        xytext=(0, -14),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=7.5,
    )


def panel(axes: Axes, content: Json, styles: Styles, coloured: set[str]) -> None:
    for series in content["series"]:
        if series["label"] in coloured:
            draw_method(axes, series, styles)
        else:
            draw_line(axes, series, color=GREY, linewidth=0.9, zorder=1)
    for crossing in content["crossings"]:
        draw_crossing(axes, crossing)
    canvas.set_log_scale(axes, "x")
    canvas.set_log_scale(axes, "y")
    rates = {point["rate_mbit"] for series in content["series"] for point in series["points"]}
    axes.set_xticks(sorted(rates), [f"{rate:g}" for rate in sorted(rates)])
    axes.set_xticks([], minor=True)
    axes.margins(y=0.15)
    axes.set_xlabel("rate of the link, Mbit/s")
    axes.set_ylabel("TTA, s")


CAPTION = (
    "medians over seeds; whiskers: 95 % interval of the median, or the range where there are too "
    "few seeds for one; hollow: a suspect link; rings: where the fastest method changes, between "
    "measured rates"
)


def figure(content: Json, styles: Styles) -> Figure:
    labels = {series["label"] for panel in content["panels"] for series in panel["series"]}
    coloured = in_colour(content["panels"], styles)
    drawn = canvas.draw(content, styles, partial(panel, coloured=coloured), (4.6, 3.4))
    grey = len(labels - coloured)
    others = f"; grey: {grey} others, nowhere among the {FASTEST} fastest" if grey else ""
    canvas.add_method_legend(drawn, coloured, styles, CAPTION + others)
    return drawn
