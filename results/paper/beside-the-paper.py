#!/usr/bin/env python3
"""Prints the tables of docs/REPRODUCTION.md from the published runs.

results/paper/beside-the-paper.py [PACBENCH]

PACBENCH is the program, by default build/bin/pacbench.
"""
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NETWORKS = {"resnet152": "ResNet-152", "resnet18": "ResNet-18", "vgg19-bn": "VGG19-BN", "vit-b-16": "ViT-B/16"}
STEPS = ["fp16", "topk-0.1", "topk-0.01", "terngrad", "pactrain-0.5", "pactrain-0.5-ternary",
         "pactrain-0.5-ternary-lanes"]
TUNED = {"published/wan100": "digits", "published/resnet20-wan100": "ResNet-20"}
CURVES = {"paper/curves-resnet8-pretrained": "ResNet-8, pre-trained", "paper/curves-resnet8-random": "ResNet-8",
          "paper/curves-resnet20-pretrained": "ResNet-20, pre-trained", "paper/curves-resnet20-random": "ResNet-20"}


def links_of(pacbench: str, run: str) -> list[dict]:
    printed = subprocess.run([pacbench, "report", f"results/{run}.tar.xz", "--format", "json"], cwd=ROOT,
                             check=True, capture_output=True, text=True).stdout
    return [link for section in json.loads(printed)["sections"] for link in section["links"]]


def rows_of(link: dict) -> dict[str, dict]:
    return {row["label"]: row for row in link["rows"]}


def digits3(value: float) -> str:
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def with_interval(target: dict, over: str) -> str:
    ratio, interval = target[f"speed_up_{over}"], target[f"speed_up_{over}_interval"]
    if ratio is None:
        return "—"
    return digits3(ratio) + (f" [{digits3(interval['low'])}–{digits3(interval['high'])}]" if interval else "")


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, [":--", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def steps(pacbench: str) -> str:
    rows = []
    for name, words in NETWORKS.items():
        for link in links_of(pacbench, f"paper/steps-{name}-star"):
            found = rows_of(link)
            of_all_reduce = found["all-reduce"]["time_per_iteration_s"]["median"]
            cells = []
            for label in STEPS:
                row = found[label]
                bound = "" if row["host_verdict"] == "ok" else "*"
                cells.append(digits3(of_all_reduce / row["time_per_iteration_s"]["median"]) + bound)
            rows.append([f"{words}, {link['link']}", *cells])
    return table(["network, rate", *STEPS], rows)


def times_to_accuracy(pacbench: str) -> str:
    rows = []
    for run, words in TUNED.items():
        for link in links_of(pacbench, run):
            all_reduce = rows_of(link)["all-reduce"]
            for label, row in rows_of(link).items():
                target = row["targets"][-1]
                bytes_saved = (all_reduce["measured_bytes_per_iteration"]["median"] /
                               row["measured_bytes_per_iteration"]["median"])
                rows.append([f"{words}, {label}", with_interval(target, "all_reduce"), with_interval(target, "fp16"),
                             digits3(bytes_saved), f"{points_lost(all_reduce, row):.1f}"])
    return table(["row", "sooner than all-reduce, ×", "sooner than fp16, ×", "bytes saved, ×",
                  "accuracy lost, points"], rows)


def points_lost(all_reduce: dict, row: dict) -> float:
    return 100 * (all_reduce["final_accuracy"]["median"] - row["final_accuracy"]["median"]) + 0.0


def accuracies(pacbench: str) -> str:
    labels = ["fp16", "topk-0.1", "topk-0.01", "terngrad", "pactrain-0.5", "pactrain-0.5-ternary",
              "pactrain-0.5-magnitude"]
    rows = []
    for run, words in CURVES.items():
        found = rows_of(links_of(pacbench, run)[0])
        rows.append([words, *(f"{points_lost(found['all-reduce'], found[label]):.1f}" if label in found else "—"
                              for label in labels)])
    return table(["network", *labels], rows)


def main() -> int:
    pacbench = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/bin/pacbench")
    print("\n\n".join([steps(pacbench), times_to_accuracy(pacbench), accuracies(pacbench)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
