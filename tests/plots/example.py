"""A small document as pacbench hands it over, with names that break a page unless escaped."""

from typing import Any

HOSTILE = "</title><script>document.title='broken'</script> $x_1$ & \"'é"
LABELS = ["all-reduce", "fp16", "topk-0.01", "_pruned <b>0.5</b>"]
NAMES = ["all-reduce", "fp16", "topk", "pactrain"]


def spread(median: float, by: float = 0.1) -> dict[str, float]:
    return {"median": median, "minimum": median * (1 - by), "maximum": median * (1 + by)}


def censored(median: float | None) -> dict[str, Any]:
    if median is None:
        return {"median": None, "minimum": 9.0, "maximum": None, "reached": 1, "total": 3}
    return {**spread(median), "reached": 3, "total": 3}


def curve(label: str, pace: float) -> dict[str, Any]:
    points = [{"iteration": 3 * i, "training_s": spread(0.5 * i * pace), "accuracy": spread(0.1 + 0.08 * i, 0.02)}
              for i in range(11)]
    return {"label": label, "seeds": 3, "suspect": label == "fp16", "points": points}


def curves() -> list[dict[str, Any]]:
    return [curve(label, 1 / (1 + at)) for at, label in enumerate(LABELS)]


def timeline(label: str) -> dict[str, Any]:
    spans = [("forward", -1, 0, 2), ("backward", -1, 2, 6), ("wait", -1, 6, 18), ("optimizer", -1, 18, 19),
             ("encode", 0, 5, 7), ("queue", 0, 7, 8), ("wire", 0, 8, 15), ("decode", 0, 15, 18), ("wire", 1, 9, 16)]
    named = [{"kind": kind, "bucket": bucket, "start_ms": float(start), "end_ms": float(end)}
             for kind, bucket, start, end in spans]
    return {"link": "100Mbps", "label": label, "seed": 1, "iteration": 7, "time_per_iteration_s": 0.019,
            "ranks": [{"rank": rank, "spans": named} for rank in range(2)]}


def bars(values: list[float | None]) -> list[dict[str, Any]]:
    return [{"label": label, "reached": 3, "total": 3, "word": "" if value else "DNF",
             "relative": censored(value) if value else None}
            for label, value in zip(LABELS, values, strict=True)]


def sweep(at: int, label: str) -> dict[str, Any]:
    """The times of a method at two rates, of which one method never gets there at the higher one."""
    times = {rate: None if label == "topk-0.01" and rate > 500 else 2e3 / rate ** (1 / (1 + at))
             for rate in (100.0, 1000.0)}
    points = [{"link": f"{rate:g}", "rate_mbit": rate, "suspect": False, "tta_s": censored(time)}
              for rate, time in times.items()]
    return {"label": label, "points": points}


def scaled(at: int, label: str) -> dict[str, Any]:
    return {"label": label, "points": [
        {"workers": workers, "time_per_iteration_s": 0.1 * (1 + at), "speed_up": workers / 8,
         "efficiency": 1.0 - at / 10, "busiest_link_bytes": None if at else 1e6} for workers in (8, 64, 512)]}


