"""Checks docs/METHODS.md against the published runs; each function returns a line for each mistake."""
import json
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path

from recorded import (PUBLISHED, ROOT, STUDY, cells_of, curves_of, encode_s, files_of, final_accuracy, json_of,
                      measured_bytes, missing_texts, pacbench, rows_of, step_s, table_mistakes, tta_s)

PAGE = "docs/METHODS.md"


def methods_page() -> list[str]:
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
    return missing_texts(PAGE, expected)


def composed_words() -> str:
    """How composed times to the last target at 100 Mbit/s compare with those of the emulated run."""
    report = json.loads(pacbench("report", PUBLISHED / "methods-rates", "--format", "json").stdout)
    links = report["sections"][0]["links"]
    composed = {row["label"]: tta_s(row) for link in links if link["rate_mbit"] == 100 for row in link["rows"]}
    emulated = rows_of(PUBLISHED / "methods")
    factor_of = {label: composed[label] / tta_s(row) for label, row in emulated.items() if label in composed}
    factors = sorted(factor_of.values())
    longest = emulated[max(factor_of, key=factor_of.__getitem__)]["method"]
    return (f"the time of `{longest}` is {factors[-1]:.1f} times the run's in the column before. "
            f"The others' are {factors[0]:.2f} to {factors[-2]:.2f} times the run's, "
            f"and the median of all is {statistics.median(factors):.2f}")


def methods_prose() -> list[str]:
    """METHODS.md: the numbers of the sentences below the table of all methods."""
    rows = {row["method"]: row for row in rows_of(PUBLISHED / "methods").values()}
    by_step = sorted(rows.values(), key=step_s)
    slowest_code = max(rows.values(), key=encode_s)
    lower = 100 * (final_accuracy(rows["all-reduce"]) - final_accuracy(rows["exdyna"]))
    expected = [f"has the shortest step over whole periods, {step_s(by_step[0]) * 1000:.0f} ms",
                f"needs {tta_s(rows['espresso']) / tta_s(rows['topk']):.1f} times as long to the target",
                f"end {lower:.1f} points lower",
                f"THC spends {encode_s(rows['thc']) * 1000:.0f} ms of a step on encoding, the most of all"]
    wrong = missing_texts(PAGE, expected)
    if by_step[0]["method"] != "diloco":
        wrong.append("docs/METHODS.md: another row than DiLoCo has the shortest step")
    return wrong if slowest_code["method"] == "thc" else [*wrong, "docs/METHODS.md: another row than THC encodes longest"]


def papers_table() -> list[str]:
    """METHODS.md: what a method saves, loses or gains against another, beside papers' numbers."""
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
    return table_mistakes("METHODS.md", found, expected)


def sites_prose() -> list[str]:
    """METHODS.md: PruneX's rows over two sites, both at the rates that their tuning chose."""
    if wrong := sites_rates():
        return wrong
    if prunex_rates(PUBLISHED / "methods-sites") != prunex_rates(STUDY / "sites"):
        return ["results/published/methods-sites: PruneX's rates are not those of results/study/sites"]
    every, pruned, whole = ([row for row in rows_of(PUBLISHED / "methods-sites").values()
                             if row["method"] == method] for method in ("all-reduce", "prunex", "hierarchical"))
    expected = [f"by sites gains {100 * (tta_s(every[0]) / tta_s(whole[0]) - 1):.0f} %",
                f"accuracy is {tta_s(pruned[0]) / tta_s(pruned[1]):.2f} times as long"]
    return missing_texts(PAGE, expected)


