"""Runs of a small scenario into one folder, and the faults that they meet."""
import contextlib
import random
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .faults import FAULTS, RESULTS, UNREAD, Fault

LONGEST_S = 120
# The run is long enough for faults in each of its parts: probes, start, training, end.
CHANGES = ["/workers=2", "/workload/max_iterations=15", '/methods=[{"name": "all-reduce"}, {"name": "topk", "ratio": 0.1}]',
           '/network/links=[{"name": "20Mbps", "rate_mbit": 20}]', "/timeout_s=10"]
RUN_S = 5.0


@dataclass
class Schedule:
    """The faults of each of several runs."""
    faults: list[list[Fault]]

    @staticmethod
    def drawn(rng: random.Random) -> "Schedule":
        def one() -> Fault:
            return Fault(rng.uniform(0, RUN_S), rng.choice(list(FAULTS)), rng.randrange(1 << 30))
        runs = [sorted((one() for _ in range(rng.randint(1, 3))), key=lambda fault: fault.at_s)
                for _ in range(rng.randint(1, 3))]
        return Schedule(runs)

    def shorter(self) -> Iterator["Schedule"]:
        """Each schedule that lacks exactly one of these faults."""
        for i, faults in enumerate(self.faults):
            for j in range(len(faults)):
                left = [*self.faults[:i], [*faults[:j], *faults[j + 1:]], *self.faults[i + 1:]]
                yield Schedule([each for each in left if each])

    def __str__(self) -> str:
        return "; then ".join(", ".join(map(str, faults)) for faults in self.faults)


def words_to_go_on(folder: Path) -> list[str]:
    """Options of `pacbench run` for a folder in which a run may have begun."""
    if not (folder / "manifest.json").exists():
        shutil.rmtree(folder, ignore_errors=True)  # the run has recorded nothing yet
    return ["--resume"] if folder.exists() else []


class Runs:
    def __init__(self, programs: Path, scenario: Path):
        self.pacbench, self.scenario = programs.resolve() / "pacbench", scenario

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        """A folder for one run's results, which is removed at the end of the block."""
        with tempfile.TemporaryDirectory(dir=RESULTS) as parent:
            yield Path(parent) / "run"

    def command(self, folder: Path) -> list[str]:
        changes = [word for change in CHANGES for word in ("--set", change)]
        return [str(self.pacbench), "run", str(self.scenario), *changes, "--out", str(folder), "--accept-suspect"]

    def run(self, folder: Path, faults: list[Fault]) -> None:
        """Begins a run in the folder, or resumes the one there. Returns when it has ended, and each
        fault has struck or has come too late. Kills a run that has not ended after LONGEST_S
        seconds, and throws subprocess.TimeoutExpired."""
        resume = words_to_go_on(folder)
        begin = time.monotonic()
        process = subprocess.Popen([*self.command(folder), *resume], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        threads = [threading.Thread(target=self._strike, args=(fault, begin, process, folder)) for fault in faults]
        threads.append(threading.Thread(target=self._read, args=(process,)))
        for thread in threads:
            thread.start()
        try:
            process.wait(LONGEST_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        finally:
            for thread in threads:
                thread.join(LONGEST_S)

    @staticmethod
    def _read(process: subprocess.Popen) -> None:
        """Reads what the run prints, until all who may print have ended."""
        with process.stdout as output:
            while True:
                if UNREAD.exists():
                    time.sleep(0.05)
                elif not output.read1(4096):
                    return

    @staticmethod
    def _strike(fault: Fault, begin: float, process: subprocess.Popen, folder: Path) -> None:
        while time.monotonic() < begin + fault.at_s:
            if process.poll() is not None:
                return
            time.sleep(0.01)
        fault.strike(folder)
