"""HTML in which plain text is always escaped: only text of the type Html goes in as it is."""

import html
import json
from typing import Any


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def join(parts: list["str | Html"]) -> Html:
    """Joins the parts; a plain string among them is escaped."""
    return Html("".join(part if isinstance(part, Html) else html.escape(part) for part in parts))


def tag(element: str, *children: "str | Html", **attributes: str | bool) -> Html:
    """An element. In names of attributes, trailing underscores are dropped and others become
    dashes."""
    written = ""
    for key, value in attributes.items():
        name = key.rstrip("_").replace("_", "-")
        if value is True:
            written += f" {name}"
        elif value is not False:
            written += f' {name}="{html.escape(str(value))}"'
    return Html(f"<{element}{written}>{join(list(children))}</{element}>")


def void(element: str, **attributes: str | bool) -> Html:
    """An element without an end tag."""
    return Html(tag(element, **attributes).removesuffix(f"</{element}>"))


def data(name: str, value: Any) -> Html:
    """A value for scripts to read: no text in it can end the element."""
    text = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
    return Html(f'<script type="application/json" id="{html.escape(name)}">{text}</script>')


def script(text: str) -> Html:
    """A script element that holds our own code, or a library's."""
    closing = text.replace("</script", "<\\/script")
    return Html(f"<script>{closing}</script>")
