"""Faults that can happen during a run. Each one finds its victim, or does nothing without one."""
import contextlib
import os
import random
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

RESULTS = Path("/mnt")
# While this file exists, nobody reads what runs print.
UNREAD = RESULTS / "unread"


def processes(name: str) -> list[int]:
    """The PIDs of all processes of that name, ascending; the kernel cuts names to 15 bytes."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "comm").read_text().strip() == name[:15]:
                found.append(int(entry.name))
        except OSError:
            continue
    return sorted(found)


def send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def victim_among(name: str, rng: random.Random) -> int | None:
    found = processes(name)
    return rng.choice(found) if found else None


def kill(name: str) -> Callable[[random.Random, Path], None]:
    def fault(rng: random.Random, _: Path) -> None:
        if victim := victim_among(name, rng):
            send(victim, signal.SIGKILL)
    return fault


def stop(name: str) -> Callable[[random.Random, Path], None]:
    def fault(rng: random.Random, _: Path) -> None:
        if victim := victim_among(name, rng):
            send(victim, signal.SIGSTOP)
            time.sleep(rng.uniform(0.1, 1.5))
            send(victim, signal.SIGCONT)
    return fault


def interrupt(_: random.Random, __: Path) -> None:
    for pid in processes("pacbench"):
        send(pid, signal.SIGINT)


def link_down(rng: random.Random, _: Path) -> None:
    if not (victim := victim_among("pacbench-worker", rng)):
        return
    inside = ["nsenter", f"--net=/proc/{victim}/ns/net", "ip", "link", "set", "eth0"]
    for state, wait_s in (("down", rng.uniform(0.1, 1)), ("up", 0)):
        subprocess.run([*inside, state], stderr=subprocess.DEVNULL, check=False)
        time.sleep(wait_s)


def no_memory(rng: random.Random, _: Path) -> None:
    """Makes the kernel refuse a worker's requests for more memory from now on."""
    if not (victim := victim_among("pacbench-worker", rng)):
        return
    try:
        pages = int(Path(f"/proc/{victim}/statm").read_text().split()[0])
        resource.prlimit(victim, resource.RLIMIT_AS, (pages * resource.getpagesize(),) * 2)
    except (OSError, ValueError):
        pass


def full_disk(rng: random.Random, _: Path) -> None:
    filler = RESULTS / "filler"
    try:
        with filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 20))
    except OSError:
        pass
    time.sleep(rng.uniform(0.2, 2))
    filler.unlink(missing_ok=True)


def second_run(_: random.Random, folder: Path) -> None:
    """Starts another run into the same folder, which must refuse."""
    if not (running := processes("pacbench")) or not (folder / "manifest.json").exists():
        return
    try:
        command = Path(f"/proc/{running[0]}/cmdline").read_bytes().decode().split("\0")[:-1]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        pass


def full_pipe(rng: random.Random, _: Path) -> None:
    """Fills the pipe to which a run prints, and lets nobody read it for a while."""
    if not (running := processes("pacbench")):
        return
    UNREAD.touch()
    try:
        pipe = os.open(f"/proc/{running[0]}/fd/1", os.O_WRONLY | os.O_NONBLOCK)
        with contextlib.suppress(BlockingIOError), os.fdopen(pipe, "wb", buffering=0) as file:
            while file.write(bytes(4096)) is not None:
                pass
        time.sleep(rng.uniform(0.1, 3))
    except OSError:
        pass
    UNREAD.unlink(missing_ok=True)


FAULTS: dict[str, Callable[[random.Random, Path], None]] = {
    "kill pacbench": kill("pacbench"),
    "kill pacbench-netd": kill("pacbench-netd"),
    "kill a worker": kill("pacbench-worker"),
    "stop pacbench": stop("pacbench"),
    "stop pacbench-netd": stop("pacbench-netd"),
    "stop a worker": stop("pacbench-worker"),
    "interrupt": interrupt,
    "a link down": link_down,
    "no memory": no_memory,
    "a full disk": full_disk,
    "a second run": second_run,
    "a full pipe": full_pipe,
}


@dataclass
class Fault:
    at_s: float  # after the start of a run
    name: str
    seed: int

    def strike(self, folder: Path) -> None:
        FAULTS[self.name](random.Random(self.seed), folder)

    def __str__(self) -> str:
        return f"{self.name} at {self.at_s:.1f} s"
