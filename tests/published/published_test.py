"""Checks what results/published/ holds, and what the pages say about it.

published_test.py numbers   its numbers follow from its lines, and README, METHODS.md,
                            DELAY.md, and RULES.md of the study, show what report prints;
                            the study names what came from no commit
published_test.py curves    its curves are trained again to the bit, where the processor and torch
                            are those of the run; elsewhere ends with 77 and says why
published_test.py elsewhere ends with 0 where /proc/cpuinfo has another processor than a run, or
                            another number of cores
"""
import hashlib
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import dilation_page
import methods_page
from recorded import (PACBENCH, PUBLISHED, ROOT, STUDY, archives_of, cells_of, files_of, json_of, missing_texts,
                      pacbench, rows_of, step_s, table_mistakes, three_digits, tta_s)

RESNET20 = STUDY / "resnet20"
ALL_MB = 53
KEPT = ("baseline", "fidelity", "paper", "published", "study")  # other folders are a user's own runs
INCOMPARABLE = 4


def megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def numbers() -> list[str]:
    """Verifies all runs; the study's are kept without the lines of iterations."""
    published = archives_of(PUBLISHED)
    wrong = [f"{run}: was made from a work tree with changes, expected a commit"
             for run in published if "dirty" in json_of(run, "manifest.json")["git_commit"]]
    for run in [*published, *(run for run in archives_of(STUDY) if "-tuning" not in run.name)]:
        verified = pacbench("verify", run, "--curves", 0, "--no-progress")
        if verified.returncode != 0:
            wrong.append(f"pacbench verify {run} --curves 0 ended with {verified.returncode}:\n"
                         f"{verified.stdout}{verified.stderr}")
    return wrong


def reports() -> list[str]:
    """README.md and PACTRAIN.md: tables as pacbench prints them. The last one in README.md is of a program that was
    run in one line. PACTRAIN.md has the fastest method at each rate, and an oracle's gain where the rate moves."""
    wan100, resnet20 = (pacbench("report", PUBLISHED / run).stdout.split("\n\nmode ")[0]
                        for run in ("wan100", "resnet20-wan100"))
    of_program = pacbench("report", PUBLISHED / "exec-widths").stdout
    widths = of_program[of_program.find("          │ "):].split("\n\n")[0]
    adapted = pacbench("adapt", PUBLISHED / "methods-rates", "--over", ROOT / "scenarios/methods/moving.json",
                       "--target", 2, "--format", "md").stdout
    return missing_texts("README.md", [wan100, widths]) + missing_texts("docs/PACTRAIN.md", [resnet20, adapted])


def delay_page() -> list[str]:
    """DELAY.md: for each row the times to the target without and with delay, the speed-ups over
    all-reduce and the step; then the sentences that follow from them."""
    without, with_delay = (rows_of(PUBLISHED / name) for name in ("wan100", "wan100-rtt30"))
    wrong, slower, faster = [], [], {}
    found = {row[0]: row for row in cells_of("DELAY.md", "`pacbench report results/published/wan100-rtt30` prints the times with delay and the steps:")}
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
    return wrong + missing_texts("README.md", [readme_words]) + missing_texts("docs/DELAY.md", words)


def scales_words() -> str:
    """The least and the greatest of the cells' median times of the all-reduce of scales."""
    medians_ms = []
    for _, text in files_of(PUBLISHED / "wan100-rtt30", "/iterations.jsonl"):
        events = [json.loads(line) for line in text.splitlines()]
        spans = [collective["wire"] for event in events if event["rank"] == 0 and event["iteration"] > 1
                 for bucket in event["buckets"] for collective in bucket["collectives"]
                 if collective["op"] == "all_reduce" and collective["payload_bytes"] < 100]
        if spans:
            medians_ms.append(statistics.median(end - begin for begin, end in spans) / 1e6)
    return f"took {min(medians_ms):.0f} to {max(medians_ms):.0f} ms in place of 420"


def encodings_table() -> list[str]:
    """RULES.md: milliseconds a step, by encoding; suspect links are marked."""
    rows = rows_of(PUBLISHED / "resnet20-encodings")

    def words(label: str) -> str:
        if label not in rows:
            return "–"
        milliseconds = three_digits(step_s(rows[label]) * 1000)
        return milliseconds + (", links suspect" if rows[label]["link_verdict"] == "suspect" else "")

    expected = [[words(f"{method}-{encoding}") for encoding in ("lanes", "int8", "all-to-all", "lanes-tracker")]
                for method in ("pactrain", "terngrad")]
    found = [row[1:] for row in cells_of("RULES.md", "- **Encodings and masks**")]
    return table_mistakes("RULES.md", found, expected)


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
    return table_mistakes("PACTRAIN.md", found, expected)


def char_gpt_table() -> list[str]:
    """PACTRAIN.md: char-gpt's final losses, iterations to targets and bytes."""
    expected = []
    for row in rows_of(STUDY / "char-gpt").values():
        iterations = [target["iterations"] for target in row["targets"]]
        expected.append([f"{row['final_loss']['median']:.2f}",
                         *(f"one of {each['total']} seeds" if each["reached"] == 1 else f"{each['median']:.0f}"
                           for each in iterations),
                         f"{row['expected_bytes_per_iteration']['median'] / 1e6:#.3g}"])
    return table_mistakes("PACTRAIN.md", [row[2:] for row in cells_of("PACTRAIN.md", "## char-gpt")], expected)


