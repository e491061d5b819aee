"""docs/fidelity/dilation.md shows the numbers of its records in results/fidelity."""
import json
import statistics

from recorded import PUBLISHED, ROOT, cells_of, json_of, table_mistakes, three_digits

PAGE = "fidelity/dilation.md"
RECORDS = ROOT / "results/fidelity"


def lines_of(name: str) -> list[dict]:
    return [json.loads(line) for line in (RECORDS / name).read_text().splitlines()]


def step_words(line: dict) -> str:
    return f"{1000 * line['time_per_iteration_s']:.2f}" + ("" if line["host_verdict"] == "ok" else "\\*")


def two_workers() -> list[list[str]]:
    rows: dict[tuple, list[str]] = {}
    for line in lines_of("dilation-two-workers.jsonl"):
        rows.setdefault((line["link"].removesuffix("Mbps"), line["label"]), []).append(step_words(line))
    return [[*key, *steps] for key, steps in rows.items()]


def fewer_cores() -> list[list[str]]:
    """One core at twice the dilation of two cores; what was also measured at half of both is left out."""
    lines, on_two = lines_of("dilation-fewer-cores.jsonl"), {8: 8, 2: 4}

    def found(workers: int, cpus: str | None, dilation: int) -> dict[str, str]:
        return {line["label"]: step_words(line) for line in lines
                if (line["workers"], line["cpus"], line["time_dilation"]) == (workers, cpus, dilation)}

    rows = []
    for workers, dilation in on_two.items():
        one, two = found(workers, "0", 2 * dilation), found(workers, None, dilation)
        rows += [[str(workers), label, one[label], two[label]] for label in one]
    return rows


def eight_workers() -> list[list[str]]:
    def cells_by_label(result: dict) -> dict[str, list[dict]]:
        return {label: [cell for cell in result["cells"] if cell["label"] == label]
                for label in dict.fromkeys(cell["label"] for cell in result["cells"])}

    def step_ms(cells: list[dict]) -> str:
        return three_digits(1000 * statistics.median(cell["time_per_iteration_s"] for cell in cells))

    def words(cells: list[dict]) -> str:
        late = 100 * statistics.median(cell["late_s"] / cell["time_per_iteration_s"] for cell in cells)
        return f"{step_ms(cells)} ({late:.1f} %)"

    kept = {k: json.loads((RECORDS / f"dilation-wan1000-k{k}.json").read_text()) for k in (1, 16)}
    at_1, at_16 = cells_by_label(kept[1]), cells_by_label(kept[16])
    at_8 = cells_by_label(json_of(PUBLISHED / "wan1000", "result.json"))
    return [[label, step_ms(at_1[label]), words(at_8[label]), words(at_16[label])] for label in at_8]


def links() -> list[list[str]]:
    """Measured / ideal of links at full speed and at k = 8."""
    subjects = {"one flow": ("flow", 0), "slowest flow of a ring": ("slowest of ring", 0),
                "message of 16 KB": ("message", 1 << 14), "message of 64 KB": ("message", 1 << 16),
                "message of 256 KB": ("message", 1 << 18), "message of 1 MB": ("message", 1 << 20),
                "all-reduce of 256 KB": ("all-reduce", 1 << 18), "all-reduce of 1 MB": ("all-reduce", 1 << 20),
                "all-reduce of 8 MB": ("all-reduce", 1 << 23)}
    ratios = {}
    for k in (1, 8):
        for row in json.loads((RECORDS / f"dilation-links-k{k}.json").read_text())["rows"]:
            if "ratio" in row:
                ratios[row["rate_mbit"] * k, k, row["quantity"], row["bytes"]] = f"{row['ratio']['median']:.3f}"
    return [[name, *(ratios[rate, k, *subject] for rate in (100, 1000) for k in (1, 8))]
            for name, subject in subjects.items()]


def wrong_lines() -> list[str]:
    tables = {"## Two workers": two_workers(), "## Fewer cores": fewer_cores(), "## Eight workers": eight_workers(),
              "## Links": links()}
    return [line for heading, expected in tables.items()
            for line in table_mistakes(PAGE, cells_of(PAGE, heading), expected)]
