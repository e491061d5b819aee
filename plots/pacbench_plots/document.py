"""The document that pacbench hands over: pacbench.figures/1, made by analysis/figures."""

import json
from typing import Any

FORMAT = "pacbench.figures/1"

Json = dict[str, Any]


def load(text: bytes) -> Json:
    """Parses a document. Raises ValueError when it is of another format."""
    document: Json = json.loads(text)
    found = document.get("format")
    if found != FORMAT:
        raise ValueError(f"found the format {found!r}, expected {FORMAT!r}")
    return document


def figure_of(document: Json, name: str) -> Json:
    """The figure of that name. Raises KeyError when there is none."""
    for figure in document["figures"]:
        if figure["name"] == name:
            found: Json = figure
            return found
    raise KeyError(name)
