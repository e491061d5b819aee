"""The page and the figure of a paper's claims, from a small made document."""

from typing import Any

from example import HOSTILE
from page_test import Elements
import pytest
from pacbench_plots import canvas, claims_figure, claims_page, claims_words

SETTING = {
    "network": HOSTILE,
    "dataset": "digits",
    "rate_mbit": 100.0,
    "topology": "star",
    "mode": "emulate",
    "computing": "a CPU",
    "start": "pretrain",
}


def evidence(value: float | None, not_counted: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "label": HOSTILE,
        "against": "all-reduce",
        "setting": SETTING,
        "pruning_ratio": 0.5,
        "target": 0.9,
        "value": value,
        "range": None,
        "interval": {"low": 3.1, "high": None},
        "interval_of_steps": False,
        "range_of_runs": None,
        "step_ratio": 2.0,
        "by_bytes": 7.9,
        "limit": None,
        "at_other_speeds": [1.5, 4.5],
        "seeds": 3,
        "link_verdict": "ok",
        "host_verdict": "cpu-bound",
        "not_counted": not_counted,
        "reasons": [{"kind": "bytes", "words": "it sends less"}],
    }


def judgement(finding: str) -> dict[str, Any]:
    arm = {
        "label": HOSTILE,
        "kind": "masked",
        "of_paper": True,
        "finding": finding,
        "why": HOSTILE,
        "counts": True,
        "needed": 2,
        "measured": 1,
        "over_settings": {"median": 4.0, "minimum": 4.0, "maximum": 4.0},
        "decisive": 0,
        "evidence": [
            evidence(4.0, []),
            evidence(None, [{"kind": "rate", "words": "500 Mbit/s"}]),
        ],
    }
    return {"settings": "a grid", "finding": finding, "why": "so", "arms": [arm]}


def claim(name: str, quantity: str = "time-to-accuracy") -> dict[str, Any]:
    return {
        "id": name,
        "words": "sooner",
        "where": "I",
        "first": True,
        "quantity": quantity,
        "form": "up-to",
        "paper": 8.72,
        "reading": "as we read it",
        "settled_by": "more runs",
        **judgement("reproduced"),
        "here": judgement("fails here"),
    }


def document() -> dict[str, Any]:
    run = {
        "path": "runs/one",
        "name": "one",
        "mode": "emulate",
        "commands": ["pacbench run one"],
        "scenario_hash": "0" * 64,
        "comparison_hash": "0" * 64,
        "git_commits": ["abc"],
        "host": "a CPU",
        "cells": 3,
        "planned_cells": 3,
    }
    return {
        "paper": "A paper",
        "source": "somewhere",
        "claims": [claim("one"), claim("two", "accuracy-lost")],
        "untestable": [{"words": "all is well", "where": "V", "why": "no number"}],
        "tables_1": [],
        "steps": [],
        "runs": [run],
        "notes": [],
    }


def test_the_page_has_every_claim_its_arms_and_all_measurements() -> None:
    made = Elements(claims_page.render(document()))
    ids = {attributes.get("id") for _, attributes in made.found}
    assert {"one", "two"} <= ids
    for words in ("up to 8.72 ×", "3.1–DNF", "500 Mbit/s", "1.5–4.5", "pacbench run one"):
        assert words in made.text


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("at", "1 ×"),
        ("up-to", "up to 1 ×"),
        ("about", "about 1 ×"),
        ("at-least", "at least 1 ×"),
        ("at-most", "at most 1 ×"),
    ],
)
def test_the_papers_number_has_the_words_of_its_form(form: str, words: str) -> None:
    assert claims_words.paper(claim("one") | {"form": form, "paper": 1}) == words


def test_names_are_text_wherever_they_stand() -> None:
    made = Elements(claims_page.render(document()))
    assert made.text.count(HOSTILE) > 5


def test_what_was_not_measured_is_drawn_as_a_step_that_decides_nothing() -> None:
    assert claims_figure.values(claim("one")) == [(4.0, True), (2.0, False)]
    assert claims_figure.values(None) == []


def test_the_figure_is_the_same_each_time() -> None:
    drawn = [canvas.save(claims_figure.figure(document()), "svg") for _ in range(2)]
    assert drawn[0] == drawn[1]
