"""user-mode-linux: a kernel as an ordinary process on this machine's own files."""
import os
import re
import shutil
from pathlib import Path

from .process import NotStarted, child, last_words, need, wait_for_end

INIT = Path(__file__).with_name("init")
MODULES = "/usr/lib/uml/modules"


def folder_for_memory() -> str:
    """The folder for the file that is the kernel's memory, which the kernel unlinks at once. A
    container's /dev/shm may be too small for it."""
    return "/dev/shm" if shutil.disk_usage("/dev/shm").free >= 4 << 30 else os.environ.get("TMPDIR", "/tmp")


def reason(log: Path) -> str:
    """Why the kernel ended before its first program."""
    text = log.read_text(errors="replace")
    if re.search(r"(put|get|save)_fp_registers|set fp regs failed", text):
        return ("user-mode-linux does not know this processor's set of registers (put_fp_registers failed), "
                "as on processors with AMX")
    if re.search(r"ptrace", text):
        return "user-mode-linux may not trace processes here; in a container, add --cap-add=SYS_PTRACE"
    return f"user-mode-linux ended before its first program: {last_words(log)}"


def run(exchange: Path, memory: str) -> None:
    """Runs the kernel until it ends, and leaves its messages in exchange/log. Throws NotStarted."""
    found = need({"linux.uml": "user-mode-linux", "modprobe": "kmod"})
    stderr = os.dup(2)
    log = exchange / "log"
    command = [
        found["linux.uml"], f"mem={memory}", f"uml_dir={exchange}/",
        "quiet", "panic=-1", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", f'"init={INIT}"',
        # Consoles: 0 and 2 are the program's standard output and error, 1 the kernel's.
        "console=tty1", "con=null", "con0=null,fd:1", f"con2=null,fd:{stderr}", "con1=null,fd:2",
        "PACBENCH_OUT=/dev/tty0", "PACBENCH_ERR=/dev/tty2",
        f'"PACBENCH_EXCHANGE={exchange}"', f'"PACBENCH_MODULES={MODULES}"',
    ]
    with log.open("wb") as messages, child(command, stderr=messages, pass_fds=[stderr],
                                           env={**os.environ, "TMPDIR": folder_for_memory()}) as process:
        if not wait_for_end(process, exchange):
            raise NotStarted(reason(log))
