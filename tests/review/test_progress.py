"""Where a round stands: each figure against counting by hand, on made rounds and on random rows."""

from __future__ import annotations

import itertools
import statistics
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from review.studies import UnderWay, begun
from voirdire.review.assigning import withdraw
from voirdire.review.closing import close
from voirdire.review.desk import Round
from voirdire.review.log import Cell
from voirdire.review.progress import Progress, progress
from voirdire.review.round_rows import RoundRows, rows_of
from voirdire.review.settings import OfferedScale, RoundSettings
from voirdire.review.standing import standing_tables

SCALE = OfferedScale(
    kind="binary",
    labels=["fail", "pass", "borderline", "not sure"],
    indeterminate={"borderline": ["fail", "pass"], "not sure": ["fail", "pass"]},
    added=["not sure"],
)
ROUND = Round(
    "round-1",
    RoundSettings(title="r", metrics=["a", "b"], scales={"a": SCALE, "b": SCALE}),
    "2026-11-29T10:00:00+00:00",
    closed=False,
)
RATERS, ITEMS = ("R1", "R2", "R10"), ("i0", "i1", "i2", "i3")
CELLS = list(itertools.product(RATERS, ITEMS, ("a", "b")))


def standing(way: UnderWay) -> Progress:
    return progress(way.desk.round(way.round.id), rows_of(way.desk, way.round.id))


def answer(
    cell: tuple[str, str, str], labels: list[str], challenge: str, seconds: float | None
) -> dict[str, Any]:
    rater, item, metric = cell
    return {
        "rater_id": rater,
        "item_id": item,
        "metric": metric,
        "labels": labels,
        "status": "ok" if labels else "skip",
        "challenge": challenge,
        "seconds": seconds,
        "late": False,
    }


@st.composite
def rounds(draw: st.DrawFn) -> RoundRows:
    asked = draw(st.lists(st.sampled_from(CELLS), unique=True))
    answered = draw(st.lists(st.sampled_from(CELLS), unique=True))
    answers = [
        answer(
            cell,
            draw(st.lists(st.sampled_from(SCALE.labels), max_size=1)),
            draw(st.sampled_from(["", "none", "unclear", "ambiguous"])),
            draw(st.none() | st.floats(0, 1000)),
        )
        for cell in answered
    ]
    return RoundRows(
        [dict(zip(("rater_id", "item_id", "metric"), cell, strict=True)) for cell in asked], answers
    )


@given(rows=rounds())
@settings(max_examples=60, deadline=None)
def test_every_figure_is_what_counting_gives(rows: RoundRows) -> None:
    found = progress(ROUND, rows)
    cells = {(row["rater_id"], row["item_id"], row["metric"]) for row in [*rows.asked, *rows.answers]}
    labels = [row for row in rows.answers if row["labels"]]
    assert found.planned == len(cells)
    assert (found.labels, found.skips) == (len(labels), len(rows.answers) - len(labels))
    assert found.left == len(cells) - len(rows.answers)
    for one in found.metrics:
        mine = [row for row in labels if row["metric"] == one.metric]
        asked = {item for _, item, metric in cells if metric == one.metric}
        by_item = [sum(row["item_id"] == item for row in mine) for item in asked]
        expected = tuple(by_item.count(n) for n in (0, 1, 2))
        assert one.coverage[:3] == expected
        assert one.coverage[3] == sum(n >= 3 for n in by_item)
        assert one.unsure == sum(row["labels"] == ["not sure"] for row in mine)
        assert one.borderline == sum(row["labels"] == ["borderline"] for row in mine)
        said = [row["challenge"] for row in mine if row["challenge"]]
        assert one.main_challenge[1] == max(map(said.count, said), default=0)
    for person in found.raters:
        own = [row for row in labels if row["rater_id"] == person.rater_id]
        times = [row["seconds"] for row in own if row["seconds"] is not None]
        assert person.seconds == (statistics.median(times) if times else None)
        assert person.labels == len(own)
        assert person.assigned == sum(rater == person.rater_id for rater, _, _ in cells)
    for (i, first), (j, second) in itertools.product(enumerate(found.shared.raters), repeat=2):
        both = [
            (item, metric)
            for item, metric in itertools.product(ITEMS, ("a", "b"))
            if all(
                any(
                    row["rater_id"] == one and (row["item_id"], row["metric"]) == (item, metric)
                    for row in labels
                )
                for one in (first, second)
            )
        ]
        assert found.shared.given[i][j] == len(both)
        wanted = [
            cell for cell in CELLS if cell[0] == first and cell in cells and (second, *cell[1:]) in cells
        ]
        assert found.shared.planned[i][j] == len(wanted)


