"""One colour and one marker for each method, the same in every figure and in the HTML report.

COLOURS are those of Okabe and Ito ("Color Universal Design", 2008), which people with the common
kinds of colour blindness can tell apart, and lighter ones of the same hues for a dark background.
Yellow is left out: it is too pale for lines on white.
"""

from dataclasses import asdict, dataclass

from matplotlib.typing import LineStyleType

from pacbench_plots.document import Json


@dataclass(frozen=True)
class Style:
    colour: str
    dark: str  # on a dark background
    marker: str  # matplotlib's
    symbol: str  # plotly's
    line: LineStyleType  # matplotlib's
    dash: str  # plotly's


BASELINES = {
    "all-reduce": Style("#000000", "#ffffff", "o", "circle", "-", "solid"),
    "fp16": Style("#767676", "#b0b0b0", "s", "square", "-", "solid"),
}
COLOURS = [
    ("#0072b2", "#4da3da"),  # blue
    ("#d55e00", "#f0803c"),  # vermilion
    ("#009e73", "#2ebd93"),  # green
    ("#cc79a7", "#e39cc4"),  # purple
    ("#e69f00", "#f0b429"),  # orange
    ("#56b4e9", "#7cc8f2"),  # sky
]
MARKERS = [
    ("^", "triangle-up"),
    ("v", "triangle-down"),
    ("D", "diamond"),
    ("P", "cross"),
    ("X", "x"),
    ("*", "star"),
    ("<", "triangle-left"),
    (">", "triangle-right"),
    ("p", "pentagon"),
    ("h", "hexagon"),
]
LINES: list[tuple[LineStyleType, str]] = [("-", "solid"), ("--", "dash"), ("-.", "dashdot")]


def styles_of(methods: list[Json]) -> dict[str, Style]:
    """A style for each label, in the order in which methods occur in the document.

    The first label of all-reduce and the first of fp16 have the styles that BASELINES reserves for
    them. The other labels have 30 different pairs of colour and marker before one repeats.
    """
    styles: dict[str, Style] = {}
    taken: set[str] = set()
    number = 0
    for entry in methods:
        label, method = entry["label"], entry["method"]
        if label in styles:
            continue
        if method in BASELINES and method not in taken:
            taken.add(method)
            styles[label] = BASELINES[method]
            continue
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        line = LINES[number // len(COLOURS) % len(LINES)]
        styles[label] = Style(*colour, *marker, *line)
        number += 1
    return styles


def to_json(styles: dict[str, Style]) -> Json:
    return {label: asdict(style) for label, style in styles.items()}
