"""Every figure is drawn from what the document holds, and written twice."""

import warnings
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from example import HOSTILE, LABELS, censored, document, panels
from matplotlib.figure import Figure
from pacbench_plots import canvas, figures
from pacbench_plots.document import figure_of
from pacbench_plots.styles import styles_of


def drawn(name: str) -> Figure:
    made = document()
    return figures.DRAWN[name](figure_of(made, name), styles_of(made["methods"]))


@pytest.mark.parametrize("name", list(panels()))
def test_a_figure_is_written_as_svg_and_png(name: str, tmp_path: Path) -> None:
    others = tuple(other for other in panels() if other != name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert figures.write_all(document(missing=others), str(tmp_path)) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{name}.png", f"{name}.svg"]
    ElementTree.parse(tmp_path / f"{name}.svg")
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_a_figure_without_data_is_not_made_and_one_line_says_why(tmp_path: Path, capsys: Any) -> None:
    figures.write_all(document(missing=("pareto",)), str(tmp_path))
    assert not (tmp_path / "pareto.svg").exists()
    assert capsys.readouterr().err == "pareto: not made: needs what there is not\n"


def test_the_same_document_gives_the_same_file() -> None:
    assert canvas.save(drawn("pareto"), "svg") == canvas.save(drawn("pareto"), "svg")


def test_names_are_drawn_as_they_are() -> None:
    title = drawn("accuracy-time").axes[0].get_title()
    assert " ".join(title.split()) == HOSTILE
    texts = [text.get_text().strip("\u200b") for text in drawn("pareto").legends[0].get_texts()]
    assert texts == LABELS


def test_lines_go_through_the_medians_of_the_document() -> None:
    line = drawn("accuracy-time").axes[0].lines[0]
    points = panels()["accuracy-time"][0]["series"][0]["points"]
    assert list(line.get_ydata()) == [point["accuracy"]["median"] for point in points]
    assert list(line.get_xdata()) == [point["training_s"]["median"] for point in points]


def test_whiskers_reach_the_ends_of_the_interval_or_else_of_the_range_but_none_that_was_not_reached() -> None:
    value = {"median": 5, "minimum": 3, "maximum": 9}
    assert canvas.error(value) == ([2], [4])
    assert canvas.error({**value, "maximum": None}) == ([2], [0])
    assert canvas.error({**value, "interval": {"low": 4, "high": None, "coverage": 0.97}}) == ([1], [0])


def test_of_many_methods_the_baselines_and_the_fastest_alone_are_in_colour() -> None:
    labels = ["all-reduce", *(f"method {number}" for number in range(12))]
    series = [{"label": label, "points": [{"rate_mbit": rate, "tta_s": censored(20.0 - at), "suspect": False}
                                          for rate in (100.0, 1000.0)]} for at, label in enumerate(labels)]
    content = {"title": "many", "panels": [{"title": "", "series": series, "crossings": []}]}
    styles = styles_of([{"label": label, "method": label} for label in labels])
    made = figures.DRAWN["tta-bandwidth"](content, styles)
    named = [text.get_text() for text in made.legends[0].get_texts()]
    assert named == ["all-reduce", "method 9", "method 10", "method 11"]
    grey = [line for line in made.axes[0].lines if line.get_color() == "#c8c8c8"]
    assert len(grey) == 9


def test_a_method_that_never_got_there_stands_as_a_word() -> None:
    assert "DNF" in [text.get_text() for text in drawn("relative-tta").axes[0].texts]


def test_axes_of_per_cent_do_not_round_their_ticks() -> None:
    axes = Figure().subplots()
    canvas.set_per_cent(axes)
    words = axes.yaxis.get_major_formatter()
    assert [words(value) for value in (0.9625, 0.955, 1.0)] == ["96.25%", "95.5%", "100%"]


def test_an_upper_end_that_was_not_reached_is_open() -> None:
    spread = {"median": 1.0, "minimum": 0.9, "maximum": None}
    assert canvas.open_above(spread)
    assert not canvas.open_above({**spread, "interval": {"low": 0.95, "high": 1.2}})
    assert canvas.open_above({**spread, "maximum": 2.0, "interval": {"low": 0.95, "high": None}})


def test_a_figure_for_a_paper_is_a_pdf_as_wide_as_its_column(tmp_path: Path) -> None:
    assert figures.write_all(document(), str(tmp_path), for_paper=True) == 0
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".pdf"] * len(panels())
    assert (tmp_path / "pareto.pdf").read_bytes().startswith(b"%PDF")
    with canvas.for_paper():
        assert drawn("pareto").get_figwidth() == canvas.COLUMN_OF_A_PAPER_INCHES
    assert drawn("pareto").get_figwidth() > canvas.COLUMN_OF_A_PAPER_INCHES