def sites_rates() -> list[str]:
    """sites.json: each row has the rate that its tuning chose; `hierarchical` that of all-reduce."""
    settings = [method for tuning in ("methods-learn-tuning", "sites-tuning")
                for method in json_of(STUDY / tuning, "settings.json")["methods"]]
    chosen = {method["label"]: tried["lr"] for method in settings for tried in method["tried"] if tried["chosen"]}
    tuned_as = {"hierarchical": ["all-reduce"], "diloco": ["diloco-every=32"], "local-sgd": ["local-sgd-every=8"],
                "topk": ["topk-keep1%"], "pactrain": ["pactrain-prune50%-magnitude-ternary-lanes-max-weights"],
                "prunex": ["prunex-sites=2-every=8-prune60%", "prunex-sites=2-every=8-prune0%"]}
    wrong = []
    for method in json.loads((ROOT / "scenarios/methods/sites.json").read_text())["methods"]:
        label = tuned_as.get(method["name"], [method["name"]])[0 if method.get("pruning_ratio") else -1]
        if method["optimizer"]["lr"] != chosen[label]:
            wrong.append(f"scenarios/methods/sites.json: {method} has another rate than {chosen[label]}, chosen for {label}")
    return wrong


def prunex_rates(run: Path) -> list[float]:
    methods = json_of(run, "manifest.json")["scenario"]["methods"]
    return [method["optimizer"]["lr"] for method in methods if method["name"] == "prunex"]


def embedding_table() -> list[str]:
    """METHODS.md: what a rank sends for a model with an embedding, and how far losses are off."""
    one, four = (rows_of(PUBLISHED / f"methods-embedding-{pieces}") for pieces in (1, 4))

    def sent_kb(row: dict) -> float:
        return row["expected_bytes_per_iteration"]["median"] / 1e3

    def off(label: str) -> float:
        pairs = [zip(curves[f"{label}-none-{seed}"], curves[f"all-reduce-none-{seed}"])
                 for curves in map(curves_of, ("methods-embedding-1", "methods-embedding-4")) for seed in (1, 2, 3)]
        return max(abs(own[2] - base[2]) for pair in pairs for own, base in pair)

    expected = [[f"`{label}`", f"{sent_kb(one[label]):.1f}", f"{sent_kb(four[label]):.1f}",
                 "–" if label == "all-reduce" else f"{off(label):.1e}"] for label in one]
    dense_kb = 2 * 7 / 8 * 4 * 65 * 64 / 1e3
    saved_kb = [sent_kb(rows["all-reduce"]) - sent_kb(rows["embrace"]) for rows in (one, four)]
    saved = [100 * kb / sent_kb(rows["all-reduce"]) for kb, rows in zip(saved_kb, (one, four))]
    weights = one["all-reduce"]["payload_bytes_per_iteration"]["median"] / 4
    words = [f"EmbRace saves {saved[0]:.0f} % with one piece a worker and {saved[1]:.0f} % with four",
             f"All-reduce sends {dense_kb:.1f} kB for the embedding, EmbRace {dense_kb - saved_kb[0]:.1f} "
             f"and {dense_kb - saved_kb[1]:.1f}",
             f"has 65 rows of 64 numbers, {100 * 65 * 64 / weights:.0f} % of its weights",
             f"Zen sends {sent_kb(one['zen-keep100%']) / sent_kb(one['all-reduce']):.1f} times as much"]
    found = cells_of("METHODS.md", "## A model of tokens")
    return table_mistakes("METHODS.md", found, expected) + missing_texts(PAGE, words)


