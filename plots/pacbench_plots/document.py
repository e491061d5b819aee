"""The document that pacbench hands over: pacbench.figures/1, made by analysis/figures, or
pacbench.reproduction/2, made by analysis/reproduce."""

import json
from typing import Any

FORMAT = "pacbench.figures/1"
REPRODUCTION = "pacbench.reproduction/2"

Json = dict[str, Any]


def load(text: bytes, expected: str = FORMAT) -> Json:
    """Parses a document of the format `expected`. Raises ValueError when it is of another format."""
    document: Json = json.loads(text)
    found = document.get("format")
    if found != expected:
        raise ValueError(f"found the format {found!r}, expected {expected!r}")
    return document


def figure_of(document: Json, name: str) -> Json:
    """The figure of that name. Raises KeyError when there is none."""
    for figure in document["figures"]:
        if figure["name"] == name:
            found: Json = figure
            return found
    raise KeyError(name)
