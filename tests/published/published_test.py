"""What results/published/ holds and what the pages say of it.

published_test.py numbers   its numbers follow from its lines, and README, METHODS.md,
                            DELAY.md, and RULES.md of the study, show what report prints;
                            the study names what came from no commit
published_test.py curves    its curves are trained again to the bit, where the processor and torch
                            are those of the run; elsewhere ends with 77 and says why
published_test.py elsewhere ends with 0 where /proc/cpuinfo has another processor than a run, or
                            another number of cores
"""
import json
import lzma
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACBENCH = ROOT / "build/bin/pacbench"
PUBLISHED = ROOT / "results/published"
STUDY = ROOT / "results/study"
RESNET20 = STUDY / "resnet20"
FOLDER_MB, ALL_MB = 10, 60
FOLDER_OF_ALL_METHODS_MB = 15  # two dozen methods, each with the lines of eight workers
OF_ALL_METHODS = ("methods", "methods-rates")
INCOMPARABLE = 4


def pacbench(*words: object) -> subprocess.CompletedProcess:
    return subprocess.run([PACBENCH, *map(str, words)], capture_output=True, text=True, check=False)


def megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def numbers(run: Path) -> list[str]:
    wrong = []
    verified = pacbench("verify", run, "--curves", 0, "--no-progress")
    if verified.returncode != 0:
        wrong.append(f"pacbench verify {run} --curves 0 ended with {verified.returncode}:\n"
                     f"{verified.stdout}{verified.stderr}")
    limit_mb = FOLDER_OF_ALL_METHODS_MB if run.name in OF_ALL_METHODS else FOLDER_MB
    if (size := megabytes(run)) > limit_mb:
        wrong.append(f"{run} has {size:.1f} MB, expected at most {limit_mb}")
    if "dirty" in json.loads((run / "manifest.json").read_text())["git_commit"]:
        wrong.append(f"{run}: was made from a work tree with changes, expected a commit")
    return wrong


def readme() -> list[str]:
    table = pacbench("report", PUBLISHED / "wan100").stdout.split("\n\nmode ")[0]
    if table and table in (ROOT / "README.md").read_text():
        return []
    return [f"README.md does not show what pacbench report {PUBLISHED}/wan100 prints:\n{table}"]


def methods_page() -> list[str]:
    page = (ROOT / "docs/METHODS.md").read_text()
    said = pacbench("report", PUBLISHED / "methods").stdout.split("\n\n")
    expected = [next((text for text in said if "astest of" in text), ""), composed_words()]
    expected.append(pacbench("report", PUBLISHED / "methods-sites").stdout.split("\n\nmode ")[0])
    table = subprocess.run([ROOT / "tools/methods-table", PUBLISHED / "methods", PUBLISHED / "methods-rates"],
                           capture_output=True, text=True, check=False).stdout
    expected += table.splitlines() or [table]
    report = json.loads(pacbench("report", PUBLISHED / "same-mean", "--format", "json").stdout)
    for row in report["sections"][0]["links"][0]["rows"]:
        counted, declared = (row[f"{which}_bytes_per_iteration"]["median"] / 1e6
                             for which in ("measured", "expected"))
        step_ms = row["time_per_iteration_s"]["median"] * 1000
        expected.append(f"| `{row['label']}` | {step_ms:.0f} | {counted:.2f} ({declared:.2f}) |")
    return [f"docs/METHODS.md does not show what pacbench report prints:\n{text}"
            for text in expected if not text or text not in page]


def composed_words() -> str:
    """How composed times to the last target at 100 Mbit/s compare with those of the emulated run."""
    report = json.loads(pacbench("report", PUBLISHED / "methods-rates", "--format", "json").stdout)
    links = report["sections"][0]["links"]
    composed = {row["label"]: tta_s(row) for link in links if link["rate_mbit"] == 100 for row in link["rows"]}
    emulated = rows_of(PUBLISHED / "methods")
    factors = sorted(composed[label] / tta_s(row) for label, row in emulated.items() if label in composed)
    return (f"the times are {factors[0]:.2f} to {factors[-2]:.2f} of the run's in the column before, "
            f"{statistics.median(factors):.2f} in the median. AdaCGD's is {factors[-1]:.1f} times as long")


