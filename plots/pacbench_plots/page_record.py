"""The scenario as it was run, and what ran it."""

import json
from typing import Any

from pacbench_plots.document import Json
from pacbench_plots.markup import Html, join, tag


def pretty(value: Any) -> Html:
    return tag("pre", json.dumps(value, indent=2, ensure_ascii=False), tabindex="0")


def scenario(document: Json) -> Html:
    return join(
        [
            tag("details", tag("summary", section["title"]), pretty(section["scenario"]))
            for section in document["sections"]
        ]
    )


def facts(manifest: Json) -> Html:
    """A table of the single values of a manifest and of its environment, and of the GPUs."""
    known = {**manifest, **manifest.get("environment", {})}
    if gpus := manifest.get("devices", {}).get("gpus"):
        known["gpus"] = ", ".join(gpus)
    rows = [
        tag("tr", tag("th", key.replace("_", " "), scope="row"), tag("td", str(value)))
        for key, value in known.items()
        if isinstance(value, str | int | float)
    ]
    return tag("table", tag("tbody", *rows), class_="facts")


def run(content: Json) -> Html:
    manifest = content["manifest"]
    if manifest is None:
        return join([tag("h3", content["path"]), tag("p", "No manifest.json beside it.")])
    return join(
        [
            tag("h3", content["path"]),
            facts(manifest),
            tag(
                "details",
                tag("summary", "the manifest without its scenario; 'links': how links were made"),
                pretty(manifest),
            ),
        ]
    )


def environment(document: Json) -> Html:
    return join([run(content) for content in document["runs"]])
