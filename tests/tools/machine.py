"""What others take of this machine while a test measures."""

import json
import subprocess
from pathlib import Path


class Meter:
    """A `pacbench-probe meter` that runs from here on. Where it may not watch the CPUs, it sees nothing taken."""

    def __init__(self, programs: Path) -> None:
        self._process = subprocess.Popen([programs / "pacbench-probe", "meter"], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True)
        self._share: float | None = None

    def taken_share(self) -> float:
        """Ends the meter. The share of the CPUs' time that its threads lost, which were to run at once."""
        if self._share is None:
            first, *lines = map(json.loads, self._process.communicate()[0].splitlines())
            lost_ns = sum(late[3] for line in lines for late in line["late"])
            time_ns = lines[-1]["until_ns"] - first["from_ns"] if lines else 0
            self._share = lost_ns / len(first["cpus"]) / max(time_ns, 1)
        return self._share
