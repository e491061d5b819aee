"""Time to accuracy over that of all-reduce: bars for each link."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pacbench_plots import canvas
from pacbench_plots.canvas import Styles
from pacbench_plots.document import Json


def labels_of(panels: list[Json]) -> list[str]:
    """Each method once, in the order of the bars."""
    bars = (bar for panel in panels for group in panel["groups"] for bar in group["bars"])
    return list(dict.fromkeys(bar["label"] for bar in bars))


def draw_bar(axes: Axes, bar: Json, styles: Styles, x: float, width: float) -> None:
    relative = bar["relative"]
    if relative is None:
        axes.text(x, 0.02, bar["word"], rotation=90, ha="center", va="bottom", fontsize=7)
        return
    axes.bar(
        x,
        relative["median"],
        width,
        color=styles[bar["label"]].colour,
        edgecolor="white",
        linewidth=0.5,
    )
    if relative["total"] > 1:
        axes.errorbar(
            x, relative["median"], canvas.error(relative), color="#555555", capsize=2, linewidth=1
        )
        if canvas.open_above(relative):
            axes.annotate(
                "",
                (x, relative["median"]),
                (0, 12),
                textcoords="offset points",
                arrowprops={"arrowstyle": "<-", "color": "#555555"},
            )


def panel(axes: Axes, content: Json, styles: Styles) -> None:
    labels = labels_of([content])
    width = 0.85 / len(labels)
    for at, group in enumerate(content["groups"]):
        for bar in group["bars"]:
            place = labels.index(bar["label"]) - (len(labels) - 1) / 2
            draw_bar(axes, bar, styles, at + place * width, width)
    axes.axhline(1, color="#333333", linewidth=0.8, linestyle="--")
    axes.set_xticks(range(len(content["groups"])), [group["name"] for group in content["groups"]])
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("TTA / TTA of all-reduce")


CAPTION = (
    "medians over seeds; whiskers: 95 % interval of the median, or the range where there are too "
    "few seeds for one; an arrow: some seed never reached the target, so the upper end is unknown; lower is faster"
)


def figure(content: Json, styles: Styles) -> Figure:
    drawn = canvas.draw(content, styles, panel, (4.6, 3.1))
    labels = labels_of(content["panels"])
    handles = [Patch(color=styles[label].colour) for label in labels]
    canvas.add_legend(drawn, handles, labels, CAPTION)
    return drawn