def panels() -> dict[str, list[dict[str, Any]]]:
    numbered = list(enumerate(LABELS))
    pruned = [{"pruning_ratio": ratio, "label": LABELS[3], "accuracy": spread(0.98 - ratio / 20, 0.01)}
              for ratio in (0.3, 0.5, 0.8)]
    phases = [{"label": label, "suspect": False, "cells": 3, "compute_s": 0.006, "exposed_encode_s": 0.004,
               "exposed_wire_s": 0.008, "rest_s": 0.001, "time_per_iteration_s": spread(0.019)} for label in LABELS]
    sent = [{"label": label, "measured_bytes": spread(1.01e6 / 4**at, 0.01), "expected_bytes": spread(1e6 / 4**at, 0),
             "payload_bytes": spread(5e5 / 4**at, 0), "off": 0.01} for at, label in numbered]
    front = [{"label": label, "speed_up": 1.0 + at, "accuracy": spread(0.98 - at / 100, 0.01), "front": at != 1}
             for at, label in numbered]
    return {
        "accuracy-time": [{"title": HOSTILE, "link": "100Mbps", "series": curves()}],
        "accuracy-iteration": [{"title": HOSTILE, "link": "100Mbps", "series": curves()}],
        "relative-tta": [{"title": "to 97 %", "target": 0.97,
                          "groups": [{"name": "100Mbps", "bars": bars([1.0, 0.55, None, 0.3])}]}],
        "accuracy-pruning": [{"title": "mlp", "link": "100Mbps", "dense": spread(0.97, 0.01),
                              "series": [{"name": "pactrain", "points": pruned}]}],
        "phases": [{"title": "100Mbps", "link": "100Mbps", "rows": phases}],
        "bytes": [{"title": "100Mbps", "link": "100Mbps", "rows": sent}],
        "tta-bandwidth": [{"title": "to 97 %", "series": [sweep(at, label) for at, label in numbered],
                           "crossings": [{"rate_mbit": 320.0, "tta_s": 30.0, "below": "fp16", "above": "all-reduce"}]}],
        "scaling": [{"title": "star, 100Mbps", "topology": "star", "link": "100Mbps", "quantity": quantity,
                     "words": quantity, "series": [scaled(at, label) for at, label in numbered]}
                    for quantity in ("time_per_iteration_s", "busiest_link_bytes", "efficiency")],
        "pareto": [{"title": "100Mbps to 97 %", "link": "100Mbps", "points": front}],
    }


def table() -> dict[str, Any]:
    columns = [{"group": "", "head": "method", "left": True}, {"group": "to 97 %", "head": "TTA s", "left": False},
               {"group": "to 97 %", "head": "×AR", "left": False}]
    times = [("10.3", "1.00"), ("9.1", "1.13"), ("DNF", "—"), ("101", "0.10")]
    rows = [[label, *words] for label, words in zip(LABELS, times, strict=True)]
    return {"title": "Time to accuracy", "columns": columns, "rows": rows}


def fidelity() -> dict[str, Any]:
    cell = {"label": "fp16", "seed": 1, "status": "done", "reason": "",
            "link": {"word": "suspect", "reasons": [HOSTILE]}, "host": {"word": "ok", "reasons": []},
            "link_probe": 0.98, "cpu_idle": 0.4, "cpu_softirq": None, "cpu_pressure": 0.2, "scheduling_floor_ms": 0.3,
            "retransmits": 2, "dropped_packets": 0, "real_time": True}
    flow = {"from": 0, "to": 1, "expected_mbit": 95.6, "goodput_mbit": 94.7, "rtt_ms": None, "expected_rtt_ms": 0,
            "off": False}
    probe = {"when": "before", "reference": 1.0, "calibrated": False, "failure": "", "reasons": [], "worst": 0.99,
             "flows": [flow]}
    return {"link": "100Mbps", "description": HOSTILE, "cells": [cell], "probes": [probe]}


def document(missing: tuple[str, ...] = ()) -> dict[str, Any]:
    """All figures but those that are `missing`."""
    figures = [{"name": name, "title": name.capitalize(), "panels": [] if name in missing else made,
                "missing": "needs what there is not" if name in missing else ""} for name, made in panels().items()]
    link = {"title": HOSTILE, "headline": f"Fastest of 4: {HOSTILE}", "probe": HOSTILE, "tables": [table()],
            "footnotes": [HOSTILE], "diagnoses": [HOSTILE]}
    section = {"title": HOSTILE, "mode": "emulate", "header": [HOSTILE], "legend": "DNF: never", "notes": [HOSTILE],
               "timelines": [timeline(LABELS[0]), timeline(LABELS[3])], "links": [link], "fidelity": [fidelity()],
               "scenario": {"name": HOSTILE}}
    manifest = {"format": "pacbench.manifest/1", "git_commit": HOSTILE, "environment": {"cpu": "a CPU", "cores": 2}}
    methods = [{"label": label, "method": name} for label, name in zip(LABELS, NAMES, strict=True)]
    return {"format": "pacbench.figures/1", "title": HOSTILE, "methods": methods, "figures": figures,
            "sections": [section], "runs": [{"path": "run/result.json", "manifest": manifest}]}
