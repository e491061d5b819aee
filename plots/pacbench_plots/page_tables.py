"""The tables of the report, as pacbench worded them; sort.js lets readers sort them."""

from itertools import groupby

from pacbench_plots.document import Json
from pacbench_plots.markup import Html, join, tag


def group_row(columns: list[Json]) -> Html:
    """Neighbours under one heading share a cell."""
    cells: list[str | Html] = []
    for name, members in groupby(columns, key=lambda column: str(column["group"])):
        cells.append(tag("th", name, colspan=str(len(list(members))), scope="colgroup"))
    return tag("tr", *cells, class_="groups")


def head_row(columns: list[Json]) -> Html:
    return tag(
        "tr",
        *(
            tag(
                "th",
                tag("button", column["head"], type="button"),
                scope="col",
                aria_sort="none",
                class_="word" if column["left"] else "number",
            )
            for column in columns
        ),
    )


def body_row(columns: list[Json], cells: list[str]) -> Html:
    first = tag("th", cells[0], scope="row")
    rest = [
        tag("td", cell, class_="word" if column["left"] else "number")
        for column, cell in zip(columns[1:], cells[1:], strict=True)
    ]
    return tag("tr", first, *rest)


def table(content: Json) -> Html:
    columns = content["columns"]
    whole = tag(
        "table",
        tag("caption", tag("span", content["title"])),
        tag("thead", group_row(columns), head_row(columns)),
        tag("tbody", *(body_row(columns, row) for row in content["rows"])),
        class_="sortable",
    )
    # A wide table scrolls within this box; `tabindex` lets the keyboard scroll it too.
    return tag(
        "div", whole, class_="scroll", tabindex="0", role="region", aria_label=content["title"]
    )


def listed(element: str, lines: list[str]) -> Html:
    if not lines:
        return Html()
    return tag(element, *(tag("li", line) for line in lines), class_="footnotes")


def link(content: Json) -> Html:
    parts: list[str | Html] = []
    if content["title"]:
        parts.append(tag("h4", content["title"]))
    if content["probe"]:
        parts.append(tag("p", content["probe"], class_="hint"))
    parts += [table(entry) for entry in content["tables"]]
    parts.append(listed("ol", content["footnotes"]))
    if content["diagnoses"]:
        parts.append(tag("p", "Where a method loses, and why:"))
        parts.append(listed("ul", content["diagnoses"]))
    return join(parts)


def section(content: Json) -> Html:
    parts: list[str | Html] = [tag("h3", content["title"])]
    parts += [tag("p", line, class_="header") for line in content["header"]]
    parts += [link(entry) for entry in content["links"]]
    if not content["links"]:
        parts.append(tag("p", "No cell was run."))
    parts.append(tag("p", content["legend"], class_="hint"))
    parts += [tag("p", note, class_="hint") for note in content["notes"]]
    return tag("div", *parts)


def tables(document: Json) -> Html:
    return join([section(content) for content in document["sections"]])
