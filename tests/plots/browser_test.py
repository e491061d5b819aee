"""The HTML report in a browser: it draws, logs nothing to the console, sorts, toggles and zooms."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from example import HOSTILE, LABELS, document
from pacbench_plots import page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: tools/setup --machines")

WATCH = """<script>
window.errors = [];
window.addEventListener("error", (event) => errors.push(event.message));
for (const kind of ["error", "warn"]) console[kind] = (...words) => errors.push(words.join(" "));
</script>"""

STEPS = """<script>
const outcome = {};
const press = (selector) => document.querySelector(selector).click();
const column = (at) =>
  [...document.querySelector("table.sortable").tBodies[0].rows].map((row) => row.cells[at].textContent);
const drawn = () =>
  document.getElementById("curve-plot").data.filter((trace) => trace.name).map((trace) => trace.name);
const range = () => document.getElementById("curve-plot")._fullLayout.xaxis.range.slice();

outcome.title = document.title;
outcome.texts = [...document.querySelectorAll("#curve-plot .legendtext")].map((text) => text.textContent);
outcome.bars = document.querySelectorAll("#timeline-plot .bars .point").length;
outcome.images = [...document.images].map((image) => image.naturalWidth);
const second = "table.sortable thead tr:last-child th:nth-child(2)";
press(second + " button");
outcome.ascending = column(1);
outcome.sorted = document.querySelector(second).getAttribute("aria-sort");
press(second + " button");
outcome.descending = column(1);
press("table.sortable thead tr:last-child th:nth-child(3) button");
outcome.unknown = column(2);
outcome.before = drawn();
press("#method-0");
outcome.after = drawn();
press("#axis-iteration");
outcome.axis = document.getElementById("curve-plot").layout.xaxis.title.text;
const whole = range();
press('[data-plot="curve-plot"][data-zoom="in"]');
outcome.zoomed = (range()[1] - range()[0]) / (whole[1] - whole[0]);
const cell = document.getElementById("timeline-cell");
cell.value = "1";
cell.dispatchEvent(new Event("change"));
outcome.words = document.getElementById("timeline-words").textContent;
outcome.wide = document.documentElement.scrollWidth - window.innerWidth;
outcome.errors = errors;
document.body.append(Object.assign(document.createElement("pre"),
                                   { id: "outcome", textContent: JSON.stringify(outcome) }));
</script>"""


def browse(path: Path, width: int = 1200) -> Any:
    """Runs STEPS in the page and returns their outcome; "console" is what the browser logged."""
    text = page.render(document())
    text = text.replace("<meta", WATCH + "<meta", 1).replace("</body>", STEPS + "</body>")
    path.write_text(text, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
               f"--user-data-dir={path.parent}/profile", f"--window-size={width},900", "--virtual-time-budget=5000"]
    done = subprocess.run([str(CHROMIUM), *options, "--dump-dom", path.as_uri()], capture_output=True, text=True,
                          timeout=240, check=True)
    found = re.search('<pre id="outcome">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr
    outcome = json.loads(html.unescape(found.group(1)))
    outcome["console"] = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return outcome


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return browse(tmp_path_factory.mktemp("browser") / "report.html")


def test_it_draws_without_a_word_on_the_console(outcome: Any) -> None:
    assert outcome["errors"] == []
    assert outcome["console"] == []
    assert outcome["bars"] == 18
    assert outcome["images"] and all(width > 0 for width in outcome["images"])
    assert outcome["title"] == HOSTILE and LABELS[3] in outcome["texts"], "names stay text"


def test_a_column_sorts_by_value_with_dnf_as_longer_than_all(outcome: Any) -> None:
    assert outcome["ascending"] == ["9.1", "10.3", "101", "DNF"]
    assert outcome["sorted"] == "ascending"
    assert outcome["descending"] == ["DNF", "101", "10.3", "9.1"]
    assert outcome["unknown"] == ["0.10", "1.00", "1.13", "—"], "what cannot be said stands last"


def test_a_method_goes_when_it_is_ticked_off_curves_zoom_and_the_timeline_is_of_the_chosen_cell(outcome: Any) -> None:
    assert len(outcome["before"]) == 4
    assert outcome["after"] == outcome["before"][1:]
    assert outcome["axis"] == "iteration"
    assert outcome["zoomed"] == pytest.approx(0.5)
    assert outcome["words"].startswith(LABELS[3])


def test_a_phone_scrolls_in_one_direction_alone(tmp_path: Path) -> None:
    assert browse(tmp_path / "phone.html", width=500)["wide"] <= 0
