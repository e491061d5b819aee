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
ROOT = Path(__file__).resolve().parents[4]
COMPARE = Path(os.environ.get("PACBENCH_GBENCH_COMPARE", "/usr/share/benchmark/compare.py"))
INSTALL = "apt-get install libbenchmark-tools python3-scipy"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def go_on_where_there_is(*modules):
    """Goes on in the first Python with all modules: this one, PACBENCH_PYTHON, the project's, the
    system's. Skips the test where there is none."""
    asked_for = os.environ.get("PACBENCH_PYTHON")
    known = [sys.executable, asked_for, ROOT / ".venv" / "bin" / "python", "/usr/bin/python3"]
    for python in [str(each) for each in known if each and os.access(each, os.X_OK)]:
        imports = [python, "-c", f"import {', '.join(modules)}"]
        if subprocess.run(imports, capture_output=True, check=False).returncode:
            continue
        if python != sys.executable:
            os.execv(python, [python, *sys.argv])
        return
    skip(f"no Python with {', '.join(modules)}: {INSTALL}")


def slow_down(document, family, factor):
    for row in document["benchmarks"]:
        if row["name"] == family:
            row["real_time"] *= factor
    return document


def check_gbench(pacbench, folder):
    """compare.py finds that one family has become 20 % slower, and that others have not."""
    base, new = folder / "base.json", folder / "new.json"
    run(pacbench, "export", folder / "run", "--to", "gbench", "-o", base)
    slower = "wan100/fp16/100Mbps/time_per_iteration"
    new.write_text(json.dumps(slow_down(json.loads(base.read_text()), slower, 1.2)))
    table = run(sys.executable, COMPARE, "--no-color", "benchmarks", base, new)
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
    if not COMPARE.exists():
        skip(f"no {COMPARE}: {INSTALL}")
    go_on_where_there_is("numpy", "scipy.stats")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(example, folder / "run", folder)
        check_gbench(pacbench, folder)


if __name__ == "__main__":
    main()