def methods_prose() -> list[str]:
    """METHODS.md: the numbers of the sentences below the table of all methods."""
    page = (ROOT / "docs/METHODS.md").read_text()
    rows = {row["method"]: row for row in rows_of(PUBLISHED / "methods").values()}
    by_step = sorted(rows.values(), key=step_s)
    slowest_code = max(rows.values(), key=encode_s)
    lower = 100 * (final_accuracy(rows["all-reduce"]) - final_accuracy(rows["exdyna"]))
    expected = [f"have the shortest steps, {step_s(by_step[0]) * 1000:.0f} to {step_s(by_step[2]) * 1000:.0f} ms",
                f"needs {tta_s(rows['espresso']) / tta_s(rows['topk']):.1f} times as long to the target",
                f"end {lower:.1f} points lower",
                f"THC spends {encode_s(rows['thc']) * 1000:.0f} ms of a step on encoding, the most of all"]
    wrong = [f"docs/METHODS.md: expected {text!r}" for text in expected if text not in page]
    if {row["method"] for row in by_step[:3]} != {"local-sgd", "diloco", "prunex"}:
        wrong.append("docs/METHODS.md: other rows have the three shortest steps")
    return wrong if slowest_code["method"] == "thc" else [*wrong, "docs/METHODS.md: another row than THC encodes longest"]


def chain_prose() -> list[str]:
    """METHODS.md: how much longer a step takes over a chain of switches than over one."""
    star, chain = ({row["label"]: row for row in rows_of(PUBLISHED / run).values()}
                   for run in ("methods", "methods-chain3"))
    longer = {label: step_s(chain[label]) / step_s(star[label]) for label in chain}
    of = {row["method"]: longer[label] for label, row in chain.items()}
    expected = [f"takes {statistics.median(longer.values()):.2f} times as long as over one switch",
                f"in the median of the {len(longer)} rows",
                f"All-reduce's ring takes {of['all-reduce']:.2f} times as long",
                f"{longer['pactrain-magnitude-ternary-lanes']:.2f} and {of['qsgd']:.2f}: their flows"]
    page = (ROOT / "docs/METHODS.md").read_text()
    return [f"docs/METHODS.md: expected {text!r}" for text in expected if text not in page]


def curve_of(run: str, cell: str) -> list[tuple]:
    """What was learned, without the times, which are the link's."""
    lines = (PUBLISHED / run / "cells" / cell / "curve.jsonl").read_text().splitlines()
    return [(event["iteration"], event["accuracy"], event["loss"]) for event in map(json.loads, lines)]


def chain_curves() -> list[str]:
    """A chain of switches changes no curve, but for methods that decide by measured time."""
    cells = sorted(path.name for path in (PUBLISHED / "methods-chain3/cells").iterdir())
    return [f"{cell}: another curve in methods-chain3 than in methods" for cell in cells
            if not cell.startswith(("espresso", "mergecomp"))
            and curve_of("methods-chain3", cell) != curve_of("methods", cell)]


def papers_table() -> list[str]:
    """METHODS.md: what a method saves, loses or gains beside another, beside what papers say."""
    trained, same_mean, sites = ({row["method"]: row for row in rows_of(PUBLISHED / run).values()}
                                 for run in ("methods", "same-mean", "methods-sites"))

    def times(number: Callable[[dict], float], method: str, base: str = "all-reduce",
              rows: dict[str, dict] = trained) -> float:
        return number(rows[base]) / number(rows[method])

    lost = 100 * (final_accuracy(trained["all-reduce"]) - final_accuracy(trained["terngrad"]))
    expected = [["terngrad", f"{lost:.2f}"],
                ["qsgd", f"{times(tta_s, 'qsgd'):.2f}"],
                ["thc", f"{times(tta_s, 'thc', 'fp16'):.2f}"],
                ["signsgd", f"{times(measured_bytes, 'signsgd'):.1f}"],
                ["topk", f"{times(tta_s, 'topk'):.2f}"],
                ["dgc", f"{times(measured_bytes, 'dgc'):.1f}"],
                ["spardl", f"{times(tta_s, 'spardl', 'topk'):.2f}"],
                ["omnireduce", f"{times(step_s, 'omnireduce', rows=same_mean):.2f}"],
                ["zen", f"{times(step_s, 'zen', rows=same_mean):.2f}"],
                ["one-bit-adam", f"{times(measured_bytes, 'one-bit-adam'):.1f}"],
                ["one-bit-adam", f"{times(step_s, 'one-bit-adam'):.2f}"],
                ["distributed-lion", f"{times(measured_bytes, 'distributed-lion'):.1f}"],
                ["local-sgd", f"{times(measured_bytes, 'local-sgd'):.1f}"],
                ["diloco", f"{times(measured_bytes, 'diloco'):.1f}"],
                ["hierarchical", f"{times(step_s, 'hierarchical', rows=sites):.2f}"],
                ["espresso", f"{times(step_s, 'espresso', 'topk'):.2f}"],
                ["mergecomp", f"{times(tta_s, 'mergecomp', 'topk'):.2f}"]]
    found = [[row[0].strip("`"), row[3]] for row in cells_of("METHODS.md", "## What papers report, and ours")]
    return [] if found == expected else [f"docs/METHODS.md: expected {expected}, found {found}"]


