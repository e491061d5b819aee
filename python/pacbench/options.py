"""Options of tasks and averagers: class variables with a type, a default and bounds.

    class BlockTopK(pacbench.Averager):
        keep: float = pacbench.option(0.03, low=0, high=1, share="keep", help="share of blocks that are sent")
        blocks: int = 64        # as short as this where no bounds are needed
        inner: pacbench.Averager = pacbench.option({"name": "fp16"})   # another method inside (pacbench.averager.Inner)

A scenario gives their values beside the class's name. They stand in the row's label where they differ from the default.
"""

import inspect
from dataclasses import dataclass
from typing import Any

from pacbench.averager import Averager, Inner

_TYPES = {bool: "boolean", int: "integer", float: "number", str: "choice", Averager: "method"}


@dataclass(frozen=True)
class Option:
    """An option's default and bounds. low and high: the least and the largest number. choices: the words that a str
    option may have. share: the word in labels before a share, which is then given in per cent."""

    default: Any
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    share: str = ""
    help: str = ""


def option(default: Any, *, low: float | None = None, high: float | None = None, choices: tuple[str, ...] = (),
           share: str = "", help: str = "") -> Any:
    """Declares an option; see Option."""
    return Option(default, low, high, choices, share, help)


def options_of(cls: type) -> dict[str, tuple[str, Option]]:
    """The type's word and the Option of each annotated class variable, those of parent classes first.

    Raises TypeError for a type other than bool, int, float, str and Averager, and for an option without a default.
    """
    found: dict[str, tuple[str, Option]] = {}
    for owner in reversed(cls.__mro__):
        if owner.__module__.startswith("pacbench."):
            continue
        for name, kind in inspect.get_annotations(owner, eval_str=True).items():
            if name.startswith("_"):
                continue
            if kind not in _TYPES:
                raise TypeError(f"{cls.__name__}.{name}: found type {kind}, expected bool, int, float, str or pacbench.Averager")
            if not hasattr(owner, name):
                raise TypeError(f"{cls.__name__}.{name}: found no default, expected one")
            value = owner.__dict__[name]
            given = value if isinstance(value, Option) else Option(value)
            if kind is str and not given.choices:
                raise TypeError(f"{cls.__name__}.{name}: found no choices, expected pacbench.option(…, choices=(…))")
            found[name] = _TYPES[kind], given
    return found


def with_options(cls: type, values: dict[str, Any]) -> Any:
    """Makes an object of a class whose options have these values, or else their defaults."""
    made = cls.__new__(cls)
    inner = []
    for name, (kind, given) in options_of(cls).items():
        value = values.get(name, given.default)
        if kind == "method":
            value = Inner(len(inner), value)
            inner.append(value)
        setattr(made, name, value)
    made.inner_methods = inner
    made.__init__()
    return made


def catalogue_entries(cls: type) -> list[dict[str, Any]]:
    """The options as the catalogue has them (contract/catalogue/catalogue.h)."""
    entries = []
    for name, (kind, given) in options_of(cls).items():
        entry = {"name": name, "type": kind, "default": given.default, "help": given.help}
        if given.low is not None:
            entry["minimum"] = given.low
        if given.high is not None:
            entry["maximum"] = given.high
        if given.choices:
            entry["choices"] = list(given.choices)
        if given.share:
            entry["in_label"] = {"share": given.share}
        entries.append(entry)
    return entries
