"""The golden set holds what people agree on and panels ruled, and nothing else."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from review.studies import begun
from voirdire.errors import UserError
from voirdire.opening import read_table
from voirdire.review.answers import Sent
from voirdire.review.golden import GoldenOptions, GoldenRow, agreed, golden_set, golden_table
from voirdire.review.log import Cell
from voirdire.review.people import invite
from voirdire.review.rulings import Ruling, rule
from voirdire.review.settings import OfferedScale
from voirdire.writers.formats import write_table

SCALE = OfferedScale(
    kind="binary",
    labels=["fail", "borderline", "not sure", "pass"],
    indeterminate={"borderline": ["fail", "pass"], "not sure": ["fail", "pass"]},
)


def rows(*said: str | tuple[str, ...], anchored: bool = False) -> list[dict[str, Any]]:
    return [
        {
            "rater_id": f"R{k}",
            "item_id": "i",
            "metric": "m",
            "labels": [labels] if isinstance(labels, str) and labels else list(labels),
            "anchored": anchored,
        }
        for k, labels in enumerate(said)
    ]


@pytest.mark.parametrize(
    ("said", "share", "label"),
    [
        (("pass", "pass"), 1.0, "pass"),
        (("pass",), 1.0, ""),
        (("pass", ""), 1.0, ""),
        (("pass", "pass", ""), 1.0, "pass"),
        (("pass", "pass", "fail"), 1.0, ""),
        (("pass", "pass", "fail"), 0.6, "pass"),
        (("pass", "pass", "not sure"), 1.0, ""),
        (("pass", "pass", "not sure"), 0.6, "pass"),
        (("borderline", "borderline"), 1.0, ""),
        (("not sure", "not sure"), 1.0, ""),
        ((("fail", "pass"), ("fail", "pass")), 1.0, ""),
        (("pass", "fail"), 0.51, ""),
    ],
)
def test_what_people_agree_on(said: tuple[str, ...], share: float, label: str) -> None:
    found = agreed(rows(*said), {}, {"m": SCALE}, GoldenOptions(share=share))
    assert [one.label for one in found] == ([label] if label else [])


def test_more_labels_can_be_asked_for() -> None:
    assert agreed(rows("pass", "pass"), {}, {"m": SCALE}, GoldenOptions(least=3)) == ()


def test_a_ruling_counts_before_the_labels() -> None:
    said = rows("pass", "pass", "fail", "not sure")
    ruled = {("i", "m"): {"label": "fail"}, ("j", "m"): {"label": "pass"}}
    first, second = agreed(said, ruled, {"m": SCALE})
    assert first == GoldenRow("i", "m", "fail", "ruled", 4, 0.25)
    assert (second.item_id, second.label, second.n_labels) == ("j", "pass", 0)
    assert math.isnan(second.agreement)


def test_what_is_ruled_contested_is_left_out_though_people_agree() -> None:
    assert agreed(rows("pass", "pass"), {("i", "m"): {"label": None}}, {"m": SCALE}) == ()


def test_labels_beside_a_verdict_count_only_where_asked_for() -> None:
    said = rows("pass", "pass", anchored=True)
    assert agreed(said, {}, {"m": SCALE}) == ()
    assert len(agreed(said, {}, {"m": SCALE}, GoldenOptions(anchored=True))) == 1


@pytest.mark.parametrize("options", [{"share": 0.5}, {"share": 1.1}, {"least": 1}])
def test_senseless_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        GoldenOptions(**options)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*SCALE.labels, ""]), max_size=7), st.sampled_from([0.51, 0.6, 0.75, 1.0]))
def test_agreement_is_a_plain_share(said: list[str], share: float) -> None:
    given_labels = [label for label in said if label]
    found = agreed(rows(*said), {}, {"m": SCALE}, GoldenOptions(share=share))
    expected = [
        (label, len(given_labels), given_labels.count(label) / len(given_labels))
        for label in ("fail", "pass")
        if given_labels.count(label) >= 2 and given_labels.count(label) / len(given_labels) >= share
    ]
    assert [(one.label, one.n_labels, one.agreement) for one in found] == expected


def test_the_set_of_a_round_is_written_and_read_again(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), names=("Ann", "Bo"))
    for name, labels in (("Ann", ("pass", "fail", "pass")), ("Bo", ("pass", "fail", "fail"))):
        for k, label in enumerate(labels):
            way.say(name, f"i{k}", "kind", label)
    member = invite(way.desk, way.round.id, "panel", "Pia").link.rater_id
    cell = Cell(way.round.id, member, "i2", "kind")
    rule(way.desk, way.round, cell, Ruling(kind="label", label="fail"), Sent("ruling-1"))
    found = golden_set(way.desk, way.round)
    assert [(one.item_id, one.label, one.source, one.agreement) for one in found] == [
        ("i0", "pass", "agreed", 1.0),
        ("i1", "fail", "agreed", 1.0),
        ("i2", "fail", "ruled", 0.5),
    ]
    for suffix in ("csv", "jsonl", "parquet"):
        table = read_table(write_table(golden_table(found), tmp_path / f"golden.{suffix}"))
        assert list(table.columns) == ["item_id", "metric", "label", "source", "n_labels", "agreement"]
        assert list(table.columns["label"]) == ["pass", "fail", "fail"]
        assert list(table.columns["n_labels"]) == ["2", "2", "2"]
