"""Final accuracy against the pruning ratio, with the dense model's accuracy to compare with."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pacbench_plots import canvas
from pacbench_plots.canvas import Styles
from pacbench_plots.document import Json
from pacbench_plots.styles import Style


def style_of(series: Json, styles: Styles) -> Style:
    """A family has the style of its method with the lowest pruning ratio."""
    return styles[series["points"][0]["label"]]


def draw_family(axes: Axes, series: Json, styles: Styles) -> None:
    style = style_of(series, styles)
    points = series["points"]
    x = [point["pruning_ratio"] for point in points]
    medians = [point["accuracy"]["median"] for point in points]
    axes.plot(x, medians, color=style.colour, linestyle=style.line, marker=style.marker)
    for point in points:
        value = point["accuracy"]
        axes.errorbar(
            point["pruning_ratio"],
            value["median"],
            canvas.error(value),
            color=style.colour,
            capsize=2,
            linewidth=1,
        )


def panel(axes: Axes, content: Json, styles: Styles) -> None:
    for series in content["series"]:
        draw_family(axes, series, styles)
    if dense := content["dense"]:
        axes.axhline(dense["median"], color="#000000", linewidth=1)
        axes.axhspan(dense["minimum"], dense["maximum"], color="#000000", alpha=0.08, linewidth=0)
    axes.set_xlim(0, 1)
    axes.set_xlabel("pruning ratio")
    axes.set_ylabel("final accuracy")
    canvas.set_per_cent(axes)


CAPTION = "medians over seeds; whiskers: their range; black: all-reduce, dense"


def figure(content: Json, styles: Styles) -> Figure:
    drawn = canvas.draw(content, styles, panel, (5.2, 3.4))
    families = {
        series["name"]: style_of(series, styles)
        for content in content["panels"]
        for series in content["series"]
    }
    handles = [canvas.method_handle(style) for style in families.values()]
    canvas.add_legend(drawn, handles, list(families), CAPTION)
    return drawn
