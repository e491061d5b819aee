"""Time to accuracy against the rate of the link, and where the fastest method changes."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pacbench_plots import canvas
from pacbench_plots.canvas import Styles
from pacbench_plots.document import Json


def draw_method(axes: Axes, series: Json, styles: Styles) -> None:
    style = styles[series["label"]]
    reached = [point for point in series["points"] if point["tta_s"]["median"] is not None]
    axes.plot(
        [point["rate_mbit"] for point in reached],
        [point["tta_s"]["median"] for point in reached],
        color=style.colour,
        linestyle=style.line,
    )
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
        f"{rate:.0f} Mbit/s",
        (rate, time),
        xytext=(0, -14),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=7.5,
    )


def panel(axes: Axes, content: Json, styles: Styles) -> None:
    for series in content["series"]:
        draw_method(axes, series, styles)
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
    drawn = canvas.draw(content, styles, panel, (4.6, 3.4))
    labels = [series["label"] for panel in content["panels"] for series in panel["series"]]
    canvas.add_method_legend(drawn, labels, styles, CAPTION)
    return drawn