def sites_prose() -> list[str]:
    """METHODS.md: what tuning changes in PruneX's rows, as long as the published run has them untuned."""
    page = (ROOT / "docs/METHODS.md").read_text()
    words = "that was not tuned"
    before, after = ([row for row in rows_of(run).values() if row["method"] == "prunex"]
                     for run in (PUBLISHED / "methods-sites", STUDY / "sites"))
    rates = [prunex_rates(path) for path in (PUBLISHED / "methods-sites", STUDY / "sites")]
    if wrong := sites_rates():
        return wrong
    if rates[0] == rates[1]:
        return [f"docs/METHODS.md: expected no {words!r}"] if words in page else []

    def reached(row: dict) -> str:
        target = next(each for each in row["targets"] if abs(each["accuracy"] - 0.9087) < 0.0001)
        return f"{target['iterations']['median']:.0f}"

    def percent(row: dict) -> str:
        return f"{100 * final_accuracy(row):.1f}"

    expected = [f"a rate of {rates[0][0]} in this run {words}", f"both take {rates[1][0]}.",
                f"after {reached(after[0])} and {reached(after[1])} iterations, in place of "
                f"{reached(before[0])} and {reached(before[1])}",
                f"end at {percent(after[0])} and {percent(after[1])} %, where they had ended at "
                f"{percent(before[0])} and {percent(before[1])}"]
    return [f"docs/METHODS.md: expected {text!r}" for text in expected if text not in page]


def sites_rates() -> list[str]:
    """sites.json: each row has the rate that its tuning chose; `hierarchical` that of all-reduce."""
    settings = [method for tuning in ("methods-learn-tuning", "sites-tuning")
                for method in json.loads((STUDY / tuning / "settings.json").read_text())["methods"]]
    chosen = {method["label"]: tried["lr"] for method in settings for tried in method["tried"] if tried["chosen"]}
    tuned_as = {"hierarchical": ["all-reduce"], "diloco": ["diloco-every=32"], "local-sgd": ["local-sgd-every=8"],
                "topk": ["topk-keep1%"], "pactrain": ["pactrain-prune50%-magnitude-ternary-lanes-max-weights"],
                "prunex": ["prunex-sites=2-every=8-prune60%", "prunex-sites=2-every=8-prune0%"]}
    wrong = []
    for method in json.loads((ROOT / "scenarios/methods/sites.json").read_text())["methods"]:
        label = tuned_as.get(method["name"], [method["name"]])[0 if method.get("pruning_ratio") else -1]
        if method["optimizer"]["lr"] != chosen[label]:
            wrong.append(f"scenarios/methods/sites.json: {method} has another rate than {chosen[label]}, as chosen for {label}")
    return wrong


def prunex_rates(run: Path) -> list[float]:
    methods = json.loads((run / "manifest.json").read_text())["scenario"]["methods"]
    return [method["optimizer"]["lr"] for method in methods if method["name"] == "prunex"]


def balance_prose() -> list[str]:
    """METHODS.md: how long the longest of the workers' lists is beside the mean one, by what was sent and summed."""
    of_lines = {(method, seed): imbalance_of_lines(method, seed) for method in ("exdyna", "micro") for seed in (1, 2, 3)}
    wrong = []
    for (method, seed), (whole, _) in of_lines.items():
        by_bytes = imbalance_by_bytes("methods-build-up-8", f"{method}-keep0.1%-lr=0.0125", seed)
        if abs(by_bytes / whole - 1) > 0.01:
            wrong.append(f"{method}, seed {seed}: longest list {whole:.3f} times the mean by its lines, {by_bytes:.3f} by bytes")

    def median(method: str, which: int) -> float:
        return statistics.median(of_lines[method, seed][which] for seed in (1, 2, 3))

    among_16 = [statistics.median(imbalance_by_bytes("methods-build-up-16", f"{method}-keep1%-lr=0.0125", seed)
                                  for seed in (1, 2, 3)) for method in ("exdyna", "micro")]
    expected = [f"that one is {among_16[0]:.1f} times as long as the mean one, {among_16[1]:.1f} times in MiCRO",
                f"it is {median('exdyna', 0):.1f} times in ExDyna and {median('micro', 0):.1f} in MiCRO, "
                f"{median('exdyna', 1):.1f} and {median('micro', 1):.1f} in the last 50 of 150 iterations"]
    page = (ROOT / "docs/METHODS.md").read_text()
    return wrong + [f"docs/METHODS.md: expected {text!r}" for text in expected if text not in page]


