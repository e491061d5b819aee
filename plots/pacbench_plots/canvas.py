"""The parts that all figures share: the grid of panels, legend, ranges and files."""

import io
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from pacbench_plots.document import Json
from pacbench_plots.styles import Style

SETTINGS: Any = {
    # Names come from scenarios: a dollar sign in a name is no markup.
    "text.parse_math": False,
    # The same document gives the same file.
    "svg.hashsalt": "pacbench",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "lines.linewidth": 1.4,
    "lines.markersize": 5,
    "figure.max_open_warning": 0,
}
COLUMNS = 3
COLUMN_OF_A_PAPER_INCHES = 3.35
LEGEND_ROW_INCHES = 0.19
_is_for_paper: ContextVar[bool] = ContextVar("is_for_paper", default=False)
Styles = dict[str, Style]
DrawPanel = Callable[[Axes, Json, Styles], None]


@contextmanager
def for_paper() -> Iterator[None]:
    """Figures that are drawn meanwhile have the width of a paper's column."""
    before = _is_for_paper.set(True)
    try:
        yield
    finally:
        _is_for_paper.reset(before)


def draw(figure: Json, styles: Styles, panel: DrawPanel, size: tuple[float, float]) -> Figure:
    """All panels of a figure in a grid, each `size` inches wide and high. For a paper (`for_paper`) they stand
    below each other in one column, without the figure's title, which a caption says."""
    panels = figure["panels"]
    columns = 1 if _is_for_paper.get() else min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    if _is_for_paper.get():
        size = (COLUMN_OF_A_PAPER_INCHES, 1.2 * size[1] * COLUMN_OF_A_PAPER_INCHES / size[0])
    with matplotlib.rc_context(SETTINGS):
        canvas = Figure(figsize=(size[0] * columns, size[1] * rows + 0.6), layout="constrained")
        if not _is_for_paper.get():
            canvas.suptitle(figure["title"], fontweight="bold")
        grid = canvas.subplots(rows, columns, squeeze=False).flatten()
        for axes, content in zip(grid, panels, strict=False):
            axes.set_title(wrapped(content["title"], 0.75 * size[0] if _is_for_paper.get() else size[0]))
            panel(axes, content, styles)
            if _is_for_paper.get():
                wrap_names(axes)
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
    return canvas


def wrap_names(axes: Axes) -> None:
    """Breaks the names along a y axis at their hyphens, so that a narrow panel has room beside them."""
    names = [label.get_text() for label in axes.get_yticklabels()]
    if any(name.strip("0123456789.%−-") for name in names):
        axes.set_yticks(axes.get_yticks(), [textwrap.fill(name, 26) for name in names], fontsize=5)


def wrapped(text: str, width: float) -> str:
    """Breaks the text into lines that fit `width` inches in this figure's font size."""
    return textwrap.fill(text, int(14 * width))


def add_legend(canvas: Figure, handles: list[Any], labels: list[str], caption: str) -> None:
    """Adds the caption below all panels, and the legend under it. The canvas grows by the legend's
    rows."""
    width = canvas.get_figwidth()
    if _is_for_paper.get():
        labels = [textwrap.fill(label, 48) for label in labels]
    widest = 0.7 + 0.075 * max(len(label) for label in labels)
    columns = max(1, min(len(handles), int(width / widest)))
    lines = sum(1 + label.count("\n") for label in labels)
    canvas.set_figheight(canvas.get_figheight() + LEGEND_ROW_INCHES * -(-lines // columns))
    with matplotlib.rc_context(SETTINGS):
        canvas.legend(
            handles,
            [shown(label) for label in labels],
            loc="outside lower center",
            ncols=columns,
            frameon=False,
            title=wrapped(caption, 1.15 * width),
            title_fontproperties={"size": 7.5},
        )


def shown(label: str) -> str:
    """Puts an invisible character before an underscore at the label's start: matplotlib leaves
    labels that begin with an underscore out of legends."""
    return f"\u200b{label}" if label.startswith("_") else label


def method_handle(style: Style, **more: Any) -> Line2D:
    return Line2D([], [], color=style.colour, marker=style.marker, linestyle=style.line, **more)


def add_method_legend(canvas: Figure, labels: Iterable[str], styles: Styles, caption: str) -> None:
    """Adds a legend of the methods that are drawn, in the document's order."""
    used = set(labels)
    drawn = [label for label in styles if label in used]
    add_legend(canvas, [method_handle(styles[label]) for label in drawn], drawn, caption)


def set_log_scale(axes: Axes, which: str) -> None:
    """Makes the x or y axis logarithmic. Its numbers are written out below a million: 0.5, 20, 1000."""
    getattr(axes, f"set_{which}scale")("log")
    axis = getattr(axes, f"{which}axis")
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def set_workers_axis(axes: Axes, series: list[Json]) -> None:
    """A logarithmic x axis with a tick for each number of workers in the series' points."""
    set_log_scale(axes, "x")
    workers = sorted({point["workers"] for one in series for point in one["points"]})
    axes.set_xticks(workers, [str(number) for number in workers])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("workers")


def set_per_cent(axes: Axes) -> None:
    """Labels a y axis of shares (0 to 1) in per cent, with as many digits as its ticks have:
    96.25%, not 96.2%."""
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.6g}%"))


def open_above(value: Json) -> bool:
    """Whether the upper end of the error bar is unknown, since a seed never reached the target."""
    ends = value.get("interval")
    return (ends["high"] if ends else value["maximum"]) is None


def error(value: Json) -> tuple[list[float], list[float]]:
    """The distances of a value's ends below and above its median, as errorbar() wants them.

    The ends are those of the median's interval where there is one, else those of the range. An end
    that is unknown, since a seed never reached the target, has no bar.
    """
    middle = value["median"]
    low, high = value["minimum"], value["maximum"]
    if interval := value.get("interval"):
        low, high = interval["low"], interval["high"]
    return [middle - low if low is not None else 0], [high - middle if high is not None else 0]


def save(canvas: Figure, kind: str) -> bytes:
    """The figure as a file of that kind: svg, png or pdf. The same figure gives the same file."""
    data = io.BytesIO()
    unset = {"svg": "Date", "png": "Software", "pdf": "CreationDate"}[kind]
    metadata: dict[str, Any] = {unset: None}
    with matplotlib.rc_context(SETTINGS):
        canvas.savefig(data, format=kind, dpi=160, metadata=metadata)
    return data.getvalue()
