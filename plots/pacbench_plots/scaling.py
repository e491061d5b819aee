"""Simulated methods against the number of workers."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pacbench_plots import canvas
from pacbench_plots.canvas import Styles
from pacbench_plots.document import Json


def panel(axes: Axes, content: Json, styles: Styles) -> None:
    quantity = content["quantity"]
    for series in content["series"]:
        style = styles[series["label"]]
        points = [point for point in series["points"] if point[quantity] is not None]
        axes.plot(
            [point["workers"] for point in points],
            [point[quantity] for point in points],
            color=style.colour,
            linestyle=style.line,
            marker=style.marker,
        )
    if quantity == "efficiency":
        axes.set_ylim(bottom=0)
    else:
        canvas.set_log_scale(axes, "y")
    canvas.set_workers_axis(axes, content["series"])
    axes.set_ylabel(content["words"])


CAPTION = (
    "simulated; efficiency: samples a second and worker over those with the fewest workers; "
    "docs/fidelity/simulated.md says up to how many workers real exchanges were compared with it"
)


def figure(content: Json, styles: Styles) -> Figure:
    labels = {series["label"] for panel in content["panels"] for series in panel["series"]}
    drawn = canvas.draw(content, styles, panel, (3.6, 3.0))
    canvas.add_method_legend(drawn, labels, styles, CAPTION)
    return drawn
