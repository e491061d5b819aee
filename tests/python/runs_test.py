"""Runs that Python starts and reads."""

import csv
import subprocess
from pathlib import Path

import pacbench
import pytest
from pacbench.runs import Run, program

SCENARIO = {
    "version": 1, "name": "small", "mode": "learn", "workers": 2,
    "workload": {"model": {"name": "mlp"}, "dataset": {"name": "digits"}, "batch_per_worker": 8,
                 "optimizer": {"name": "sgd", "lr": 0.1}, "max_iterations": 4, "evaluate_every": 2},
    "methods": [{"name": "all-reduce"}, {"name": "topk", "ratio": 0.1}], "targets": {"accuracy": [0.1]}, "seeds": [1]}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return pacbench.run(SCENARIO, tmp_path_factory.mktemp("runs") / "run", changes={"/seeds": [1, 2]}, only=["seed=2"])


def test_a_run_has_a_row_for_each_cell_evaluation_iteration_and_bucket(made: Run) -> None:
    assert [(cell["label"], cell["seed"], cell["status"]) for cell in made.cells] == \
        [("all-reduce", 2, "done"), ("topk-keep10%", 2, "done")]
    assert [(row["label"], row["iteration"]) for row in made.evaluations] == \
        [(label, iteration) for label in ("all-reduce", "topk-keep10%") for iteration in (0, 2, 4)]
    assert len(made.iterations) == 2 * 2 * 4 and all(0 < row["forward_s"] < row["step_s"] for row in made.iterations)
    sent = {label: sum(row["sent_bytes"] for row in made.buckets if row["label"] == label) for label in ("all-reduce", "topk-keep10%")}
    assert 0 < sent["topk-keep10%"] < sent["all-reduce"]
    for rows in (made.cells, made.evaluations, made.iterations, made.buckets, made.table):
        assert len({tuple(row) for row in rows}) == 1, "rows have other columns than each other"


def test_an_archive_gives_the_rows_of_its_folder(made: Run) -> None:
    subprocess.run([program(), "pack", made.path], check=True, capture_output=True)
    packed = pacbench.load(f"{made.path}.tar.xz")
    assert packed.cells == made.cells
    assert (packed.evaluations, packed.iterations, packed.buckets) == (made.evaluations, made.iterations, made.buckets)


def test_its_lists_are_exported_as_csv(made: Run, tmp_path: Path) -> None:
    subprocess.run([program(), "export", made.path, "--to", "csv", "-o", tmp_path / "out"], check=True)
    with (tmp_path / "out/evaluations.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["loss"]) for row in rows] == [row["loss"] for row in made.evaluations]
    assert {path.stem for path in (tmp_path / "out").iterdir()} == {"table", "cells", "evaluations", "iterations", "buckets"}


def test_the_table_is_that_of_the_report(made: Run) -> None:
    assert [row["label"] for row in made.table] == ["all-reduce", "topk-keep10%"]
    assert "<td>topk-keep10%</td>" in made._repr_html_()


def test_a_published_run_is_loaded_by_its_name() -> None:
    published = Path(__file__).resolve().parents[2] / "results/published/wan100.tar.xz"
    assert pacbench.load("wan100").path == published


def test_errors_are_raised_in_pacbenchs_words(tmp_path: Path) -> None:
    with pytest.raises(pacbench.RunFailed, match="/workers: found 0"):
        pacbench.run({**SCENARIO, "workers": 0}, tmp_path / "run")
    with pytest.raises(FileNotFoundError, match="no published run"):
        pacbench.load(tmp_path / "none")
