"""Steps over real links beside simulated ones, against the number of workers."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pacbench_plots import canvas
from pacbench_plots.canvas import Styles
from pacbench_plots.document import Json


def panel(axes: Axes, content: Json, styles: Styles) -> None:
    """A line of simulated steps for each method, and a marker for each real one.

    A marker is hollow where the links were not as declared or the host was too busy.
    """
    for series in content["series"]:
        style = styles[series["label"]]
        points = series["points"]
        axes.plot(
            [point["workers"] for point in points],
            [1e3 * point["simulated_s"] for point in points],
            color=style.colour,
            linestyle=style.line,
        )
        for is_ok, fill in ((True, "full"), (False, "none")):
            shown = [point for point in points if point["is_ok"] == is_ok]
            axes.plot(
                [point["workers"] for point in shown],
                [1e3 * point["real_s"] for point in shown],
                color=style.colour,
                linestyle="none",
                marker=style.marker,
                fillstyle=fill,
            )
    canvas.set_log_scale(axes, "y")
    canvas.set_workers_axis(axes, content["series"])
    axes.set_ylabel("step, ms")


CAPTION = (
    "lines: simulated; markers: over real links, in mode compose; "
    "hollow: the links were not as declared, or the host was too busy"
)


def figure(content: Json, styles: Styles) -> Figure:
    labels = {series["label"] for panel in content["panels"] for series in panel["series"]}
    drawn = canvas.draw(content, styles, panel, (3.6, 3.0))
    canvas.add_method_legend(drawn, labels, styles, CAPTION)
    return drawn
