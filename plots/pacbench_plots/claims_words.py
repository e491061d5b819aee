"""Writes the values of pacbench.reproduction/2 as text for tables."""

from pacbench_plots.document import Json

NONE = "—"


def number(value: float | None, unit: str = "") -> str:
    """The value with three significant digits; — for one that was not measured."""
    return NONE if value is None else f"{value:.3g}{unit}"


def ends(value: Json | None) -> str:
    """An interval or a range; an end that was not reached is DNF."""
    if value is None:
        return NONE
    low, high = ("DNF" if end is None else f"{end:.3g}" for end in (value["low"], value["high"]))
    return f"{low}–{high}"


def setting(value: Json) -> str:
    parts = [value["network"], value["dataset"]]
    if value["rate_mbit"]:
        parts.append(f"{value['rate_mbit']:g} Mbit/s")
    starts = {"pretrain": "pre-trained", "random": "random weights", "file": "weights of a file"}
    parts += [value["topology"], starts.get(value["start"], "")]
    return ", ".join(part for part in parts if part)


def computing(value: Json) -> str:
    return f"{value['mode']}: {value['computing']}" if value["computing"] else str(value["mode"])


def reasons(listed: list[Json]) -> str:
    return "; ".join(str(reason["words"]) for reason in listed)


def trust(entry: Json) -> str:
    return f"{entry['link_verdict']}, {entry['host_verdict']}"


def paper(claim: Json) -> str:
    form = {"up-to": "up to ", "about": "about ", "at-least": "at least ", "at-most": "at most "}
    unit = "points" if claim["quantity"] == "accuracy-lost" else "×"
    return f"{form.get(claim['form'], '')}{claim['paper']:g} {unit}"
