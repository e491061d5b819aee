"""Numbers of the published runs, and tables of the pages, for the tests beside this file."""
import json
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACBENCH = ROOT / "build/bin/pacbench"
PUBLISHED = ROOT / "results/published"
STUDY = ROOT / "results/study"


def pacbench(*words: object) -> subprocess.CompletedProcess:
    return subprocess.run([PACBENCH, *map(str, words)], capture_output=True, text=True, check=False)


def archives_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.tar.xz"))


def files_of(run: Path, end: str) -> Iterator[tuple[str, str]]:
    """Name and text of those files of a packed run whose names have this end."""
    with tarfile.open(run if run.suffix == ".xz" else run.with_name(run.name + ".tar.xz")) as archive:
        for file in archive:
            if file.name.endswith(end):
                yield file.name, archive.extractfile(file).read().decode()


def json_of(run: Path, name: str) -> dict:
    return json.loads(next(files_of(run, name))[1])


def curves_of(run: str) -> dict[str, list[tuple]]:
    """The learning curve of each cell without the times, which depend on the link."""
    return {name.split("/")[1]: [(event["iteration"], event["accuracy"], event["loss"])
                                 for event in map(json.loads, text.splitlines())]
            for name, text in files_of(PUBLISHED / run, "curve.jsonl")}


def cells_of(page: str, heading: str) -> list[list[str]]:
    """The rows of the first table after a heading of a page of docs/, without the table's head."""
    lines = (ROOT / "docs" / page).read_text().split(heading)[1].splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("|--"))
    end = next(i for i in range(begin, len(lines)) if not lines[i].startswith("|"))
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[begin + 1:end]]


def table_mistakes(page: str, found: list[list[str]], expected: list[list[str]]) -> list[str]:
    return [] if found == expected else [f"docs/{page}: expected {expected}, found {found}"]


def missing_texts(page: str, texts: list[str]) -> list[str]:
    """A line for each text that is not in a page. An empty one is missing: what should print it did not."""
    shown = (ROOT / page).read_text()
    return [f"{page} does not say: {text}" for text in texts if not text or text not in shown]


def rows_of(run: Path) -> dict[str, dict]:
    report = json.loads(pacbench("report", run, "--format", "json").stdout)
    return {row["label"]: row for row in report["sections"][0]["links"][0]["rows"]}


def measured_bytes(row: dict) -> float:
    return row["measured_bytes_per_iteration"]["median"]


def tta_s(row: dict) -> float:
    return row["targets"][-1]["tta_s"]["median"]


def step_s(row: dict) -> float:
    return row["time_per_iteration_s"]["median"]


def encode_s(row: dict) -> float:
    return row["encode_s"]["median"]


def final_accuracy(row: dict) -> float:
    return row["final_accuracy"]["median"]


def three_digits(number: float) -> str:
    return f"{number:#.3g}".rstrip(".")
