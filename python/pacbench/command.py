"""The commands of the wheel: each becomes the program of the same name in bin/ beside this file."""

import os
import sys
from pathlib import Path
from typing import NoReturn


def _become(name: str) -> NoReturn:
    program = Path(__file__).resolve().parent / "bin" / name
    if not program.exists():
        sys.exit(f"{name}: found no {program}, expected the program there; install the wheel "
                 "again, or use the programs that tools/build puts into build/bin")
    # The packages that draw figures are installed for this Python.
    os.environ.setdefault("PACBENCH_PYTHON", sys.executable)
    os.execv(program, [str(program), *sys.argv[1:]])


def pacbench() -> NoReturn:
    """`pacbench COMMAND …`"""
    _become("pacbench")


def netd() -> NoReturn:
    """The daemon that makes links, for `pacbench-netd` as a service."""
    _become("pacbench-netd")
