"""Tables that show whether links were as declared, and how busy the host was."""

from pacbench_plots.document import Json
from pacbench_plots.markup import Html, join, tag

CELL_COLUMNS = [
    "method",
    "seed",
    "status",
    "link",
    "host",
    "probe %",
    "CPU idle %",
    "CPU on packets %",
    "CPU pressure %",
    "scheduling floor ms",
    "segments sent again",
    "packets dropped",
    "real-time priority",
]
PROBE_COLUMNS = ["when", "worst flow %", "flows off", "compared with", "finding"]


def percent(value: float | None) -> str:
    return "—" if value is None else f"{100 * value:.1f}"


def verdict(content: Json) -> Html:
    bad = content["word"] != "ok"
    return tag("span", content["word"], class_="bad" if bad else "good")


def cell_row(cell: Json) -> Html:
    texts: list[str | Html] = [
        cell["label"],
        str(cell["seed"]),
        cell["status"],
        verdict(cell["link"]),
        verdict(cell["host"]),
        percent(cell["link_probe"]),
        percent(cell["cpu_idle"]),
        percent(cell["cpu_softirq"]),
        percent(cell["cpu_pressure"]),
        f"{cell['scheduling_floor_ms']:.2f}",
        str(cell["retransmits"]),
        str(cell["dropped_packets"]),
        "yes" if cell["real_time"] else "no",
    ]
    return tag("tr", tag("th", texts[0], scope="row"), *(tag("td", text) for text in texts[1:]))


def probe_row(probe: Json) -> Html:
    off = sum(1 for flow in probe["flows"] if flow["off"])
    against = "this machine's calibration" if probe["calibrated"] else "arithmetic"
    words = (
        "; ".join(part for part in [probe["failure"], *probe["reasons"]] if part) or "as declared"
    )
    texts = [
        probe["when"],
        percent(probe["worst"]),
        f"{off} of {len(probe['flows'])}",
        against,
        words,
    ]
    return tag("tr", *(tag("td", text) for text in texts))


def table(title: str, columns: list[str], rows: list[Html]) -> Html:
    whole = tag(
        "table",
        tag("caption", tag("span", title)),
        tag(
            "thead",
            tag(
                "tr",
                *(
                    tag("th", tag("button", name, type="button"), scope="col", aria_sort="none")
                    for name in columns
                ),
            ),
        ),
        tag("tbody", *rows),
        class_="sortable",
    )
    return tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=title)


def reasons(cells: list[Json]) -> Html:
    """Lists each reason once, with the cells that have it."""
    of_text: dict[str, list[str]] = {}
    for cell in cells:
        texts = cell["link"]["reasons"] + cell["host"]["reasons"]
        for text in [cell["reason"], *texts]:
            if text:
                of_text.setdefault(text, []).append(f"{cell['label']} seed {cell['seed']}")
    if not of_text:
        return Html()
    items = [tag("li", f"{', '.join(names)}: {text}") for text, names in of_text.items()]
    return tag("ul", *items, class_="footnotes")


def link(content: Json) -> Html:
    words = f" ({content['description']})" if content["description"] else ""
    parts: list[str | Html] = [tag("h3", f"Link {content['link']}{words}")]
    cells = [cell_row(cell) for cell in content["cells"]]
    parts.append(table(f"Cells over {content['link']}", CELL_COLUMNS, cells))
    parts.append(reasons(content["cells"]))
    if content["probes"]:
        probes = [probe_row(probe) for probe in content["probes"]]
        parts.append(
            table(
                f"Probes of {content['link']}: goodput over what the rate carries",
                PROBE_COLUMNS,
                probes,
            )
        )
    return join(parts)


def fidelity(document: Json) -> Html:
    parts: list[str | Html] = []
    for section in document["sections"]:
        if len(document["sections"]) > 1:
            parts.append(tag("h3", section["title"]))
        parts += [link(content) for content in section["fidelity"]]
    return join(parts)
