"""Bytes that a worker sends per iteration, as the links counted them and as methods declare."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pacbench_plots import canvas
from pacbench_plots.canvas import Styles
from pacbench_plots.document import Json

MEGABYTE = 1e6


def draw_row(axes: Axes, row: Json, styles: Styles, at: int) -> None:
    style = styles[row["label"]]
    measured = row["measured_bytes"]["median"] / MEGABYTE
    expected = row["expected_bytes"]["median"] / MEGABYTE
    axes.plot([measured], [at], marker=style.marker, color=style.colour, markersize=7)
    axes.plot([expected], [at], marker="|", color="#000000", markersize=14, markeredgewidth=1.5)
    low, high = (row["measured_bytes"][end] / MEGABYTE for end in ("minimum", "maximum"))
    axes.plot([low, high], [at, at], color=style.colour, linewidth=2)
    if row["off"] is not None:
        axes.annotate(
            f"{100 * row['off']:+.1f} %",
            (max(high, expected), at),
            xytext=(9, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )


def panel(axes: Axes, content: Json, styles: Styles) -> None:
    rows = content["rows"]
    for at, row in enumerate(rows):
        draw_row(axes, row, styles, at)
    canvas.set_log_scale(axes, "x")
    axes.margins(x=0.25, y=0.12)
    axes.set_yticks(range(len(rows)), [row["label"] for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("MB per iteration and worker")


CAPTION = (
    "medians over seeds, lines: their range; per cent: measured beyond what the recorded "
    "collectives and frame headers explain (beyond declared where that is unknown)"
)


def figure(content: Json, styles: Styles) -> Figure:
    most = max(len(panel["rows"]) for panel in content["panels"])
    drawn = canvas.draw(content, styles, panel, (5.0, 1.0 + 0.32 * most))
    handles = [
        Line2D([], [], color="#555555", marker="o", linestyle="none"),
        Line2D([], [], color="#000000", marker="|", markersize=12, linestyle="none"),
    ]
    canvas.add_legend(drawn, handles, ["measured on the wire", "declared, with headers"], CAPTION)
    return drawn
