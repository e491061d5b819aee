"""All evidence on a paper's claims as one HTML file, from pacbench.reproduction/2."""

from pacbench_plots import claims_words as words
from pacbench_plots.document import Json
from pacbench_plots.markup import Html, join, script, tag
from pacbench_plots.page import asset, head
from pacbench_plots.page_tables import listed, table

WORDS = {"arm", "against", "where", "mode: computing", "why it decides nothing", "verdict", "method"}
WORDS |= {"link, host", "folder", "scenario", "host", "commit", "claim", "why"}


def shown(title: str, heads: list[str], rows: list[list[str]]) -> Html:
    columns = [{"group": "", "head": name, "left": name in WORDS} for name in heads]
    return table({"title": title, "columns": columns, "rows": rows})


def arms_table(title: str, arms: list[Json]) -> Html:
    rows = []
    for arm in arms:
        spread = arm["over_settings"]
        rows.append(
            [
                arm["label"],
                "yes" if arm["of_paper"] else "no",
                f"{arm['measured']} of {arm['needed']}",
                words.number(spread and spread["median"]),
                words.ends(spread and {"low": spread["minimum"], "high": spread["maximum"]}),
                f"{arm['finding']}: {arm['why']}",
            ]
        )
    heads = ["arm", "of the paper", "settings", "median of them", "range of them", "verdict"]
    return shown(title, heads, rows)


def evidence_row(each: Json) -> list[str]:
    speeds = each["at_other_speeds"]
    return [
        each["label"],
        each["against"] or words.NONE,
        words.setting(each["setting"]),
        words.computing(each["setting"]),
        words.number(each["value"]),
        words.number(each["step_ratio"]),
        words.number(each["by_bytes"]),
        words.number(each["limit"]),
        words.ends(each["interval"]) + (" of steps" if each["interval_of_steps"] else ""),
        words.ends(each["range"]),
        words.ends(each["range_of_runs"]),
        words.ends({"low": min(speeds), "high": max(speeds)} if speeds else None),
        words.number(each["pruning_ratio"]),
        words.number(each["target"]),
        str(each["seeds"]),
        words.trust(each),
        words.reasons(each["not_counted"]) or words.NONE,
    ]


EVIDENCE_HEADS = [
    "arm",
    "against",
    "where",
    "mode: computing",
    "ours",
    "ratio of steps",
    "limit by bytes",
    "largest possible",
    "95 % interval",
    "range of seeds",
    "range of runs",
    "at half–double speed",
    "pruning ratio",
    "target",
    "seeds",
    "link, host",
    "why it decides nothing",
]


def judgement(title: str, content: Json) -> Html:
    rows = [evidence_row(each) for arm in content["arms"] for each in arm["evidence"]]
    why = [
        f"{arm['label']} ({words.setting(best['setting'])}): {words.reasons(best['reasons'])}"
        for arm in content["arms"]
        if arm["counts"]
        for best in [arm["evidence"][arm["decisive"]]]
        if best["reasons"]
    ]
    parts: list[str | Html] = [
        tag("p", tag("strong", content["finding"]), f": {content['why']}."),
        tag("p", f"Settings: {content['settings']}.", class_="hint"),
    ]
    if content["arms"]:
        parts.append(arms_table(title, content["arms"]))
    if why:
        parts += [tag("p", "Why our number differs from the paper's:"), listed("ul", why)]
    if rows:
        parts.append(
            tag(
                "details",
                tag("summary", f"all {len(rows)} measurements"),
                shown("measurements", EVIDENCE_HEADS, rows),
            )
        )
    return join(parts)


def claim(content: Json) -> Html:
    parts: list[str | Html] = [
        tag("h3", content["id"], id=content["id"]),
        tag("p", tag("strong", words.paper(content)), f": {content['words']} ({content['where']})."),
    ]
    if content["reading"]:
        parts.append(tag("p", f"Our reading: {content['reading']}."))
    parts.append(judgement("in the paper's settings", content))
    if content["here"]:
        parts += [tag("h4", "In our own settings"), judgement("in our settings", content["here"])]
    return tag("section", *parts)


