"""run_tests.py [--set-up] [FILE]: runs it, or all tests here, with pytest in .venv's Python, which imports torch.

Ends with 77, after saying why, when it cannot. With --set-up torch is made ready for it first (tools/setup --python-torch).
"""

import os
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PYTHON = ROOT / ".venv/bin/python"


def imports_torch() -> bool:
    if not PYTHON.exists():
        return False
    command = [PYTHON, "-c", "import numpy, pytest, torch"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def main(arguments: list[str]) -> int:
    if "--set-up" in arguments:
        subprocess.run([ROOT / "tools/setup", "--tests", "--python-torch"], check=True)
    if not imports_torch():
        print(f"skipped: {PYTHON} does not import torch, numpy and pytest: run tools/setup --python-torch")
        return SKIPPED
    files = [name for name in arguments if name != "--set-up"] or ["."]
    command = [PYTHON, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *(HERE / name for name in files)]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
