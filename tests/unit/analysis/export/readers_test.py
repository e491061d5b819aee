"""What `pacbench export` writes is read by the programs that the formats belong to.

readers_test.py READER PACBENCH EXAMPLE    READER is gbench or mllog; EXAMPLE writes a run's folder
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
RULES = "training_5.1.0"
INSTALL = ("apt-get install libbenchmark-tools python3-scipy; "
           ".venv/bin/pip install --no-deps mlperf-logging PyYAML")


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


def check_mllog(pacbench, folder):
    """MLCommons' checker complains about a log only that the benchmark is not one of MLCommons'."""
    from mlperf_logging.compliance_checker import mlp_compliance, mlp_parser

    log = folder / "one.log"
    run(pacbench, "export", folder / "run", "--to", "mllog", "--cell", "fp16-100Mbps-1", "-o", log,
        env={**os.environ, "PACBENCH_PROGRAMS": str(folder)})
    lines, errors = mlp_parser.parse_file(log, ruleset="5.1.0")
    assert not errors, errors
    assert len(lines) == len(log.read_text().splitlines()), lines
    rules = Path(mlp_compliance.__file__).parent / RULES
    checker = mlp_compliance.ComplianceChecker("training", "5.1.0", quiet=False, werror=True)
    checker.configured_checks(lines, rules / "common.yaml")
    assert not checker.has_messages(), checker.overwritable | {"": checker.not_overwritable}
    checker.configured_checks(lines, rules / "open_common.yaml")
    assert list(checker.overwritable) == ["submission_benchmark"], checker.overwritable
    assert not checker.not_overwritable, checker.not_overwritable


def main():
    reader, pacbench, example = sys.argv[1:]
    if reader == "gbench":
        if not COMPARE.exists():
            skip(f"no {COMPARE}: {INSTALL}")
        go_on_where_there_is("numpy", "scipy.stats")
    else:
        go_on_where_there_is("yaml", "mlperf_logging.compliance_checker")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(example, folder / "run", folder)
        {"gbench": check_gbench, "mllog": check_mllog}[reader](pacbench, folder)


if __name__ == "__main__":
    main()