def imbalance_of_lines(method: str, seed: int) -> tuple[float, float]:
    """Longest list over the mean one among eight workers: of all iterations, of the last 50."""
    path = PUBLISHED / f"methods/cells/{method}-keep0.1%-lr=0.0125-100Mbps-{seed}/iterations.jsonl.xz"
    with lzma.open(path, "rt") as lines:
        events = [event for event in map(json.loads, lines) if event["rank"] == 0]
    sizes = [[collective["elements"] for collective in event["buckets"][0]["collectives"]] for event in events]

    def longest(part: list[list[int]]) -> float:
        return 8 * sum(places for _, places, _ in part) / sum(values for _, _, values in part)

    return longest(sizes), longest(sizes[-50:])


def imbalance_by_bytes(run: str, label: str, seed: int) -> float:
    """The same of a run in mode learn without lines, by what a rank hands over and declares to send."""
    result = json.loads((PUBLISHED / run / "result.json").read_text())
    workers = result["scenario"]["workers"]
    cell = next(cell for cell in result["cells"] if (cell["label"], cell["seed"]) == (label, seed))
    handed, sent = (cell[f"{which}_bytes_per_iteration"] for which in ("payload", "expected"))
    gathered = (sent - handed * 2 * (workers - 1) / workers) / ((workers - 1) * (1 - 2 / workers))
    return workers * gathered / (handed - gathered)


def adapt_tables() -> list[str]:
    """PACTRAIN.md: who is fastest at which rate, and what an oracle would gain where the rate moves."""
    tables = pacbench("adapt", PUBLISHED / "methods-rates", "--over", ROOT / "scenarios/methods/moving.json",
                      "--target", 2, "--format", "md").stdout
    if tables and tables in (ROOT / "docs/PACTRAIN.md").read_text():
        return []
    return [f"docs/PACTRAIN.md does not show what pacbench adapt prints:\n{tables}"]


def delay_page() -> list[str]:
    """DELAY.md: of each row both times to the target, how much faster than all-reduce, its step; and what follows."""
    page = (ROOT / "docs/DELAY.md").read_text()
    without, with_delay = (rows_of(PUBLISHED / name) for name in ("wan100", "wan100-rtt30"))
    wrong, slower, faster = [], [], {}
    found = {row[0]: row for row in cells_of("DELAY.md", "`pacbench report results/published/wan100-rtt30` prints it:")}
    for label, row in with_delay.items():
        tta, before_s = row["targets"][-1]["tta_s"], tta_s(without[label])
        slower.append(tta["median"] / before_s)
        faster[label] = tta_s(with_delay["all-reduce"]) / tta["median"]
        was_faster = tta_s(without["all-reduce"]) / before_s
        ratios = ["1", "1"] if label == "all-reduce" else [f"{was_faster:.2f}", f"{faster[label]:.2f}"]
        expected = [label, three_digits(before_s),
                    f"{three_digits(tta['median'])} [{three_digits(tta['minimum'])}–{three_digits(tta['maximum'])}]",
                    *ratios, f"{step_s(row) * 1000:.0f}"]
        if found[label][:6] != expected:
            wrong.append(f"docs/DELAY.md: expected {expected}, found {found[label]}")
        arithmetic_ms = sum(float(part) for part in found[label][6].split("+"))
        if abs(step_s(row) * 1000 / arithmetic_ms - 1) > 1 / 3:
            wrong.append(f"docs/DELAY.md: {label}'s step is not within a third of {found[label][6]}")
    tuned = [ratio for label, ratio in faster.items() if not label.endswith("-paper") and label != "all-reduce"]
    words = [f"{min(slower):.0f} to {max(slower):.0f} times as long",
             f"{min(tuned):.2g} to {max(tuned):.2g} times against all-reduce", scales_words()]
    readme_words = f"{min(tuned):.2g} to {max(tuned):.2g} times all-reduce's speed in the median"
    if readme_words not in (ROOT / "README.md").read_text():
        wrong.append(f"README.md: expected {readme_words!r}")
    return wrong + [f"docs/DELAY.md: expected {text!r}" for text in words if text not in page]