def study_commits() -> list[str]:
    """The study's runs that were made with uncommitted changes and whose commit its README does
    not name."""
    page = (STUDY / "README.md").read_text()
    commits = {json.loads(text)["git_commit"]: f"{run}: {name}"
               for run in archives_of(STUDY) for name, text in files_of(run, "manifest.json")}
    return [f"{path}: commit {commit} is not named in {STUDY}/README.md"
            for commit, path in sorted(commits.items()) if commit.endswith("-dirty") and commit not in page]


def paper_page() -> list[str]:
    script = ROOT / "results/paper/beside-the-paper.py"
    tables = subprocess.run([sys.executable, script, PACBENCH], check=True, capture_output=True, text=True).stdout
    return missing_texts("docs/REPRODUCTION.md", tables.strip().split("\n\n"))


def rules_page() -> list[str]:
    """RULES.md: the table of ResNet-20, a row for each arm in the order of the run."""
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
    return table_mistakes("RULES.md", found, expected)


def pytorch_page() -> list[str]:
    """fidelity/pytorch.md: median steps of pacbench's worker and of PyTorch's in five runs, over two links."""
    lines = (ROOT / "results/fidelity/beside-pytorch-five.jsonl").read_text().splitlines()
    steps_ms: dict[str, dict[int, list[float]]] = {}
    for step in map(json.loads, lines):
        of_rate = steps_ms.setdefault(step["label"], {}).setdefault(step["rate_mbit"], [])
        if step["step_s"] is not None:
            of_rate.append(step["step_s"] * 1000)
    weights, expected = 1_126_410, []
    for label, of_rates in steps_ms.items():
        cells = []
        for rate_mbit, times_ms in of_rates.items():
            bytes_sent = 2 * 7 / 8 * weights * (2 if "fp16" in label else 4)
            wire_ms = bytes_sent * 1514 / 1448 * 8 / rate_mbit / 1e3
            cells += [three_digits(wire_ms), three_digits(statistics.median(times_ms)),
                      f"{min(times_ms):.0f}–{max(times_ms):.0f}"]
        expected.append([f"`{label}`", *cells])
    return table_mistakes("fidelity/pytorch.md", cells_of("fidelity/pytorch.md", "# Steps beside"), expected)


def index() -> list[str]:
    """results/index.json: every archive with its hash, and the page that each is for."""
    results = ROOT / "results"
    entries = {entry["file"]: entry for entry in json.loads((results / "index.json").read_text())["runs"]}
    archives = {str(path.relative_to(results)): path for kept in KEPT for path in (results / kept).rglob("*.tar.xz")}
    wrong = [f"results/index.json: {name} is not in both, the index and results/: run tools/publish --index"
             for name in sorted(entries.keys() ^ archives.keys())]
    for name in sorted(entries.keys() & archives.keys()):
        entry = entries[name]
        _, head = next(files_of(archives[name], "settings.json" if "-tuning" in name else "result.json"))
        texts = {"sha256": archives[name].read_bytes(), "result_sha256": head.encode()}
        if any(hashlib.sha256(text).hexdigest() != entry[key] for key, text in texts.items()):
            wrong.append(f"results/index.json: {name} has other bytes than the index says: run tools/publish --index")
        pages = entry["for"].split(":")[0].split(", ")
        wrong += [f"results/index.json: {name} is for {page}, which does not exist"
                  for page in pages if not (ROOT / page).is_file()]
    return wrong


def is_from_elsewhere(run: Path) -> bool:
    manifest = json_of(run, "manifest.json")
    environment = manifest["environment"]
    if manifest["scenario"]["mode"] == "compose":
        return False  # its curves are another run's
    first = Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    here = dict(map(str.strip, line.split(":", 1)) for line in first.splitlines() if ":" in line)
    cpu = (f"{here['model name']} (family {here['cpu family']}, model {here['model']}, "
           f"stepping {here['stepping']})")
    return (environment["cpu"], environment["cores"]) != (cpu, os.cpu_count())


def curves(runs: list[Path]) -> int:
    verified = {run: pacbench("verify", run, "--no-progress") for run in runs}
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
    runs = archives_of(PUBLISHED)
    if not runs:
        sys.exit(f"{PUBLISHED} holds no run")
    if sys.argv[1] == "elsewhere":
        return 0 if any(map(is_from_elsewhere, runs)) else 1
    if sys.argv[1] == "curves":
        return curves(runs)
    wrong = numbers() + reports() + methods_page.wrong_lines() + delay_page() + paper_page() + rules_page()
    wrong += study_commits() + encodings_table() + schedules_table() + char_gpt_table() + pytorch_page()
    wrong += index() + dilation_page.wrong_lines()
    if (size := sum(megabytes(ROOT / "results" / kept) for kept in KEPT)) > ALL_MB:
        wrong.append(f"{', '.join(KEPT)} of results/ have {size:.1f} MB, expected at most {ALL_MB}")
    print("\n".join(wrong) or f"{len(runs)} published, {size:.1f} MB")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
