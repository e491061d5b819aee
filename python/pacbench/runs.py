"""Start a run, or read one, from Python:

    run = pacbench.run("wan100", only=["method=all-reduce|fp16"], changes={"/seeds": [1]})
    run = pacbench.load("results/wan100-20261201")      # a folder, an archive, or a published run's name
    pandas.DataFrame(run.evaluations)

Rows are dictionaries with equal keys, so that pandas, polars or csv take them as they are.
"""

import gzip
import html
import importlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

Row = dict[str, Any]
_OF_TABLE = ("link", "label", "standing", "tta_s", "tta_low_s", "tta_high_s", "of_first", "steps", "link_verdict",
             "machine_verdict", "host_verdict")
_PHASES = ("forward", "backward", "exposed", "optimizer")
_NS = 1e-9


class RunFailed(RuntimeError):
    """pacbench ended with an error. `run` holds what was recorded, or None."""

    def __init__(self, words: str, run: "Run | None") -> None:
        super().__init__(words)
        self.run = run


def program(name: str = "pacbench") -> Path:
    """The path of a program of pacbench: in $PACBENCH_PROGRAMS, in the wheel, or in build/bin of the source tree.

    Raises FileNotFoundError.
    """
    here = Path(__file__).resolve().parent
    places = [Path(given) for given in [os.environ.get("PACBENCH_PROGRAMS")] if given]
    places += [here / "bin", here.parents[1] / "build/bin"]
    for place in places:
        if (place / name).exists():
            return place / name
    raise FileNotFoundError(f"found no {name} in {', '.join(map(str, places))}; build it with tools/build, or install the wheel")


