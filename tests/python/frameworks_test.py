"""The programs of docs/FRAMEWORKS.md run, those whose packages are installed."""

import importlib.util
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = dict(re.findall(r"^## (.*?)\n.*?```python\n(.*?)```", (ROOT / "docs/FRAMEWORKS.md").read_text(), re.M | re.S))
PACKAGES = {"transformers' Trainer": "transformers", "Accelerate": "accelerate", "Lightning": "lightning", "wandb": "wandb"}
RANKS = 2


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_of_the_page_runs(name: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(PACKAGES[name]) is None:
        pytest.skip(f"{PACKAGES[name]} is not installed")
    ranks = 1 if name == "wandb" else RANKS
    (tmp_path / "program.py").write_text(PROGRAMS[name])
    port = str(free_port())
    running = []
    for rank in range(ranks):
        events = tmp_path / f"events-{rank}"
        events.touch()
        variables = os.environ | {
            "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks),
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1",
            "PACBENCH_EVENTS": str(events), "PYTHONPATH": f"{ROOT / 'python'}:{os.environ.get('PYTHONPATH', '')}"}
        running.append(subprocess.Popen([sys.executable, "program.py"], cwd=tmp_path, env=variables, stderr=subprocess.PIPE, text=True))
    errors = [one.communicate(timeout=200)[1] for one in running]
    assert [one.returncode for one in running] == [0] * ranks, "\n".join(errors)
    if name != "wandb":
        assert (tmp_path / "events-1").read_text().count('"event": "step"') == 8
