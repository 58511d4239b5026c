"""Results answer by node, kind, system and variant, and are JSON that follows its published schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from bench.made import drawn, made, rated
from voirdire.bench.aggregate import About, AggregateOptions, results_of
from voirdire.bench.contestants import Player
from voirdire.bench.results import LIMITATIONS, Asked, Results
from voirdire.bench.schema import results_schema
from voirdire.errors import UserError

SUITE = tuple(rated(f"m{code}", "negative" if code % 2 else "positive") for code in range(8))
PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "schema" / "bench-1.json"
QUICK = AggregateOptions(draws=200)


@pytest.fixture(scope="module")
def results() -> Results:
    outcomes = drawn(np.random.default_rng(1), SUITE, 3, 2, 2, 2, missing=0.1)
    about = About(
        "Made",
        "made up",
        Asked("J", "small-1", "small", "v1", "binary_rubric"),
        Player("user", "small-2", "small"),
        (Player("sys0", "small-1", "small"), Player("sys1", "large", "other")),
    )
    return results_of(outcomes, about, QUICK)


def results_without_a_verdict() -> Results:
    return results_of(made(np.full((2, 2, 1, 1, 1), -1), SUITE[:2], axes=({},)), About("x"), QUICK)


def results_that_do_not_count() -> Results:
    waiting = (rated("m1", counts=False), rated("m2", "negative", counts=False))
    return results_of(made(np.ones((2, 2, 2, 2, 1)), waiting), About("x"), QUICK)


@pytest.fixture(scope="module")
def schema() -> Any:
    jsonschema.Draft202012Validator.check_schema(results_schema())
    return jsonschema.Draft202012Validator(results_schema())


def test_results_follow_their_schema(results: Results, schema: Any) -> None:
    for one in (results, results_without_a_verdict(), results_that_do_not_count()):
        schema.validate(json.loads(json.dumps(one.to_dict(), allow_nan=False)))
    told = results.to_dict()
    assert not schema.is_valid({**told, "schema": "voirdire-bench/2"})
    assert not schema.is_valid({**told, "extra": 1})
    assert not schema.is_valid({name: value for name, value in told.items() if name != "rates"})


def test_the_published_schema_is_this_one() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == results_schema()


def test_figures_are_found_by_name(results: Results) -> None:
    node = results.node("A", "S", "B", "m3")
    rate = results.rate(node.id, "negative", system="sys1", variant="age=teen")
    assert rate is not None
    assert (rate.node, rate.system, rate.variant) == (node.id, "sys1", "age=teen")
    assert results.rate(node.id, "positive") is None
    assert results.gap(node.id) is None
    assert results.ranking("positive") is not None
    assert results.node() == results.nodes[0]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"node": "gone"}, "no node 'gone'"),
        ({"system": "gone"}, "no system 'gone'"),
        ({"variant": "gone"}, "no variant 'gone'"),
    ],
)
def test_a_name_that_is_not_there_is_an_error_and_no_empty_answer(
    results: Results, asked: dict[str, str], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        results.rate(**asked)
    with pytest.raises(UserError, match="no node A > gone"):
        results.node("A", "gone")


def test_contestants_are_flagged(results: Results) -> None:
    assert "◆ sys0 and the judge are related: itself." in str(results)
    assert [(one.system, one.role, one.relation) for one in results.contestants] == [
        ("sys0", "judge", "itself"),
        ("sys0", "simulated user", "same family"),
    ]


def test_what_is_printed_holds_rates_missing_verdicts_and_both_limitations(results: Results) -> None:
    text = str(results)
    for word in ("sys0", "positive (%)", "missing", *LIMITATIONS, "unparsed", "leave the denominator"):
        assert word in text
    assert "No metric counts yet" in str(results_that_do_not_count())
    assert "undefined" in str(results_without_a_verdict())


def test_nothing_that_does_not_count_is_in_a_headline() -> None:
    found = results_that_do_not_count()
    assert {rate.node for rate in found.rates} == {node.id for node in found.nodes if node.level == "metric"}
    assert not found.rankings
    assert not found.gaps


@pytest.mark.parametrize("wrong", [{"level": 2}, {"draws": 1}, {"seed": -1}, {"runs": 0}])
def test_options_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        AggregateOptions(**wrong)


def test_a_judge_of_other_conversations_is_named_and_left_out() -> None:
    outcomes = drawn(np.random.default_rng(2), SUITE, 3, 2, 2, 2)
    part = outcomes.take(outcomes.metric < 4)
    found = results_of(outcomes, About("x"), QUICK, other_judges=[part, outcomes])
    assert any("1 further judge was asked about other conversations" in note for note in found.notes)
    (split, _) = found.variance
    assert {one.level: one for one in split.components}["judge"].variance.undefined is None


@pytest.mark.parametrize("rows", [[0], [0, 1], [0, 24], list(range(24)), [3, 30, 77]])
def test_however_little_there_is_figures_are_made_and_follow_the_schema(
    rows: list[int], results: Results, schema: Any
) -> None:
    few = results_of(results.outcomes.take(np.array(rows)), About("x"), QUICK)
    schema.validate(json.loads(json.dumps(few.to_dict(), allow_nan=False)))
    assert few.counts["conversations"] == len(rows)
    assert str(few)


def test_nothing_at_all_is_an_error(results: Results) -> None:
    with pytest.raises(UserError, match="no conversation to aggregate"):
        results_of(results.outcomes.take(np.array([], dtype=int)), About("x"), QUICK)


def test_metrics_that_the_judge_was_not_asked_about_are_said() -> None:
    outcomes = made(np.ones((2, 2, 2, 2, 1)), SUITE[:2])
    found = results_of(outcomes.take(outcomes.metric == 0), About("x"), QUICK)
    assert any("1 of 2 metrics that count have no conversation" in note for note in found.notes)
    whole = results_of(outcomes, About("x"), QUICK)
    assert not any("have no conversation" in note for note in whole.notes)