def place(content: Json) -> str:
    return (
        f"{words.setting(content['setting'])}; {words.computing(content['setting'])}; "
        f"{content['workers']} workers × {content['batch_per_worker']} ({content['link']} of {content['name']})"
    )


def facts(entry: Json) -> list[str]:
    """Our values for those columns of the paper's Table 1 that hold no times: compatible with
    all-reduce (and the traffic of a ring), lossless, stateless."""
    compatible, traits = entry["all_reduce_compatible"], entry["traits"]
    yes = {True: "yes", False: "no", None: words.NONE}
    return [
        f"{yes[compatible]} ({words.number(entry['ring_traffic'])})",
        yes[traits and traits["lossless"]],
        yes[traits and traits["stateless"]],
    ]


FACT_HEADS = ["compatible with all-reduce", "lossless", "stateless"]


def table_1(content: Json) -> Html:
    rows = []
    for method in content["methods"]:
        for target in method["targets"]:
            rows.append(
                [
                    method["label"],
                    words.number(target["target"]),
                    words.number(target["iterations"]),
                    words.number(target["convergence_all_reduce"]),
                    words.number(target["tta_s"], " s"),
                    words.number(target["speed_up_all_reduce"]),
                    words.ends(target["interval"]),
                    *facts(method),
                    words.trust(method),
                ]
            )
    heads = ["method", "target", "iterations", "convergence ×", "TTA", "TTA ×", "95 % interval", *FACT_HEADS]
    return shown(place(content), [*heads, "link, host"], rows)


def steps(content: Json) -> Html:
    rows = [
        [
            time["label"],
            words.number(1e3 * time["time_per_iteration_s"]["median"], " ms"),
            words.number(time["speed_up_all_reduce"]),
            words.ends(time["interval"]),
            words.ends(time["range_of_runs"]),
            str(time["steps"]),
            *facts(time),
            words.trust(time),
        ]
        for time in content["times"]
    ]
    heads = ["method", "a step", "× all-reduce", "95 % interval", "range of runs", "steps", *FACT_HEADS]
    return shown(place(content), [*heads, "link, host"], rows)


def runs(content: list[Json]) -> Html:
    rows = [
        [
            run["path"],
            run["name"],
            run["mode"],
            f"{run['cells']} of {run['planned_cells']}",
            run["scenario_hash"][:12],
            ", ".join(run["git_commits"]),
            run["host"],
        ]
        for run in content
    ]
    heads = ["folder", "scenario", "mode", "cells", "scenario hash", "commit", "host"]
    commands = [command for run in content for command in run["commands"]]
    return join([shown("runs", heads, rows), tag("pre", "\n".join(commands), tabindex="0")])


def part(name: str, title: str, content: Html) -> Html:
    return tag("section", tag("h2", title), content, id=name)


def render(document: Json) -> str:
    """The whole file. `document` is a pacbench.reproduction/2."""
    title = f"{document['paper']}'s numbers beside ours: all evidence"
    links = [tag("a", each["id"], href=f"#{each['id']}") for each in document["claims"]]
    untestable = [f"{each['words']} ({each['where']}): {each['why']}" for each in document["untestable"]]
    body = tag(
        "body",
        tag("header", tag("h1", title), tag("p", document["source"]), tag("nav", *links)),
        part("claims", "Claims", join([claim(each) for each in document["claims"]])),
        part("table-1", "Table 1, measured", join([table_1(each) for each in document["tables_1"]])),
        part("steps", "Times per iteration", join([steps(each) for each in document["steps"]])),
        part("untestable", "Not testable by any run", listed("ul", untestable)),
        part("runs", "Runs", join([runs(document["runs"]), listed("ul", document["notes"])])),
        script(asset("sort.js")),
    )
    return f"<!doctype html>\n{tag('html', head(title), body, lang='en')}\n"
