"""The HTML report holds everything, loads nothing from elsewhere, and treats no text as markup."""

from html.parser import HTMLParser

from example import HOSTILE, document
from pacbench_plots import page, page_record
from pacbench_plots.markup import Html, data, join, script, tag


class Elements(HTMLParser):
    """Every element with its attributes, and all text outside scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((name, dict(attributes)))

    def handle_data(self, text: str) -> None:
        self.text += text


def test_text_is_escaped_wherever_it_stands_and_what_was_found_comes_first() -> None:
    made = Elements(page.render(document()))
    scripts = [attributes for name, attributes in made.found if name == "script"]
    # Three scripts are data, the others are plotly and our own. No name has added a script.
    assert len(scripts) == 3 + 1 + len(page.SCRIPTS)
    assert made.text.count(HOSTILE) > 5
    assert made.text.index("Fastest of 4") < made.text.index("Drag to zoom")


def test_nothing_is_loaded_from_elsewhere() -> None:
    for _, attributes in Elements(page.render(document())).found:
        for name in ("src", "href", "srcset", "action"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:"))


def test_a_document_without_lines_of_cells_says_what_is_missing() -> None:
    made = document(missing=("accuracy-time", "accuracy-iteration"))
    made["sections"][0]["timelines"] = []
    text = Elements(page.render(made)).text
    assert "No curves: needs what there is not." in text
    assert "No timeline" in text


def test_gpus_stand_among_the_facts_of_a_run_that_has_some() -> None:
    environment = {"cpu": "a CPU", "cores": 2}
    gpus = ["NVIDIA A40", "NVIDIA A40"]
    facts = page_record.facts({"environment": environment, "devices": {"gpus": gpus}})
    assert "NVIDIA A40, NVIDIA A40" in facts
    assert "gpus" not in page_record.facts({"environment": environment})


def test_markup_escapes_text_and_attributes_but_not_itself() -> None:
    assert tag("p", "a<b", Html("<i>"), class_='"') == '<p class="&quot;">a&lt;b<i></p>'
    assert join(["&", Html("&amp;")]) == "&amp;&amp;"


def test_data_cannot_end_its_element() -> None:
    assert "</script" not in data("x", HOSTILE)[:-9]
    assert script("'</script>'") == r"<script>'<\/script>'</script>"
