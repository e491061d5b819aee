"""Power is lost while a run goes on: a kernel of tools/kernel-run is killed, with all that it had not written to the
disk yet. The next one goes on with --resume over what the disk has.

power_loss.py BUILD_FOLDER [--losses 3] [--seed N]

Whatever the run had called done must be there after each loss, and in the end every cell is done and verifies to the
bit. Exit code 77 where no kernel starts.
"""
import argparse
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from storm.invariants import Undisturbed  # noqa: E402
from storm.runs import words_to_go_on  # noqa: E402

KERNEL_RUN = ROOT / "tools/kernel-run"
DISK_BYTES = 96 << 20
LONGEST_S = 300
MOUNTED = Path("/run/disk")
FOUND = "on the disk:"
CALLED_DONE = re.compile(r"\[\d+/\d+\] (.+) seed (\d+): done")


# These functions run inside the kernel that loses its power.

def command(pacbench: Path, run: Path, cells: int) -> list[str | Path]:
    # Few iterations: an emulated kernel computes some 50 times slower.
    changes = ('/mode="learn"', '/methods=[{"name":"all-reduce"}]', f"/seeds={list(range(1, cells + 1))}",
               "/workload/max_iterations=4", "/workload/evaluate_every=2")
    words = [word for change in changes for word in ("--set", change)]
    return [pacbench, "run", "scenarios/smoke.json", *words, "--out", run, *words_to_go_on(run)]


def inside(build: Path, disk: Path, cells: int) -> int:
    for module in ("loop", "ext4"):
        subprocess.run(["modprobe", "-d", "/run/modules", module], check=True)
    MOUNTED.mkdir()
    subprocess.run(["mount", "-o", "loop", disk, MOUNTED], check=True)
    run = MOUNTED / "run"
    print(FOUND, *sorted(Undisturbed.done_cells(run)), flush=True)
    pacbench = build / "bin/pacbench"
    # Its messages go to a pipe: on a terminal it would draw a progress bar.
    with subprocess.Popen(command(pacbench, run, cells), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as said:
        for line in said.stderr:
            print(line.rstrip(), flush=True)
    assert said.returncode == 0, f"the run ended with {said.returncode}"
    print(FOUND, *sorted(Undisturbed.done_cells(run)), flush=True)
    return subprocess.run([pacbench, "verify", "--curves", "2", run], check=False).returncode


# These functions run outside of that kernel.

class Kernel:
    """One start of the second kernel, until it ends or its power is lost."""

    def __init__(self, build: Path, disk: Path, cells: int):
        self.process = subprocess.Popen(
            [KERNEL_RUN, "--writable", disk.parent, sys.executable, __file__, "--inside", str(cells), build,
             disk], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", cwd=ROOT)
        self.lines: list[str] = []
        self.cell_done = threading.Event()
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if CALLED_DONE.match(line):
                self.cell_done.set()
        self.cell_done.set()

    def lose_power_after_a_cell(self, seconds: float) -> None:
        self.cell_done.wait(LONGEST_S)
        time.sleep(seconds)
        self.process.terminate()  # kernel-run then kills the kernel
        self.wait()

    def wait(self) -> int:
        code = self.process.wait(LONGEST_S)
        self.reader.join()
        return code

    def on_the_disk(self) -> list[set[str]]:
        """The done cells on the disk: at the kernel's start, and at the end of a run that ended."""
        return [set(line.removeprefix(FOUND).split()) for line in self.lines if line.startswith(FOUND)]

    def called_done(self) -> set[str]:
        """The folders of the cells that the run has said are done."""
        words = (CALLED_DONE.match(line) for line in self.lines)
        return {f"{match[1].replace(' ', '-')}-{match[2]}" for match in words if match}


def outside(build: Path, losses: int, seed: int) -> int:
    cells = losses + 2  # at least one of them is new at each start
    rng = random.Random(seed)
    called: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        disk = Path(folder) / "disk"
        with disk.open("wb") as file:
            file.truncate(DISK_BYTES)
        subprocess.run(["mkfs.ext4", "-q", disk], check=True)
        for loss in range(losses + 1):
            kernel = Kernel(build, disk, cells)
            if loss < losses:
                kernel.lose_power_after_a_cell(rng.uniform(0, 1))
            code = kernel.wait()
            if code == 77:
                print("\n".join(kernel.lines))
                return 77
            found = kernel.on_the_disk()
            assert found, "\n".join(kernel.lines)
            assert called <= found[0], f"lost: {called - found[0]}\n" + "\n".join(kernel.lines)
            called |= kernel.called_done()
            print(f"start {loss + 1}: {len(found[0])} cells on the disk, {len(called)} called done", flush=True)
    assert code == 0, "\n".join(kernel.lines)
    assert len(found[-1]) == cells, found
    assert len(called) > losses, f"only {called} were called done"
    print(f"{losses} losses of power (seed {seed}), and no cell that was done is lost")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--losses", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inside", type=int, metavar="CELLS", help=argparse.SUPPRESS)
    parser.add_argument("build", type=Path)
    parser.add_argument("disk", type=Path, nargs="?")
    options = parser.parse_args()
    if options.inside:
        return inside(options.build, options.disk, options.inside)
    return outside(options.build.resolve(), options.losses, options.seed)


if __name__ == "__main__":
    sys.exit(main())
