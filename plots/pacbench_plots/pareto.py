"""Final accuracy against speed-up: what is gained for what is lost, and the Pareto front."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pacbench_plots import canvas
from pacbench_plots.canvas import Styles
from pacbench_plots.document import Json


def draw_method(axes: Axes, point: Json, styles: Styles) -> None:
    style = styles[point["label"]]
    axes.errorbar(
        point["speed_up"],
        point["accuracy"]["median"],
        canvas.error(point["accuracy"]),
        color=style.colour,
        marker=style.marker,
        markersize=7,
        capsize=2,
        linewidth=1,
        markerfacecolor=style.colour if point["front"] else "white",
    )


def panel(axes: Axes, content: Json, styles: Styles) -> None:
    front = sorted(
        (point for point in content["points"] if point["front"]),
        key=lambda point: point["speed_up"],
    )
    axes.step(
        [point["speed_up"] for point in front],
        [point["accuracy"]["median"] for point in front],
        where="pre",
        color="#999999",
        linewidth=1,
        zorder=0,
    )
    for point in content["points"]:
        draw_method(axes, point, styles)
    axes.axvline(1, color="#333333", linewidth=0.8, linestyle="--")
    axes.set_xlabel("speed-up over all-reduce")
    axes.set_ylabel("final accuracy")
    canvas.set_per_cent(axes)


CAPTION = "medians over seeds; whiskers: range of the final accuracy; filled: on the Pareto front"


def figure(content: Json, styles: Styles) -> Figure:
    drawn = canvas.draw(content, styles, panel, (4.2, 3.1))
    labels = [point["label"] for panel in content["panels"] for point in panel["points"]]
    canvas.add_method_legend(drawn, labels, styles, CAPTION)
    return drawn