def trainer_module() -> Any:
    """The worker as a module of Python, which stands beside the programs. Raises ImportError."""
    import torch.distributed  # noqa: F401, registers the classes of c10d that the module uses

    if known := sys.modules.get("_pacbench_trainer"):  # in a worker
        return known
    folder = str(program().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        return importlib.import_module("_pacbench_trainer")
    except ImportError as error:
        raise ImportError(f"{error}; the worker's module in {folder} is built for one Python and one torch by tools/build, and this "
                          f"is Python {sys.version_info.major}.{sys.version_info.minor} with torch {torch.__version__}") from error


def run(scenario: str | Path | Mapping[str, Any], out: str | Path | None = None, *, changes: Mapping[str, Any] | None = None,
        only: Sequence[str] = (), resume: bool = False) -> "Run":
    """Runs a scenario: a file, the name of a shipped one, or the document itself, whose paths are seen from the current
    folder. `changes` replaces values at JSON pointers. What pacbench says is passed on to sys.stderr.

    Raises RunFailed where a cell failed or nothing could be run. A run whose links were suspect is returned: run.table
    says so.
    """
    folder = Path(out) if out else Path(tempfile.mkdtemp(prefix="pacbench-")) / "run"
    is_document = isinstance(scenario, Mapping)
    command = [str(program()), "run", "-" if is_document else str(scenario), "--out", str(folder), "--no-progress"]
    for pointer, value in (changes or {}).items():
        command += ["--set", f"{pointer}={json.dumps(value)}"]
    for term in only:
        command += ["--only", term]
    if resume:
        command.append("--resume")
    said = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stderr
        if is_document:
            process.stdin.write(json.dumps(scenario))
        process.stdin.close()
        for line in process.stderr:
            said.append(line)
            print(line, end="", file=sys.stderr)
    found = Run(folder) if (folder / "result.json").exists() else None
    if found is None or process.returncode not in (0, 3):
        raise RunFailed("".join(said[-5:]).strip() or f"pacbench ended with exit code {process.returncode}", found)
    return found


def load(path: str | Path) -> "Run":
    """Opens a recorded run. Raises FileNotFoundError."""
    for place in (Path(path), Path(__file__).resolve().parents[2] / f"results/published/{path}.tar.xz"):
        if place.is_file() or (place / "result.json").is_file():
            return Run(place)
    raise FileNotFoundError(f"{path}: found no folder with a result.json, no archive and no published run of this name")


@dataclass(frozen=True)
class Run:
    """A recorded run. Times are seconds; with time dilation they are emulated ones."""

    path: Path

    @cached_property
    def result(self) -> dict[str, Any]:
        """result.json as it stands (results/README.md)."""
        return json.loads(next(text for name, text in self._texts(("result.json",)) if name == "result.json"))

    @property
    def scenario(self) -> dict[str, Any]:
        return self.result["scenario"]

    @property
    def cells(self) -> list[Row]:
        """One row for each method, link and seed: the numbers of result.json (docs/METRICS.md)."""
        return self.result["cells"]

    @cached_property
    def evaluations(self) -> list[Row]:
        """label, link, seed, iteration, training_s, accuracy (or None), loss."""
        return [{**cell, "iteration": point["iteration"], "training_s": point["training_s"],
                 "accuracy": point.get("accuracy"), "loss": point["loss"]}
                for cell, point in self._lines("curve.jsonl")]

    @cached_property
    def iterations(self) -> list[Row]:
        """label, link, seed, rank, iteration, training_s, loss, step_s and its parts forward_s, backward_s, exposed_s (the
        wait for exchanges after backward) and optimizer_s, sent_bytes and received_bytes of the link."""
        rows = []
        for cell, line in self._lines("iterations.jsonl"):
            traffic = line.get("traffic", {})
            rows.append({**cell, **{key: line.get(key) for key in ("rank", "iteration", "training_s", "loss")},
                         **{f"{phase}_s": _seconds(line.get(phase)) for phase in ("step", *_PHASES)},
                         **{key: traffic.get(key) for key in ("sent_bytes", "received_bytes")}})
        return rows

    @cached_property
    def buckets(self) -> list[Row]:
        """label, link, seed, rank, iteration, bucket, elements, exchange_s, wire_s (of its collectives), payload_bytes,
        sent_bytes (declared), collectives."""
        rows = []
        for cell, line in self._lines("iterations.jsonl"):
            for bucket in line.get("buckets", []):
                calls = bucket.get("collectives", [])
                rows.append({**cell, "rank": line["rank"], "iteration": line["iteration"], "bucket": bucket["index"],
                             "elements": bucket["elements"], "exchange_s": _seconds(bucket.get("exchange")),
                             "wire_s": sum(_seconds(call["wire"]) or 0 for call in calls),
                             "payload_bytes": sum(call["payload_bytes"] for call in calls),
                             "sent_bytes": sum(call["sent_bytes"] for call in calls), "collectives": len(calls)})
        return rows

    @cached_property
    def report(self) -> dict[str, Any]:
        """What `pacbench report --format json` says of the run (pacbench schema report)."""
        done = subprocess.run([program(), "report", self.path, "--format", "json"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RunFailed(done.stderr.strip(), self)
        return json.loads(done.stdout)

    @cached_property
    def table(self) -> list[Row]:
        """The report's rows, of each link: label, standing, tta_s (median over seeds) to the last target and where all of
        them lie (tta_low_s, tta_high_s), of_first, steps, and the three verdicts."""
        return [_table_row(link, row) for section in self.report["sections"] for link in section["links"] for row in link["rows"]]

    def _repr_html_(self) -> str:
        headlines = "".join(f"<p>{html.escape(link['headline'])}</p>" for section in self.report["sections"]
                            for link in section["links"] if link.get("headline"))
        head = "".join(f"<th>{key}</th>" for key in _OF_TABLE)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(_shown(row[key]))}</td>" for key in _OF_TABLE) + "</tr>"
                       for row in self.table)
        return f"{headlines}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _lines(self, file: str) -> Iterator[tuple[Row, Row]]:
        """Each line of a file of all cells, with the cell's label, link and seed."""
        cell: Row = {}
        for name, text in self._texts(("cell.json", file, f"{file}.gz")):
            if name.endswith("cell.json"):
                cell = {key: json.loads(text)[key] for key in ("label", "link", "seed")}
                continue
            for line in text.splitlines():
                yield cell, json.loads(line)

    def _texts(self, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """The files of these names in the run and in each of its cells, a cell's cell.json before its other files."""
        if self.path.is_dir():
            for place in (self.path, *sorted(self.path.glob("cells/*"))):
                for name in names:
                    if (place / name).is_file():
                        yield str((place / name).relative_to(self.path)), _text(name, (place / name).read_bytes())
            return
        with tarfile.open(self.path) as archive:
            for member in archive:
                if Path(member.name).name in names and (file := archive.extractfile(member)):
                    yield member.name, _text(member.name, file.read())


def _text(name: str, data: bytes) -> str:
    return (gzip.decompress(data) if name.endswith(".gz") else data).decode()


def _seconds(span: list[int] | None) -> float | None:
    return (span[1] - span[0]) * _NS if span else None


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _table_row(link: Row, row: Row) -> Row:
    standing = next((one for one in link.get("standings", []) if one["label"] == row["label"]), {})
    target = row["targets"][-1] if row.get("targets") else {}
    tta, within = target.get("tta_s") or {}, target.get("tta_within_s") or {}
    return {"link": link["link"], "label": row["label"], "standing": standing.get("standing"), "tta_s": tta.get("median"),
            "tta_low_s": within.get("low"), "tta_high_s": within.get("high"), "of_first": standing.get("of_first"),
            "steps": (target.get("iterations") or {}).get("median"),
            **{key: row.get(key) for key in ("link_verdict", "machine_verdict", "host_verdict")}}
