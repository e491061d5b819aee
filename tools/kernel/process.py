"""A second kernel as a process. It is watched until its first program starts, and ends with us."""
import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

# Kills its whole process group once no process holds the other end of the pipe at descriptor $1. So
# the kernel ends however kernel-run ends.
WATCHED = 'pipe=$1; shift; { read -r end; kill -KILL 0; } <&"$pipe" & exec {pipe}<&-; exec "$@"'


class NotStarted(Exception):
    """Says why this way does not start a second kernel here."""


def need(programs: dict[str, str]) -> dict[str, str]:
    """The path of each program; `programs` maps each to the Debian package that has it. Throws
    NotStarted when one is missing."""
    path = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin:/usr/lib/qemu"
    found = {program: shutil.which(program, path=path) for program in programs}
    if missing := [program for program in programs if not found[program]]:
        packages = " ".join(sorted({programs[program] for program in missing}))
        raise NotStarted(f"{', '.join(missing)} not installed: apt-get install {packages} (Debian, amd64)")
    return found


@contextlib.contextmanager
def child(command: list, pass_fds: list[int] = (), **options):
    """A process in a group of its own. The whole group is killed at the end of the block, or when
    this program ends."""
    read, write = os.pipe()
    words = ["bash", "-c", WATCHED, "bash", read, *command]
    process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, start_new_session=True,
                               pass_fds=[read, *pass_fds], **options)
    os.close(read)
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # the watcher is still there
        process.wait()
        os.close(write)


def wait_for_end(process: subprocess.Popen, exchange: Path, start_limit_s: float | None = None) -> bool:
    """Waits for the kernel's end. Returns whether its program had been started. Throws NotStarted
    when the program does not start within the limit."""
    started = exchange / "started"
    deadline_s = time.monotonic() + start_limit_s if start_limit_s else None
    while deadline_s and process.poll() is None and not started.exists():
        if time.monotonic() > deadline_s:
            raise NotStarted(f"the kernel started no program within {start_limit_s:g} s")
        time.sleep(0.02)
    process.wait()
    return started.exists()


def last_words(path: Path) -> str:
    lines = [line.strip() for line in path.read_text(errors="replace").splitlines() if line.strip()]
    return "; ".join(lines[-3:]) or "it said nothing"