def zeroth_order_prose() -> list[str]:
    """METHODS.md: what zeroth-order reaches at its best rate, and what it sends."""
    tuning = json_of(STUDY / "zeroth-order-tuning", "settings.json")["methods"][0]["tried"]
    short = next(iter(rows_of(STUDY / "zeroth-order").values()))
    long = next(iter(rows_of(PUBLISHED / "methods-zeroth-order").values()))
    dense = rows_of(STUDY / "sites")["all-reduce"]
    asked = json.loads((ROOT / "scenarios/methods/zeroth-order.json").read_text())
    best = next(tried["lr"] for tried in tuning if tried["chosen"])
    iterations = asked["workload"]["max_iterations"]
    sent = long["expected_bytes_per_iteration"]["median"]
    expected = [f"{best:.1e} was the best ({sum(tried['trainings'] for tried in tuning)} trainings",
                f"{100 * final_accuracy(short):.1f} % after 150 iterations, when all-reduce is at "
                f"{100 * final_accuracy(dense):.1f}",
                f"and {100 * final_accuracy(long):.1f} % after {iterations}",
                f"sends {sent:.0f} bytes an iteration", f"{iterations * sent / 1e3:.1f} kB in all {iterations}",
                f"sends {dense['expected_bytes_per_iteration']['median'] / 1e6:.1f} MB in one"]
    wrong = missing_texts(PAGE, expected)
    if [method["optimizer"]["lr"] for method in asked["methods"]] != [best]:
        wrong.append(f"scenarios/methods/zeroth-order.json: expected the rate {best}, which was chosen")
    return wrong


def balance_prose() -> list[str]:
    """METHODS.md: the longest of the workers' lists over the mean list, by lines and by bytes."""
    of_lines = {(method, seed): imbalance_of_lines(method, seed)
                for method in ("exdyna", "micro") for seed in (1, 2, 3)}
    wrong = []
    for (method, seed), (whole, _) in of_lines.items():
        by_bytes = imbalance_by_bytes("methods-build-up-8", f"{method}-keep0.1%-lr=0.0125", seed)
        if abs(by_bytes / whole - 1) > 0.01:
            wrong.append(f"{method}, seed {seed}: longest list over the mean {whole:.3f} by lines, {by_bytes:.3f} by bytes")

    def median(method: str, which: int) -> float:
        return statistics.median(of_lines[method, seed][which] for seed in (1, 2, 3))

    among_16 = [statistics.median(imbalance_by_bytes("methods-build-up-16", f"{method}-keep1%-lr=0.0125", seed)
                                  for seed in (1, 2, 3)) for method in ("exdyna", "micro")]
    expected = [f"that one is {among_16[0]:.1f} times as long as the mean one, {among_16[1]:.1f} times in MiCRO",
                f"it is {median('exdyna', 0):.1f} times in ExDyna and {median('micro', 0):.1f} in MiCRO, "
                f"{median('exdyna', 1):.1f} and {median('micro', 1):.1f} in the last 50 of 150 iterations"]
    return wrong + missing_texts(PAGE, expected)


def imbalance_of_lines(method: str, seed: int) -> tuple[float, float]:
    """The longest list over the mean list of eight workers: in all iterations, and the last 50."""
    name = f"cells/{method}-keep0.1%-lr=0.0125-100Mbps-{seed}/iterations.jsonl"
    _, text = next(files_of(PUBLISHED / "methods", name))
    events = [event for event in map(json.loads, text.splitlines()) if event["rank"] == 0]
    sizes = [[collective["elements"] for collective in event["buckets"][0]["collectives"]] for event in events]

    def longest(part: list[list[int]]) -> float:
        return 8 * sum(places for _, places, _ in part) / sum(values for _, _, values in part)

    return longest(sizes), longest(sizes[-50:])


def imbalance_by_bytes(run: str, label: str, seed: int) -> float:
    """The longest list over the mean list in a run of mode learn, which has no lines: computed from
    the bytes that a rank hands over and declares to send."""
    result = json_of(PUBLISHED / run, "result.json")
    workers = result["scenario"]["workers"]
    cell = next(cell for cell in result["cells"] if (cell["label"], cell["seed"]) == (label, seed))
    handed, sent = (cell[f"{which}_bytes_per_iteration"] for which in ("payload", "expected"))
    gathered = (sent - handed * 2 * (workers - 1) / workers) / ((workers - 1) * (1 - 2 / workers))
    return workers * gathered / (handed - gathered)


def wrong_lines() -> list[str]:
    return [line for part in (methods_page, methods_prose, papers_table, sites_prose,
                              balance_prose, embedding_table, zeroth_order_prose) for line in part()]
