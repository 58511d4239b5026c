"""Gold items: where they may come from, and each rater's score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from review.studies import UnderWay, begun
from voirdire.errors import UserError
from voirdire.review.gold import (
    GoldItem,
    Score,
    from_reference,
    from_table,
    gold_of,
    scores,
    set_gold,
    to_ask,
)
from voirdire.review.progress import progress
from voirdire.review.round_rows import rows_of
from voirdire.study.column import Column
from voirdire.study.ratings import Source
from voirdire.study.raw import RawTable


@pytest.fixture
def way(tmp_path: Path) -> UnderWay:
    return begun(tmp_path / "study")


def table(**columns: list[str]) -> RawTable:
    n = len(next(iter(columns.values())))
    return RawTable(
        Source("gold.csv"),
        {name: Column.of(values) for name, values in columns.items()},
        np.arange(2, n + 2),
        True,
    )


def test_each_rater_is_scored_on_what_they_answered(way: UnderWay) -> None:
    set_gold(way.desk, way.round, [GoldItem(f"i{k}", "kind", "pass") for k in range(4)])
    for item, label in (
        ("i0", "pass"),
        ("i1", "fail"),
        ("i2", "borderline"),
        ("i3", "not sure"),
        ("i4", "fail"),
    ):
        way.say("Ann", item, "kind", label)
    way.say("Bo", "i0", "kind")
    way.say("Bo", "i1", "kind", "pass")
    found = progress(way.round, rows_of(way.desk, way.round.id)).raters
    assert [one.gold for one in found] == [Score(1, 3), Score(1, 1), Score()]
    assert np.isnan(Score().share)


def test_a_set_is_right_where_it_holds_the_known_label(way: UnderWay) -> None:
    known = [{"item_id": "i0", "metric": "kind", "label": "pass"}]
    said = [{"rater_id": "R1", "item_id": "i0", "metric": "kind", "labels": ["fail", "pass"]}]
    assert scores(known, said, way.round.settings.scales) == {"R1": Score(1, 1)}


def test_gold_is_read_from_a_table_and_the_same_twice_counts_once(way: UnderWay) -> None:
    rows = from_table(
        way.desk, way.round, table(item_id=["i0", "i1"], metric=["kind", "clear"], label=["pass", "4"])
    )
    assert set_gold(way.desk, way.round, [*rows, *rows]) == 2
    assert set_gold(way.desk, way.round, rows) == 0
    assert gold_of(way.desk, way.round.id) == [GoldItem("i1", "clear", "4"), GoldItem("i0", "kind", "pass")]


def test_a_round_of_one_metric_needs_no_column_of_metrics(tmp_path: Path) -> None:
    way = begun(tmp_path / "study", metrics=("kind",))
    assert from_table(way.desk, way.round, table(item_id=["i0"], label=["fail"])) == [
        GoldItem("i0", "kind", "fail")
    ]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"item_id": ["i0"], "label": ["pass"]}, "gold.csv: no column 'metric'"),
        ({"item_id": ["i9"], "metric": ["kind"], "label": ["pass"]}, "gold.csv, row 2: no item 'i9'"),
        ({"item_id": ["i0"], "metric": ["better"], "label": ["tie"]}, "no metric 'better' in this round"),
        ({"item_id": ["i0", "i1"], "metric": ["kind"] * 2, "label": ["pass", "ok"]}, "row 3: no label 'ok'"),
        ({"item_id": ["i0"], "metric": ["kind"], "label": ["not sure"]}, "no label 'not sure'"),
    ],
)
def test_what_cannot_be_gold_is_said_by_row(way: UnderWay, columns: dict[str, list[str]], said: str) -> None:
    with pytest.raises(UserError, match=said):
        from_table(way.desk, way.round, table(**columns))


def test_a_gold_label_stays_as_it_was_set(way: UnderWay) -> None:
    set_gold(way.desk, way.round, [GoldItem("i0", "kind", "pass")])
    with pytest.raises(UserError, match="has the gold label 'pass'"):
        set_gold(way.desk, way.round, [GoldItem("i1", "kind", "pass"), GoldItem("i0", "kind", "fail")])
    assert len(gold_of(way.desk, way.round.id)) == 1


def test_a_reference_of_the_study_gives_gold(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    begun(folder).desk.store.close()
    (folder / "known.csv").write_text("item_id,metric,label\ni0,kind,pass\ni1,kind,fail\ni1,better,tie\n")
    yaml = (folder / "study.yaml").read_text()
    entry = "  - {file: known.csv, set: {rater_id: handbook, rater_kind: reference}}\n"
    (folder / "study.yaml").write_text(yaml.replace("metrics:\n", f"{entry}metrics:\n", 1))
    from voirdire.review.desk import open_desk

    desk = open_desk(folder)
    round_ = desk.rounds()[0]
    assert from_reference(desk, round_, "handbook") == [
        GoldItem("i0", "kind", "pass"),
        GoldItem("i1", "kind", "fail"),
    ]
    with pytest.raises(UserError, match="no reference rater 'tone-judge'"):
        from_reference(desk, round_, "tone-judge")


def test_everybody_is_asked_but_nobody_for_their_own_work(way: UnderWay) -> None:
    items = [GoldItem("i0", "kind", "pass"), GoldItem("i1", "kind", "pass")]
    wanted = to_ask(way.desk, items, ["Ann", "omega-9b"])
    assert [(one.rater_id, one.item_id) for one in wanted] == [
        ("Ann", "i0"),
        ("Ann", "i1"),
        ("omega-9b", "i1"),
    ]
