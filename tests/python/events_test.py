"""The lines that the package writes, read as pacbench reads them."""

import json
import os
import subprocess
import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[2] / "python"


def lines_of(program: str, **variables: str) -> list[dict]:
    """What a program writes to the descriptor of its events."""
    reader, writer = os.pipe()
    environment = os.environ | {"PYTHONPATH": str(PYTHON), "PACBENCH_EVENTS_FD": str(writer)}
    done = subprocess.run([sys.executable, "-c", "import os, subprocess, sys, time, pacbench\n" + program],
                          env=environment | variables, pass_fds=[writer], capture_output=True, text=True, check=False)
    os.close(writer)
    with os.fdopen(reader) as lines:
        events = [json.loads(line) for line in lines]
    assert done.returncode == 0, done.stderr
    return events


def test_a_program_finds_its_fifo_by_name(tmp_path: Path) -> None:
    fifo = tmp_path / "events"
    os.mkfifo(fifo)
    environment = os.environ | {"PYTHONPATH": str(PYTHON), "PACBENCH_EVENTS": str(fifo)}
    program = [sys.executable, "-c", "import pacbench; pacbench.step(); print(pacbench.is_measured())"]
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    lines = os.read(reader, 4096).decode().splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["began", "step"]
    os.close(reader)
    without_reader = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, without_reader.stdout) == ("True\n", "False\n")


def test_steps_count_from_one_and_their_times_add_up_to_the_clock() -> None:
    events = lines_of("pacbench.begin()\nfor _ in range(3): time.sleep(0.02); pacbench.step()")
    assert [event["event"] for event in events] == ["began", "step", "step", "step"]
    steps = events[1:]
    assert [step["iteration"] for step in steps] == [1, 2, 3]
    lengths_s = [(step["step"][1] - step["step"][0]) / 1e9 for step in steps]
    assert all(length_s >= 0.02 for length_s in lengths_s)
    assert abs(sum(lengths_s) - steps[-1]["training_s"]) < 1e-6


def test_the_clock_stands_still_while_it_is_paused() -> None:
    """What came before begin does not count, and a pause inside a pause ends with the outer one."""
    _, evaluation, step = lines_of(
        "time.sleep(0.4); pacbench.begin(); time.sleep(0.01)\n"
        "with pacbench.clock_paused():\n"
        "    with pacbench.clock_paused(): pass\n"
        "    time.sleep(0.5)\n"
        "pacbench.evaluation(0.5, 1.0); pacbench.step()")
    assert 0.01 <= evaluation["training_s"] < 0.2
    assert (step["step"][1] - step["step"][0]) / 1e9 < 0.2


def test_rank_0_begins_when_its_bytes_have_been_read() -> None:
    program = """
reader, writer = os.pipe()
pacbench.events._rank.replies_fd = reader
started = time.monotonic()
subprocess.Popen(["sh", "-c", f"sleep 0.3; echo counted >&{writer}"], pass_fds=[writer])
pacbench.begin()
assert time.monotonic() - started >= 0.3
pacbench.begin()  # is not answered again
pacbench.step()
"""
    events = lines_of(program)
    assert [event["event"] for event in events] == ["began", "began", "step"]
    assert events[-1]["training_s"] < 0.2


def test_a_pacbench_that_has_ended_does_not_hold_up_the_program() -> None:
    program = """
reader, writer = os.pipe()
pacbench.events._rank.replies_fd = reader
os.close(writer)
pacbench.begin()
"""
    assert [event["event"] for event in lines_of(program)] == ["began"]


def test_the_curve_is_rank_0s() -> None:
    program = "pacbench.step(); pacbench.evaluation(accuracy=0.5, loss=2)"
    assert lines_of(program, RANK="1")[-1]["event"] == "step"
    evaluation = lines_of(program, RANK="0")[-1]
    assert (evaluation["iteration"], evaluation["accuracy"], evaluation["loss"]) == (1, 0.5, 2.0)
    (alone,) = lines_of("pacbench.evaluation(loss=2)")
    assert alone["loss"] == 2.0 and "accuracy" not in alone


def test_numbers_that_are_none_are_refused() -> None:
    program = """
for accuracy, loss in ((1.5, 0.0), (float("nan"), 0.0), (0.5, float("inf")), (0.5, None)):
    try:
        pacbench.evaluation(accuracy, loss)
    except ValueError:
        continue
    sys.exit("accepted")
"""
    assert lines_of(program) == []


def test_without_pacbench_the_calls_do_nothing() -> None:
    assert lines_of("pacbench.step(); assert not pacbench.is_measured()", PACBENCH_EVENTS_FD="") == []


def test_programs_that_it_starts_write_nothing() -> None:
    program = """
fd = pacbench.events._rank.fd
code = f"import os, pacbench; assert not pacbench.is_measured(); os.write({fd}, b'x')"
assert subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode != 0
"""
    assert lines_of(program) == []
