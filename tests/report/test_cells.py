"""Every kind of cell says its number, or why it has none."""

from __future__ import annotations

import math

import pytest

from report.examples import bounds, coverage_finding, estimate, raters_finding
from voirdire.checks.finding import Bounds, Column, LabelCounts, Missing
from voirdire.report.cells import show
from voirdire.report.marks import axis, plot
from voirdire.report.palette import label_parts, letters, tones
from voirdire.report.stack import stack
from voirdire.report.tables import cautions
from voirdire.report.wording import interval, number, span
from voirdire.stats.estimate import Estimate, undefined
from voirdire.study import Scale

KAPPA = Column("kappa", "κ", "coefficient")
NBSP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("value", "kind", "cases", "expected"),
    [
        (-0.307, "coefficient", 0, "−0.31"),
        (-0.001, "coefficient", 0, "0.00"),
        (0.8334, "share", 1000, f"83{NBSP}%"),
        (0.8334, "share", 1001, f"83.3{NBSP}%"),
        (0.05, "difference", 0, "+0.05"),
        (-0.001, "difference", 0, "0.00"),
        (0.0, "p", 0, f"<{NBSP}0.001"),
        (48540, "count", 0, "48,540"),
        (12.5, "count", 0, "12.50"),
    ],
)
def test_numbers_are_written_as_the_page_needs_them(
    value: float, kind: str, cases: int, expected: str
) -> None:
    assert number(value, kind, cases=cases) == expected  # type: ignore[arg-type]


def test_an_estimate_shows_value_interval_and_items() -> None:
    shown = show(estimate(0.6, 0.1), KAPPA, with_n=True)
    assert (shown.text, shown.second) == ("0.60", f"[0.50,{NBSP}0.70], n{NBSP}36")
    assert shown.numeric
    assert not shown.caution


def test_a_range_over_policies_shows_its_ends_and_the_outermost_interval() -> None:
    shown = show(bounds(0.17, 0.27, 0.2, half=0.2), KAPPA)
    assert (shown.text, shown.second) == ("0.17 to 0.27", f"[−0.03,{NBSP}0.47]")


def test_policies_without_a_value_are_counted() -> None:
    shown = show(bounds(0.17, "no_variation"), KAPPA)
    assert shown.second.endswith("undefined under 1 of 2 mappings")


@pytest.mark.parametrize(
    ("cell", "word", "reason"),
    [
        (undefined("insufficient_raters"), "not measurable", "fewer than two raters"),
        (undefined("no_variation"), "undefined", "every label is the same"),
        (bounds("no_variation", "no_variation"), "undefined", "every label is the same"),
        (Missing("not recorded", "no design"), "not recorded", "no design"),
        (math.nan, "undefined", "no value"),
        (LabelCounts({"pass": 0}), "none", "no label"),
    ],
)
def test_a_cell_without_a_number_is_a_word_and_a_reason(cell: object, word: str, reason: str) -> None:
    shown = show(cell, KAPPA)  # type: ignore[arg-type]
    assert (shown.form, shown.text, shown.second) == ("missing", word, reason)


def test_a_value_without_interval_says_why() -> None:
    shown = show(Estimate(1.0, no_interval="zero_width", n_items=9), KAPPA)
    assert shown.second.startswith("no interval: ")


def test_nothing_shows_nothing() -> None:
    assert show(None, KAPPA).form == "blank"
    assert show(Bounds({}), KAPPA).form == "blank"


def test_few_labels_are_squares_and_many_a_bar() -> None:
    assert show(LabelCounts({"pass": 4, "fail": 3}), Column("l", "Labels", "labels")).form == "squares"
    assert show(LabelCounts({"pass": 5, "fail": 3}), Column("l", "Labels", "labels")).form == "bar"


def test_labels_keep_their_order_and_fill_the_bar() -> None:
    parts = label_parts({"pass": 1, "borderline": 1, "fail": 2})
    assert [part.label for part in parts] == ["pass", "borderline", "fail"]
    assert math.isclose(parts[-1].start + parts[-1].share, 1)