def test_raters_stand_in_the_order_of_their_numbers() -> None:
    asked = [{"rater_id": name, "item_id": "i0", "metric": "a"} for name in ("R10", "Zoe", "R2")]
    assert progress(ROUND, RoundRows(asked, [])).shared.raters == ("R2", "R10", "Zoe")


@pytest.fixture
def way(tmp_path: Path) -> UnderWay:
    return begun(tmp_path / "study")


def test_the_last_answer_counts_and_a_skip_is_done_but_no_label(way: UnderWay) -> None:
    way.say("Ann", "i0", "kind", "pass", challenge="unclear")
    way.say("Ann", "i0", "kind", "borderline", challenge="ambiguous")
    way.say("Ann", "i1", "kind")
    found = standing(way)
    kind, ann = found.metrics[0], found.raters[0]
    assert (found.planned, found.labels, found.skips, found.left) == (36, 1, 1, 34)
    assert (kind.borderline, kind.main_challenge) == (1, ("ambiguous", 1))
    assert (ann.done, ann.labels, ann.skips, ann.assigned) == (2, 1, 1, 12)
    assert ann.seen


def test_an_answer_after_closing_is_late_and_leaves_the_earlier_one_standing(way: UnderWay) -> None:
    way.say("Ann", "i0", "kind", "pass")
    close(way.desk, way.round)
    assert way.say("Ann", "i0", "kind", "fail").late
    assert way.say("Bo", "i0", "kind", "fail").late
    found = standing(way)
    assert (found.labels, found.late) == (1, 2)


def test_what_was_withdrawn_is_not_planned_but_what_was_done_before_stays(way: UnderWay) -> None:
    way.say("Ann", "i0", "kind", "pass")
    for item in ("i0", "i1"):
        withdraw(way.desk, Cell(way.round.id, way.people["Ann"].link.rater_id, item, "kind"))
    found = standing(way)
    assert (found.planned, found.raters[0].assigned, found.raters[0].done) == (35, 11, 1)


def test_raters_who_are_asked_for_nothing_in_common_are_told(tmp_path: Path) -> None:
    asked = [
        {"rater_id": name, "item_id": item, "metric": "a"} for name, item in (("R1", "i0"), ("R2", "i1"))
    ]
    found = progress(ROUND, RoundRows(asked, []))
    assert found.shared.apart == [("R1", "R2")]
    assert found.shared.least == 0


def test_the_tables_behind_hold_the_same_figures(way: UnderWay) -> None:
    way.say("Ann", "i0", "kind", "pass", challenge="none")
    way.say("Bo", "i0", "kind", "not sure")
    found = standing(way)
    tables = standing_tables(found, {})
    coverage = tables["coverage"]
    assert coverage.numbers["items_with_2"].tolist() == [1, 0]
    assert coverage.numbers["not_sure"].tolist() == [1, 0]
    assert tables["raters"].numbers["done"].tolist() == [1, 1, 0]
    assert tables["shared"].numbers["labelled"].tolist() == [1, 0, 0]
    assert tables["shared"].numbers["planned"].tolist() == [12, 12, 12]


def test_a_round_without_assignments_has_empty_tables() -> None:
    tables = standing_tables(progress(ROUND, RoundRows([], [])), {})
    assert {name: len(table) for name, table in tables.items()} == {"coverage": 2, "raters": 0, "shared": 0}
