"""Runs training programs, written for one test each, by pacbench over real links."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from collections.abc import Sequence
from pathlib import Path

from scripts import PACBENCH

# The beginning of each program: its rank, the number of ranks, and functions to send over a link.
PROLOGUE = """
import os, signal, socket, subprocess, sys, time
import pacbench
rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])

def connect(network):
    '''A connection between ranks 0 and 1 over "10.77" (the links) or "10.78" (control).'''
    if rank == 0:
        with socket.create_server((f"{network}.0.1", 7000)) as server:
            return server.accept()[0]
    for _ in range(500):
        try:
            return socket.create_connection((f"{network}.0.1", 7000))
        except OSError:
            time.sleep(0.02)

def send(connection, count):
    connection.sendall(bytes(count))

def receive(connection, count):
    while count > 0:
        count -= len(connection.recv(min(count, 65536)))
"""


class ProgramTest(unittest.TestCase):
    """A folder with a program and its scenario: two ranks over a link of 100 Mbit/s."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.run_folder = self.folder / "run"

    def write(self, *programs: str, **changes: object) -> Path:
        """Writes these programs and a scenario with each as a method. Returns the scenario."""
        methods = []
        for number, program in enumerate(programs):
            script = self.folder / f"program{number}.py"
            script.write_text(PROLOGUE + textwrap.dedent(program))
            methods.append({"name": "program", "label": f"p{number}", "arguments": [script.name]})
        scenario = {
            "version": 1, "name": "own", "workers": 2, "network": {"links": [{"name": "100Mbps", "rate_mbit": 100}]},
            "workload": {"command": [sys.executable], "time_limit_s": 60}, "methods": methods,
            "targets": {"accuracy": [0.5]}, "seeds": [7], "timeout_s": 10,
        } | changes
        path = self.folder / "own.json"
        path.write_text(json.dumps(scenario))
        return path

    def pacbench(self, *arguments: object, code: int | None = 0, before: Sequence[str] = (),
                 stdin: str = "", timeout_s: float = 110) -> subprocess.CompletedProcess:
        """Runs pacbench, by the command `before` if given. Fails where it ends with another code (None: any)."""
        done = subprocess.run([*before, PACBENCH, *map(str, arguments)], cwd=self.folder, capture_output=True,
                              text=True, check=False, timeout=timeout_s, input=stdin)
        self.assertIn(code, (None, done.returncode), done.stdout + done.stderr)
        return done

    def cells(self, *programs: str, code: int = 0, **changes: object) -> list[dict]:
        """Runs these programs and returns their cells' results."""
        return self.cells_of(self.write(*programs, **changes), code)

    def cells_of(self, scenario: Path, code: int = 0) -> list[dict]:
        self.pacbench("run", scenario, "--out", self.run_folder, "--accept-suspect", code=code)
        return json.loads((self.run_folder / "result.json").read_text())["cells"]

    def printed(self, label: str = "p0", link: str = "100Mbps") -> str:
        return (self.run_folder / f"cells/{label}-{link}-7/worker.log").read_text()


def processes_in(folder: Path) -> list[str]:
    """The processes whose working folder is `folder`, where pacbench starts a scenario's programs."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if Path(os.readlink(process / "cwd")) == folder:
                state, parent = (process / "stat").read_text().rpartition(")")[2].split()[:2]
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                found.append(f"{process.name} (parent {parent}, state {state}): {command}")
        except OSError:  # It has ended meanwhile.
            continue
    return found
