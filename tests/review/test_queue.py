"""What goes to the panel and why, against plain counting."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.review.queue import REASONS, left_open, reasons_of
from voirdire.review.settings import OfferedScale

BINARY = OfferedScale(
    kind="binary",
    labels=["fail", "borderline", "not sure", "pass"],
    indeterminate={"borderline": ["fail", "pass"], "not sure": ["fail", "pass"]},
    added=["borderline", "not sure"],
)
ORDERED = OfferedScale(
    kind="ordinal",
    labels=["1", "2", "not sure", "3", "4"],
    ordered=True,
    indeterminate={"not sure": ["1", "2", "3", "4"]},
    added=["not sure"],
)


def row(rater: str, *labels: str, item: str = "i", metric: str = "m", challenge: str = "") -> dict[str, Any]:
    return {
        "rater_id": rater,
        "item_id": item,
        "metric": metric,
        "labels": list(labels),
        "challenge": challenge,
    }


@pytest.mark.parametrize(
    ("labels", "reasons"),
    [
        (["pass", "pass"], ()),
        (["pass"], ()),
        (["pass", "fail"], ("tied",)),
        (["pass", "pass", "fail"], ("split",)),
        (["pass", "not sure"], ("unsure",)),
        (["borderline", "borderline"], ("borderline",)),
        (["pass", "fail", "borderline", "not sure"], ("tied", "unsure", "borderline")),
    ],
)
def test_reasons_without_an_order(labels: list[str], reasons: tuple[str, ...]) -> None:
    assert reasons_of([row(str(k), label) for k, label in enumerate(labels)], BINARY) == reasons


@pytest.mark.parametrize(
    ("labels", "reasons"),
    [
        (["1", "1", "2"], ()),  # one step apart, and a majority
        (["2", "2", "3"], ()),  # one step: "not sure" between them is no step
        (["1", "1", "3"], ("split",)),
        (["1", "1", "2", "3"], ("split",)),
        (["1", "2"], ("tied",)),
        (["1", "1", "2", "2"], ("tied",)),
        (["1", "1", "1", "2", "not sure"], ("unsure",)),
    ],
)
def test_reasons_with_an_order(labels: list[str], reasons: tuple[str, ...]) -> None:
    assert reasons_of([row(str(k), label) for k, label in enumerate(labels)], ORDERED) == reasons


def test_half_the_votes_are_no_majority() -> None:
    votes = ["1", "1", "2", "3"]
    assert "split" in reasons_of([row(str(k), label) for k, label in enumerate(votes)], ORDERED)
    near = ["2", "2", "1", "3"]
    assert "split" in reasons_of([row(str(k), label) for k, label in enumerate(near)], ORDERED)


def test_the_same_set_is_agreement_and_a_skip_says_nothing() -> None:
    both = ("fail", "pass")
    assert reasons_of([row("a", *both), row("b", *both)], BINARY) == ()
    assert reasons_of([row("a", *both), row("b", "pass")], BINARY) == ("tied",)
    assert reasons_of([row("a"), row("b", "pass")], BINARY) == ()
    assert reasons_of([row("a"), row("b")], BINARY) == ()


def test_what_somebody_calls_ambiguous_is_looked_at() -> None:
    rows = [row("a", "pass", challenge="ambiguous"), row("b", "pass", challenge="unclear")]
    assert reasons_of(rows, BINARY) == ("contested",)


def test_items_wait_for_the_labels_that_are_on_their_way() -> None:
    answers = [row("a", "pass"), row("b", "fail")]
    asked = [("a", "i", "m"), ("b", "i", "m"), ("c", "i", "m")]
    assert left_open(answers, asked, {"m": BINARY}) == ()
    [found] = left_open(answers, asked, {"m": BINARY}, unfinished=True)
    assert (found.reasons, found.n_labels, found.n_asked, found.waits) == (("tied",), 2, 3, True)
    assert left_open(answers, asked[:2], {"m": BINARY})[0].n_asked == 2


def test_the_most_urgent_comes_first_and_what_is_ruled_last() -> None:
    answers = [
        *(row(rater, "pass" if rater == "a" else "fail", item="ruled") for rater in "ab"),
        *(row(rater, "borderline", item="between") for rater in "ab"),
        *(row(rater, "pass", item="settled") for rater in "ab"),
        *(row(rater, label, item="tied") for rater, label in zip("ab", ("pass", "fail"), strict=True)),
        *(
            row(rater, label, item="split")
            for rater, label in zip("abc", ("pass", "pass", "fail"), strict=True)
        ),
        row("a", "pass", item="tied and more"),
        row("b", "fail", item="tied and more", challenge="ambiguous"),
    ]
    asked = [(one["rater_id"], one["item_id"], "m") for one in answers]
    ruled = {("ruled", "m"): {"ruling": "contested"}}
    found = left_open(answers, asked, {"m": BINARY}, rulings=ruled)
    assert [one.item_id for one in found] == ["tied and more", "tied", "split", "between", "ruled"]
    assert [one.waits for one in found] == [True] * 4 + [False]


def test_a_ruling_on_a_settled_item_stays_in_the_list() -> None:
    answers = [row("a", "pass"), row("b", "pass")]
    [found] = left_open(answers, [], {"m": BINARY}, rulings={("i", "m"): {"ruling": "label"}})
    assert (found.reasons, found.waits) == ((), False)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*ORDERED.labels, ""]), max_size=6), st.booleans())
def test_reasons_are_those_of_a_plain_count(labels: list[str], ambiguous: bool) -> None:
    rows = [row(str(k), *([label] if label else [])) for k, label in enumerate(labels)]
    if rows and ambiguous:
        rows[0]["challenge"] = "ambiguous"
    votes = [int(label) for label in labels if label.isdigit()]
    counts = Counter(votes)
    most = max(counts.values(), default=0)
    ahead = [label for label, count in counts.items() if count == most]
    apart = max((abs(a - b) for a, b in combinations(votes, 2)), default=0)
    expected = {
        "tied": len(ahead) > 1,
        "split": len(ahead) == 1 and len(counts) > 1 and (apart > 1 or most <= len(votes) / 2),
        "unsure": "not sure" in labels,
        "borderline": False,
        "contested": bool(rows) and ambiguous,
    }
    assert reasons_of(rows, ORDERED) == tuple(reason for reason in REASONS if expected[reason])
    assert reasons_of(rows[::-1], ORDERED) == reasons_of(rows, ORDERED)
