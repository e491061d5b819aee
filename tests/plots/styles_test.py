"""A method has the same style in every figure, and no other method has that style."""

from pacbench_plots import styles


def entries(*labels: str, method: str = "topk") -> list[dict[str, str]]:
    return [{"label": label, "method": method} for label in labels]


def test_baselines_have_the_same_style_in_every_document() -> None:
    one = styles.styles_of(entries("all-reduce", method="all-reduce") + entries("a"))
    other = styles.styles_of(entries("a", "b") + entries("all-reduce", method="all-reduce"))
    assert one["all-reduce"] == other["all-reduce"]


def test_thirty_methods_differ_in_colour_or_marker() -> None:
    of_label = styles.styles_of(entries(*(f"method {at}" for at in range(30))))
    assert len({(style.colour, style.marker) for style in of_label.values()}) == 30


def test_a_second_entry_of_a_baseline_has_a_style_of_its_own() -> None:
    of_label = styles.styles_of(entries("fp16", "fp16-direct", method="fp16"))
    assert of_label["fp16"] != of_label["fp16-direct"]


def test_markers_of_both_libraries_are_paired_one_to_one() -> None:
    assert len({marker for marker, _ in styles.MARKERS}) == len(styles.MARKERS)
    assert len({symbol for _, symbol in styles.MARKERS}) == len(styles.MARKERS)
