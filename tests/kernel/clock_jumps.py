"""A whole run while the wall clock jumps by hours, on tools/kernel-run's kernel with its own clock.

tools/kernel-run --memory 2G python3 tests/kernel/clock_jumps.py BUILD_FOLDER
"""
import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOUR_S = 3600
BETWEEN_JUMPS_S = 0.3
MOST_STEP_S = 5  # a step takes some 10 ms


def jump_while(run: subprocess.Popen) -> int:
    """Lets the clock jump until the run ends, and returns how often it has jumped."""
    for jumps, hours in enumerate(itertools.cycle((3, -5))):
        if run.poll() is not None:
            return jumps
        time.clock_settime(time.CLOCK_REALTIME, time.time() + hours * HOUR_S)
        time.sleep(BETWEEN_JUMPS_S)
    raise AssertionError


def main() -> None:
    pacbench = Path(sys.argv[1]) / "bin/pacbench"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        # One method: an emulated kernel starts a worker in some 20 s.
        run = subprocess.Popen([pacbench, "run", "scenarios/smoke.json", "--set", "/workers=2", "--set",
                                '/methods=[{"name":"all-reduce"}]', "--out", out, "--accept-suspect"],
                               stdout=subprocess.DEVNULL)
        jumps = jump_while(run)
        assert run.returncode == 0, f"the run ended with {run.returncode}"
        assert jumps >= 10, f"the run was over after {jumps} jumps"
        for cell in json.loads((out / "result.json").read_text())["cells"]:
            assert cell["status"] == "done", cell
            assert 0 < cell["time_per_iteration_s"] < MOST_STEP_S, cell
        # The run's numbers must follow from its lines, and its curve from its scenario.
        subprocess.run([pacbench, "verify", out], check=True)
    print(f"a run is whole after {jumps} jumps of the wall clock, 3 hours ahead and 5 back")


if __name__ == "__main__":
    main()
