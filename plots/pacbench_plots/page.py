"""The HTML report: one file that needs nothing but itself."""

import base64
from importlib.resources import files

from pacbench_plots import canvas, styles
from pacbench_plots.document import Json, figure_of
from pacbench_plots.figures import DRAWN
from pacbench_plots.markup import Html, data, join, script, tag, void
from pacbench_plots.page_fidelity import fidelity
from pacbench_plots.page_record import environment, scenario
from pacbench_plots.page_tables import tables

# Nothing is loaded from anywhere, whatever stands in the page.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
SCRIPTS = ["sort.js", "theme.js", "curves.js", "timeline.js"]
# These figures are shown as curves that can be zoomed, instead of as images.
INTERACTIVE = {"accuracy-time", "accuracy-iteration"}


def asset(name: str) -> str:
    return (files("pacbench_plots") / "assets" / name).read_text(encoding="utf-8")


def plotly() -> str:
    return (files("plotly") / "package_data" / "plotly.min.js").read_text(encoding="utf-8")


def head(title: str) -> Html:
    return tag(
        "head",
        void("meta", charset="utf-8"),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", http_equiv="Content-Security-Policy", content=POLICY),
        void("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(asset("page.css"))),
    )


def methods_choice(labels: list[str], of_label: dict[str, styles.Style]) -> Html:
    boxes: list[str | Html] = []
    for at, label in enumerate(labels):
        box = void("input", type="checkbox", data_label=label, id=f"method-{at}", checked=True)
        swatch = tag(
            "span",
            class_="swatch",
            style=f"--light: {of_label[label].colour}; --dark: {of_label[label].dark}",
        )
        boxes.append(tag("label", box, swatch, label, for_=f"method-{at}"))
    return tag("fieldset", tag("legend", "methods"), *boxes, id="methods")


def axis_choice(timed: bool) -> Html:
    """The choice of the x axis: training time, where times were measured, or iteration."""
    choices: list[str | Html] = []
    for value, words in [("time", "training time"), ("iteration", "iteration")][not timed :]:
        checked = value == ("time" if timed else "iteration")
        button = void(
            "input", type="radio", name="axis", value=value, id=f"axis-{value}", checked=checked
        )
        choices.append(tag("label", button, words, for_=f"axis-{value}"))
    return tag("fieldset", tag("legend", "against"), *choices, id="axis")


def choice(name: str, words: str) -> Html:
    """A drop-down list, which the page's scripts fill."""
    return tag("label", words, tag("select", id=name), for_=name)


def zoom_buttons(plot: str) -> Html:
    buttons = [
        tag("button", words, type="button", data_zoom=kind, data_plot=plot)
        for kind, words in [("in", "zoom in"), ("out", "zoom out"), ("all", "show all")]
    ]
    return tag("span", *buttons, class_="zoom")


def curves(document: Json, of_label: dict[str, styles.Style]) -> Html:
    timed, counted = (figure_of(document, name) for name in ("accuracy-time", "accuracy-iteration"))
    if counted["missing"]:
        return tag("p", f"No curves: {counted['missing']}.")
    labels = [entry["label"] for entry in document["methods"]]
    return join(
        [
            tag(
                "div",
                choice("curve-panel", "workload and link "),
                axis_choice(not timed["missing"]),
                methods_choice(list(dict.fromkeys(labels)), of_label),
                zoom_buttons("curve-plot"),
                class_="controls",
            ),
            tag(
                "div",
                id="curve-plot",
                class_="plot",
                role="img",
                aria_label="Accuracy curves; the tables hold their crossings as numbers",
            ),
            tag(
                "p",
                "Lines: medians over seeds; bands: their range. Drag to zoom, double-click to "
                "show all.",
                class_="hint",
            ),
        ]
    )


def timeline(document: Json) -> Html:
    if not any(section["timelines"] for section in document["sections"]):
        return tag(
            "p",
            "No timeline: needs done cells with their iterations.jsonl, of any mode but learn, not "
            "of a user's own program."
        )
    return join(
        [
            tag(
                "div",
                choice("timeline-cell", "method and link "),
                zoom_buttons("timeline-plot"),
                class_="controls",
            ),
            tag("p", id="timeline-words"),
            tag(
                "div",
                id="timeline-plot",
                class_="plot",
                role="img",
                aria_label="Timeline of one iteration; the figure of phases holds its sums",
            ),
        ]
    )


def drawn_figures(document: Json, of_label: dict[str, styles.Style]) -> Html:
    parts: list[str | Html] = []
    for content in document["figures"]:
        if content["name"] in INTERACTIVE:
            continue
        if content["missing"]:
            parts.append(tag("p", f"{content['title']}: {content['missing']}.", class_="hint"))
            continue
        svg = canvas.save(DRAWN[content["name"]](content, of_label), "svg")
        source = "data:image/svg+xml;base64," + base64.b64encode(svg).decode()
        parts.append(
            tag(
                "figure",
                void("img", src=source, alt=content["title"]),
                id=f"figure-{content['name']}",
            )
        )
    return join(parts)


def part(name: str, title: str, content: Html) -> Html:
    return tag("section", tag("h2", title), content, id=name, aria_label=title)


def script_data(document: Json, of_label: dict[str, styles.Style]) -> Html:
    timelines = [timeline for section in document["sections"] for timeline in section["timelines"]]
    return join(
        [
            data("styles", styles.to_json(of_label)),
            data(
                "curves",
                {
                    "time": figure_of(document, "accuracy-time")["panels"],
                    "iteration": figure_of(document, "accuracy-iteration")["panels"],
                },
            ),
            data("timelines", timelines),
        ]
    )


def headlines(document: Json) -> Html:
    """Sentences that open the page: each says what was found over one link. A link may have none."""
    links = [link for section in document["sections"] for link in section["links"]]
    words = [f"{link['title']}: {link['headline']}." for link in links if link["headline"]]
    return join([tag("p", sentence, class_="headline") for sentence in words])


def render(document: Json) -> str:
    """The whole file."""
    of_label = styles.styles_of(document["methods"])
    parts = [
        ("curves-part", "Accuracy", curves(document, of_label)),
        ("tables", "Tables", tables(document)),
        ("timeline-part", "One iteration", timeline(document)),
        ("figures-part", "Figures", drawn_figures(document, of_label)),
        ("fidelity", "Fidelity", fidelity(document)),
        ("scenario", "Scenario", scenario(document)),
        ("environment", "Environment", environment(document)),
    ]
    links = [tag("a", title, href=f"#{name}") for name, title, _ in parts]
    body = tag(
        "body",
        tag("header", tag("h1", document["title"]), tag("nav", *links, aria_label="parts")),
        tag("main", headlines(document), *(part(*entry) for entry in parts)),
        script_data(document, of_label),
        script(plotly()),
        *(script(asset(name)) for name in SCRIPTS),
    )
    return f"<!doctype html>\n{tag('html', head(document['title']), body, lang='en')}\n"
