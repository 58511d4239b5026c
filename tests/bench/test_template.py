"""The template: three parts, typed, versioned by content, counted once people have checked it (P01, P03)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bench.benches import metric
from voirdire.bench.template import MetricTemplate, Reviewed

WHOLE = metric("m1").model_dump(mode="json", by_alias=True)
PARTS = [
    ("justification", "construct"),
    ("justification", "literature"),
    ("justification", "evidence"),
    ("scenario", "user"),
    ("scenario", "model_knows"),
    ("scenario", "message"),
    ("scoring", "question"),
    ("scoring", "present"),
    ("scoring", "absent"),
]


def without(part: str, key: str) -> dict[str, Any]:
    return {**WHOLE, part: {name: value for name, value in WHOLE[part].items() if name != key}}


def review(of: MetricTemplate, **more: Any) -> dict[str, Any]:
    whole = {"by": "Ann", "date": "2026-11-29", "version": of.version}
    return {**whole, "fidelity": True, "clarity": True, "observability": True, **more}


def reviewed(*reviews: dict[str, Any], **more: Any) -> MetricTemplate:
    return MetricTemplate.model_validate({**WHOLE, "reviews": list(reviews), **more})


@pytest.mark.parametrize(("part", "key"), PARTS)
def test_each_part_is_needed(part: str, key: str) -> None:
    with pytest.raises(ValidationError) as problem:
        MetricTemplate.model_validate(without(part, key))
    assert [error["loc"] for error in problem.value.errors()] == [(part, key)]


@pytest.mark.parametrize("value", ["true", "false", "yes", 1, 0])
def test_a_review_holds_truth_values_and_no_words_for_them(value: Any) -> None:
    with pytest.raises(ValidationError, match="valid boolean"):
        Reviewed.model_validate(review(metric("m1"), fidelity=value))


@pytest.mark.parametrize("value", ["Positive", "pos", "", 1, None, True])
def test_polarity_is_one_of_two_words(value: Any) -> None:
    with pytest.raises(ValidationError, match=r"positive.*negative"):
        MetricTemplate.model_validate({**WHOLE, "polarity": value})


def test_a_metric_counts_once_its_version_passed_a_review() -> None:
    mine = metric("m1")
    assert mine.reviewed is None
    assert reviewed(review(mine)).reviewed is not None
    assert reviewed(review(mine, version="0123456789ab")).reviewed is None
    assert reviewed(review(mine, clarity=False)).reviewed is None
    assert reviewed(review(mine), draft=True).reviewed is None


def test_the_last_review_of_a_version_counts() -> None:
    mine = metric("m1")
    assert reviewed(review(mine), review(mine, observability=False)).reviewed is None
    assert reviewed(review(mine, observability=False), review(mine)).reviewed is not None


def test_the_version_is_of_what_is_checked_and_of_nothing_else() -> None:
    mine = metric("m1")
    accepted = MetricTemplate.model_validate({**WHOLE, "accepted": {"intention": "quoted"}})
    assert reviewed(review(mine), draft=True).version == mine.version == accepted.version
    assert accepted.parts == mine.parts


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(PARTS), st.text(st.characters(categories=("L", "N")), min_size=1, max_size=9))
def test_any_edit_makes_another_version_and_names_its_part(place: tuple[str, str], words: str) -> None:
    part, key = place
    now = MetricTemplate.model_validate({**WHOLE, part: {**WHOLE[part], key: f"{words}, edited"}})
    before = metric("m1")
    assert now.version != before.version
    assert [name for name in now.parts if now.parts[name] != before.parts[name]] == [part]


def test_a_date_is_read_as_yaml_has_it() -> None:
    from datetime import date

    assert Reviewed.model_validate(review(metric("m1"), date=date(2026, 11, 29))).date == "2026-11-29"
    with pytest.raises(ValidationError):
        Reviewed.model_validate(review(metric("m1"), date="last week"))


def test_one_text_may_stand_for_a_list() -> None:
    assert metric("m1").justification.literature == ["l"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"scenarios": [WHOLE["scenarios"][0]] * 2}, "two scenarios of one id"),
        ({"scenarios": []}, "at least 1"),
        ({"metric": "../m1"}, "pattern"),
        ({"polarty": "negative"}, "Extra inputs"),
    ],
)
def test_what_cannot_be_meant_is_refused(more: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        MetricTemplate.model_validate({**WHOLE, **more})


@pytest.mark.parametrize("turns", [[2, 2], [1], ["2"], [2.5], [True]])
def test_moves_stand_at_turns_of_their_own_after_the_opening(turns: list[Any]) -> None:
    moves = [{"turn": turn, "name": "insists", "say": "Do it."} for turn in turns]
    with pytest.raises(ValidationError):
        MetricTemplate.model_validate({**WHOLE, "scenarios": [{**WHOLE["scenarios"][0], "moves": moves}]})
