"""What `pacbench export --to gbench` writes is read by Google Benchmark's compare.py.

readers_test.py PACBENCH EXAMPLE    EXAMPLE writes a run's folder
Exit code 77, and the reason, where the reader is not installed.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
COMPARE = Path(os.environ.get("PACBENCH_GBENCH_COMPARE", "/usr/share/benchmark/compare.py"))
PYTHON = "/usr/bin/python3"  # Debian's, for which python3-scipy is


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def check_gbench(pacbench, folder):
    """compare.py finds that one family has become 20 % slower, and that others have not."""
    base, new = folder / "base.json", folder / "new.json"
    run(pacbench, "export", folder / "run", "--to", "gbench", "-o", base)
    slower = "wan100/fp16/100Mbps/time_per_iteration"
    document = json.loads(base.read_text())
    for row in document["benchmarks"]:
        if row["name"] == slower:
            row["real_time"] *= 1.2
    new.write_text(json.dumps(document))
    table = run(PYTHON, COMPARE, "--no-color", "benchmarks", base, new)
    changes = {}
    for line in table.splitlines():
        if line.startswith("wan100/") and "_pvalue" not in line:
            name, change = line.split()[:2]
            changes.setdefault(name, set()).add(float(change))
    assert changes.pop(slower) == {0.2}, table
    assert len(changes) > 20 and all(each == {0.0} for each in changes.values()), table
    assert f"{slower}_pvalue" in table and "Repetitions: 3 vs 3" in table, table


def main():
    pacbench, example = sys.argv[1:]
    modules = subprocess.run([PYTHON, "-c", "import numpy, scipy.stats"], capture_output=True, check=False)
    if modules.returncode or not COMPARE.exists():
        print(f"skipped: no {COMPARE}, or no numpy, scipy: apt-get install libbenchmark-tools python3-scipy")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(example, folder / "run", folder)
        check_gbench(pacbench, folder)


if __name__ == "__main__":
    main()