def scales_words() -> str:
    """How long the all-reduce of the scales took in each cell, in the median: the least and the most."""
    medians_ms = []
    for path in (PUBLISHED / "wan100-rtt30/cells").glob("*/iterations.jsonl.xz"):
        with lzma.open(path, "rt") as lines:
            events = [json.loads(line) for line in lines]
        spans = [collective["wire"] for event in events if event["rank"] == 0 and event["iteration"] > 1
                 for bucket in event["buckets"] for collective in bucket["collectives"]
                 if collective["op"] == "all_reduce" and collective["payload_bytes"] < 100]
        if spans:
            medians_ms.append(statistics.median(end - begin for begin, end in spans) / 1e6)
    return f"took {min(medians_ms):.0f} to {max(medians_ms):.0f} ms in place of 420"


def cells_of(page: str, heading: str) -> list[list[str]]:
    """The rows of the first table behind a heading of a page of docs/, without its head."""
    lines = (ROOT / "docs" / page).read_text().split(heading)[1].splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("|--"))
    end = next(i for i in range(begin, len(lines)) if not lines[i].startswith("|"))
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[begin + 1:end]]


def rows_of(run: Path) -> dict[str, dict]:
    report = json.loads(pacbench("report", run, "--format", "json").stdout)
    return {row["label"]: row for row in report["sections"][0]["links"][0]["rows"]}


def measured_bytes(row: dict) -> float:
    return row["measured_bytes_per_iteration"]["median"]


def tta_s(row: dict) -> float:
    return row["targets"][-1]["tta_s"]["median"]


def step_s(row: dict) -> float:
    return row["time_per_iteration_s"]["median"]


def encode_s(row: dict) -> float:
    return row["encode_s"]["median"]


def final_accuracy(row: dict) -> float:
    return row["final_accuracy"]["median"]


def three_digits(number: float) -> str:
    return f"{number:#.3g}".rstrip(".")


def encodings_table() -> list[str]:
    """RULES.md: milliseconds a step, by encoding; suspect links are said."""
    rows = rows_of(PUBLISHED / "resnet20-encodings")

    def words(label: str) -> str:
        if label not in rows:
            return "–"
        milliseconds = three_digits(step_s(rows[label]) * 1000)
        return milliseconds + (", links suspect" if rows[label]["link_verdict"] == "suspect" else "")

    expected = [[words(f"{method}-{encoding}") for encoding in ("lanes", "int8", "all-to-all", "lanes-tracker")]
                for method in ("pactrain", "terngrad")]
    found = [row[1:] for row in cells_of("RULES.md", "- **Encodings and masks**")]
    return [] if found == expected else [f"docs/RULES.md: expected {expected}, found {found}"]


def schedules_table() -> list[str]:
    """PACTRAIN.md: ResNet-20 with a constant rate and with a step schedule."""
    constant, step = rows_of(STUDY / "resnet20-constant"), rows_of(STUDY / "resnet20-step")

    def percent(row: dict, which: str) -> str:
        return f"{100 * row[f'{which}_accuracy']['median']:.1f}"

    def reached(row: dict) -> str:
        return str(row["targets"][-1]["iterations"]["reached"])

    expected = [[percent(constant[label], "final"), percent(constant[label], "best"), percent(step[label], "final"),
                 f"{reached(constant[label])}, {reached(step[label])}"] for label in constant]
    found = [row[1:] for row in cells_of("PACTRAIN.md", "**With other schedules**")]
    return [] if found == expected else [f"docs/PACTRAIN.md: expected {expected}, found {found}"]


def char_gpt_table() -> list[str]:
    """PACTRAIN.md: char-gpt's final losses, iterations to targets and bytes."""
    expected = []
    for row in rows_of(STUDY / "char-gpt").values():
        iterations = [target["iterations"] for target in row["targets"]]
        expected.append([f"{row['final_loss']['median']:.2f}",
                         *(f"one of {each['total']} seeds" if each["reached"] == 1 else f"{each['median']:.0f}"
                           for each in iterations),
                         f"{row['expected_bytes_per_iteration']['median'] / 1e6:#.3g}"])
    found = [row[2:] for row in cells_of("PACTRAIN.md", "## char-gpt")]
    return [] if found == expected else [f"docs/PACTRAIN.md: expected {expected}, found {found}"]


