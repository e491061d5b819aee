"""Where the time of an iteration goes: stacked bars for each method."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pacbench_plots import canvas
from pacbench_plots.canvas import Styles
from pacbench_plots.document import Json

# (key, words, colour, hatching: phases can be told apart in black and white too)
PHASES = [
    ("compute_s", "forward and backward", "#0072b2", ""),
    ("exposed_encode_s", "waiting, nothing on the wire (encode, decode)", "#e69f00", "///"),
    ("exposed_wire_s", "waiting, on the wire", "#56b4e9", "..."),
    ("rest_s", "optimiser and the rest", "#999999", "xxx"),
]


def panel(axes: Axes, content: Json, _: Styles) -> None:
    rows = content["rows"]
    for at, row in enumerate(rows):
        left = 0.0
        for key, _words, colour, hatch in PHASES:
            axes.barh(
                at,
                1e3 * row[key],
                left=1e3 * left,
                color=colour,
                hatch=hatch,
                edgecolor="white",
                linewidth=0.3,
            )
            left += row[key]
        time = row["time_per_iteration_s"]
        if row["cells"] > 1:
            below, above = canvas.error(time)
            axes.errorbar(
                1e3 * time["median"],
                at,
                xerr=([1e3 * below[0]], [1e3 * above[0]]),
                color="#333333",
                capsize=2,
                linewidth=1,
            )
    names = [row["label"] + (" (suspect)" if row["suspect"] else "") for row in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("ms per iteration")


CAPTION = (
    "rank 0, a typical iteration of each cell, mean over cells; "
    "whiskers: range of the median time per iteration over seeds"
)


def figure(content: Json, styles: Styles) -> Figure:
    most = max(len(panel["rows"]) for panel in content["panels"])
    drawn = canvas.draw(content, styles, panel, (5.0, 1.0 + 0.3 * most))
    handles = [
        Patch(facecolor=colour, hatch=hatch, edgecolor="white") for _, _, colour, hatch in PHASES
    ]
    canvas.add_legend(drawn, handles, [words for _, words, _, _ in PHASES], CAPTION)
    return drawn