def test_colours_never_mistake_one_label_for_another() -> None:
    for labels in [("yes", "no"), ("1", "2", "3", "4", "5"), ("first", "tie", "second"), ("a", "b")]:
        assert len(set(tones(labels).values())) == len(labels)
    assert len(set(letters(("very good", "very bad", "very")).values())) == 3


def test_a_declared_indeterminate_label_has_the_middle_colour() -> None:
    assert tones(("pass", "hmm", "fail"), frozenset({"hmm"}))["hmm"] == "L-mid"


def test_an_axis_holds_every_interval_and_is_never_cut() -> None:
    on = axis("coefficient", [estimate(-0.3, 0.4), bounds(0.1, 0.9)])
    assert on.low <= -0.7
    assert on.high == 1
    assert axis("rate", [estimate(0.5, 0.01)]).low == 0
    wide = axis("difference", [estimate(12.0, low=-3.0, high=30.0)])
    assert wide.low <= -3
    assert wide.high >= 30


def test_a_plot_draws_judge_above_people_and_leaves_a_missing_line_empty() -> None:
    on = axis("coefficient", [estimate(0.5)])
    drawn = plot([("people", undefined("no_variation")), ("judge", bounds(0.4, 0.6))], on)
    assert [mark.actor for mark in drawn.marks] == ["judge"]
    assert drawn.marks[0].at == on.x(0.5)
    assert drawn.marks[0].range == (on.x(0.4), on.x(0.6))
    both = plot([("people", estimate(0.5)), ("judge", estimate(0.5))], on)
    assert [(mark.actor, mark.y) for mark in both.marks] == [("judge", 11), ("people", 25)]


def test_figures_beyond_the_axis_point_off_its_edge() -> None:
    on = axis("coefficient", [estimate(-0.5, low=-1.4)])
    assert on.low == -1
    assert plot([("judge", estimate(-0.5, low=-1.4))], on).marks[0].off == (True, False)


def test_equal_figures_are_one_figure_and_no_range() -> None:
    assert span([0.501, 0.499]) == "0.50"
    assert interval(0, 1, "rate") == f"[0,{NBSP}100]"


def test_cautions_that_differ_in_a_count_are_said_once() -> None:
    every = [estimate(0.5, caution=f"only {n} items: the interval may be too narrow") for n in (9, 3, 8)]
    assert cautions([*every, estimate(0.5, caution="A word."), estimate(0.5)]) == (
        "only 3 to 9 items: the interval may be too narrow",
        "A word",
    )


def test_a_label_has_the_colour_and_letter_of_its_place_on_the_scale() -> None:
    scale = Scale("ordinal", ("-1", "-0.5", "0.5", "1"), ordered=True)
    alone, first = label_parts({"1": 3}, scale), label_parts({"1": 1, "-1": 2}, scale)
    assert [(part.letter, part.tone) for part in alone] == [("1", "L-s7")]
    assert [(part.letter, part.tone) for part in first] == [("−1", "L-s1"), ("1", "L-s7")]
    declared = Scale("nominal", ("pass", "hmm", "fail"), indeterminate={"hmm": ("pass", "fail")})
    assert label_parts({"hmm": 1}, declared)[0].tone == "L-mid"


def test_a_bar_above_the_table_shows_what_one_person_rated_as_hatched() -> None:
    bar = stack(coverage_finding().tables[0])
    assert bar is not None
    assert [(part.text, part.tone == "") for part in bar.parts] == [
        ("126", True),
        ("9", False),
        ("27", False),
    ]
    assert bar.label == "Items: 126 by 1 person, 9 by 4 people and 27 by 5 people"
    assert math.isclose(sum(part.share for part in bar.parts), 1)
    assert stack(raters_finding(["ann"]).tables[0]) is None