def study_numbers() -> list[str]:
    """Numbers of the study's runs, which are kept without the lines of their iterations."""
    verified = {run: pacbench("verify", run, "--curves", 0, "--no-progress")
                for run in sorted(STUDY.iterdir()) if (run / "manifest.json").is_file()}
    return [f"pacbench verify {run} --curves 0 ended with {one.returncode}:\n{one.stdout}{one.stderr}"
            for run, one in verified.items() if one.returncode != 0]


def study_commits() -> list[str]:
    """Runs of the study that no commit can give again, unless its README names their commit."""
    page = (STUDY / "README.md").read_text()
    commits = {json.loads(path.read_text())["git_commit"]: path for path in STUDY.glob("**/manifest.json")}
    return [f"{path}: commit {commit} is not named in {STUDY}/README.md"
            for commit, path in sorted(commits.items()) if commit.endswith("-dirty") and commit not in page]


def pactrain_page() -> list[str]:
    table = pacbench("report", PUBLISHED / "resnet20-wan100").stdout.split("\n\nmode ")[0]
    if table and table in (ROOT / "docs/PACTRAIN.md").read_text():
        return []
    return [f"docs/PACTRAIN.md does not show what pacbench report {PUBLISHED}/resnet20-wan100 prints:\n{table}"]


def rules_page() -> list[str]:
    """What RULES.md's table of ResNet-20 lacks, a row for each arm in the order of the run."""
    report = json.loads(pacbench("report", RESNET20, "--format", "json").stdout)
    page = (ROOT / "docs/RULES.md").read_text().split("## What was decided")[1].split("\n- **")[0]
    found = [[cell.strip() for cell in line.split("|")[2:-1]] for line in page.splitlines()
             if line.startswith("| ")][1:]
    expected = []
    for row in report["sections"][0]["links"][0]["rows"]:
        iterations = row["targets"][-1]["iterations"]["median"]
        expected.append([f"{100 * row['final_accuracy']['median']:.1f}",
                         "never" if iterations is None else f"{iterations:.0f}",
                         f"{row['expected_bytes_per_iteration']['median'] / 1e6:#.3g}"])
    return [] if found == expected else [f"docs/RULES.md: expected {expected}, found {found}"]


def is_from_elsewhere(run: Path) -> bool:
    manifest = json.loads((run / "manifest.json").read_text())
    environment = manifest["environment"]
    if manifest["scenario"]["mode"] == "compose":
        return False  # its curves are another run's
    first = Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    here = dict(map(str.strip, line.split(":", 1)) for line in first.splitlines() if ":" in line)
    cpu = (f"{here['model name']} (family {here['cpu family']}, model {here['model']}, "
           f"stepping {here['stepping']})")
    return (environment["cpu"], environment["cores"]) != (cpu, os.cpu_count())


def curves(runs: list[Path]) -> int:
    # The curves of methods-chain3 are those of methods, as chain_curves() holds.
    verified = {run: pacbench("verify", run, "--no-progress") for run in runs if run.name != "methods-chain3"}
    elsewhere = [run.name for run, one in verified.items() if one.returncode == INCOMPARABLE]
    compared = [one for run, one in verified.items() if run.name not in elsewhere]
    for one in compared:
        print(one.stdout + one.stderr)
    if failed := max((one.returncode for one in compared), default=0):
        return failed
    if elsewhere:  # last, since tools/list-skips reads the end
        print(f"skipped: of another processor or another torch: {', '.join(elsewhere)}")
    return 77 if elsewhere else 0


def main() -> int:
    runs = sorted(path for path in PUBLISHED.iterdir() if path.is_dir())
    if not runs:
        sys.exit(f"{PUBLISHED} holds no run")
    if sys.argv[1] == "elsewhere":
        return 0 if any(map(is_from_elsewhere, runs)) else 1
    if sys.argv[1] == "curves":
        return curves(runs)
    wrong = [line for run in runs for line in numbers(run)] + readme() + methods_page()
    wrong += delay_page() + rules_page() + pactrain_page() + study_numbers() + study_commits()
    wrong += methods_prose() + chain_prose() + chain_curves() + adapt_tables() + papers_table() + sites_prose() + balance_prose() + encodings_table() + schedules_table() + char_gpt_table()
    if (size := megabytes(PUBLISHED)) > ALL_MB:
        wrong.append(f"{PUBLISHED} has {size:.1f} MB, expected at most {ALL_MB}")
    print("\n".join(wrong) or f"{len(runs)} published, {size:.1f} MB")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
