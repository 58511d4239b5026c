"""The verdict rule itself: what intervals of a difference decide, why, and what would settle the rest."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.checks.one_more import cautious, one_more
from voirdire.checks.scales import Weighing
from voirdire.checks.stand_in_rule import decide, items_needed, reach_needed, reason, rule
from voirdire.stats import REASONS, Coded, Estimate, judge_against_people, undefined

MARGIN = 0.10
IDENTITY: Weighing = {"weights": "identity", "by": "value"}


def difference(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, low, high)


def test_yes_needs_the_whole_interval_above_the_margin_under_every_policy() -> None:
    assert decide([difference(-0.09, 0.2), difference(-0.05, 0.1)], MARGIN) == "yes"
    assert decide([difference(-0.09, 0.2), difference(-0.11, 0.1)], MARGIN) == "cannot tell"


def test_no_needs_the_whole_interval_below_nought_under_every_policy() -> None:
    assert decide([difference(-0.4, -0.1), difference(-0.3, -0.01)], MARGIN) == "no"
    assert decide([difference(-0.4, -0.1), difference(-0.3, 0.01)], MARGIN) == "cannot tell"


def test_slightly_worse_within_the_margin_is_yes() -> None:
    assert decide([difference(-0.08, -0.01)], MARGIN) == "yes"


@pytest.mark.parametrize(
    "differences",
    [
        [],
        [undefined("no_variation")],
        [Estimate(0.0, no_interval="zero_width")],
        [difference(0, 1), undefined("no_labels")],
    ],
)
def test_anything_undefined_is_cannot_tell(differences: list[Estimate]) -> None:
    assert decide(differences, MARGIN) == "cannot tell"


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-2, 2), st.floats(0, 2)).map(lambda pair: difference(pair[0], pair[0] + pair[1])),
        min_size=1,
        max_size=4,
    ),
    st.floats(0, 0.9),
)
def test_more_policies_never_turn_an_open_question_into_an_answer(
    found: list[Estimate], margin: float
) -> None:
    every = decide(found, margin)
    if every != "cannot tell":
        # what holds under every policy holds under any one of them, unless that one allows the kinder word
        assert all(decide([one], margin) in (every, "yes") for one in found)


@settings(max_examples=100, deadline=None)
@given(st.floats(-1, 1), st.floats(0.01, 1), st.integers(2, 200))
def test_reasons_have_at_most_ten_words(value: float, width: float, n: int) -> None:
    people = [Estimate(0.1, 0.0, 0.2)]
    for found in (
        [difference(value - width, value + width)],
        [difference(-width, -0.01), difference(-0.02, width)],
    ):
        assert len(reason(found, people, n, MARGIN).split()) <= 10


@pytest.mark.parametrize("why", sorted(set(REASONS) - {"zero_width"}))  # an interval lacks that, not a value
def test_undefined_reasons_have_at_most_ten_words(why: str) -> None:
    assert len(reason([undefined(why)], [Estimate(0.5, 0.4, 0.6)], 12, MARGIN).split()) <= 10


def test_the_reason_names_what_is_in_the_way() -> None:
    people = [Estimate(0.5, 0.3, 0.7)]
    barely = [Estimate(0.1, -0.1, 0.3)]
    wide = [difference(-0.5, 0.3)]
    assert reason(wide, barely, 9, MARGIN) == "9 items; people barely agree"
    assert (
        reason([difference(-0.5, 0.3), difference(-0.2, 0.6)], people, 9, MARGIN)
        == "9 items; sign depends on mapping"
    )
    assert reason(wide, people, 9, MARGIN) == "9 items; interval −0.50 to 0.30"


def test_items_needed_shrinks_the_widest_policy_to_the_margin() -> None:
    z = 1.959964
    found = [Estimate(0.0, -z * error, z * error) for error in (0.15, 0.25)]
    needed = items_needed(found, [0.15, 0.25], 40, MARGIN)
    assert needed is not None
    assert z * 0.25 * math.sqrt(40 / needed) == pytest.approx(MARGIN, rel=1e-2)


def test_what_an_added_item_contributes_shrinks_with_the_number_of_items() -> None:
    needed = items_needed([Estimate(0.0, -0.3, 0.3)], [0.0], 40, MARGIN)
    assert needed == 120


def test_a_narrow_interval_at_the_edge_needs_the_distance_to_the_nearer_end() -> None:
    needed = items_needed([Estimate(-0.05, -0.05 - 0.0784, -0.05 + 0.0784)], [0.04], 100, MARGIN)
    assert needed is not None
    assert 1.959964 * 0.04 * math.sqrt(100 / needed) <= 0.05


@settings(max_examples=100, deadline=None)
@given(st.floats(-0.5, 0.5), st.floats(0.001, 1), st.floats(0, 1), st.integers(2, 500), st.floats(0, 0.5))
def test_what_settles_an_open_answer_is_more_than_there_is(
    value: float, width: float, share: float, n: int, margin: float
) -> None:
    found = [Estimate(value, value - width, value + width)]
    if decide(found, margin) == "cannot tell":
        needed = items_needed(found, [share * width / 1.96], n, margin)
        assert needed is None or needed > n


def test_an_answer_that_is_near_needs_few_items_more() -> None:
    """The lower bound lies just below the margin: a little more settles it, and not the margin's width."""
    found = [Estimate(0.05, -0.102, 0.202)]
    needed = items_needed(found, [0.152 / 1.959964], 220, MARGIN)
    assert needed is not None
    assert needed <= 226
    assert reach_needed(found, 220, MARGIN) == (pytest.approx(0.15), True)


def test_an_interval_of_the_margins_width_is_not_said_to_settle_what_it_would_not() -> None:
    assert reach_needed([Estimate(-0.05, -0.35, 0.25)], 220, MARGIN) == (0.10, False)


def test_a_difference_on_few_items_is_not_planned_upon() -> None:
    far = [Estimate(0.5, -0.15, 1.15)]
    assert reach_needed(far, 8, MARGIN) == (0.10, False)
    assert reach_needed(far, 80, MARGIN)[1]


def test_an_answer_that_a_mapping_decides_says_so() -> None:
    found = [Estimate(-0.11, -0.18, -0.04), Estimate(-0.03, -0.11, 0.05)]
    assert decide(found, MARGIN) == "cannot tell"
    assert reason(found, [Estimate(0.43)], 407, MARGIN) == "407 items; answer depends on mapping"


def test_a_yes_says_where_people_barely_agree() -> None:
    why = reason([Estimate(0.02, -0.05, 0.09)], [Estimate(0.05)], 300, MARGIN)
    assert why == "difference at least −0.05, above −0.10; people barely agree"


def test_no_number_of_items_settles_a_difference_on_the_edge() -> None:
    assert (
        items_needed([Estimate(-0.10, -0.15, -0.05), Estimate(0.0, -0.05, 0.05)], [0.02, 0.02], 100, MARGIN)
        is None
    )


def test_the_rule_prints_its_margin() -> None:
    assert "above −0.10" in rule(0.10)
    assert "above 0.00" in rule(0.0)


def test_a_perfect_match_on_few_items_is_no_answer_and_on_many_is_yes() -> None:
    for n, answer in ((20, "cannot tell"), (200, "yes")):
        labels = np.arange(n) % 2
        people = Coded.from_matrix(np.stack([labels, labels], axis=1), categories=[0, 1])
        pair = judge_against_people(people, labels, rng=np.random.default_rng(1))
        assert not pair.difference.has_interval
        exact = cautious(pair, one_more(people, labels, IDENTITY, level=0.95), 0.95)
        assert exact.low < 0 <= exact.high
        assert decide([exact], MARGIN) == answer


def test_one_more_contradiction_lowers_the_lower_bound_alone() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 60)
    noisy = np.where(rng.random((60, 3)) < 0.9, truth[:, None], 1 - truth[:, None])
    people = Coded.from_matrix(noisy.astype(float), categories=[0, 1])
    pair = judge_against_people(people, truth, rng=rng)
    found = cautious(pair, one_more(people, truth, IDENTITY, level=0.95), 0.95)
    assert found.value == pair.difference.value
    assert found.high == pair.difference.high
    assert found.low < pair.difference.low


@pytest.mark.parametrize(("said", "disagreement"), [([0, 1, 0, 3], 1 / 9), ([2, 1, 0, 3], 8 / 9)])
def test_the_added_item_contradicts_as_usual_and_is_a_cluster_of_its_own(
    said: list[int], disagreement: float
) -> None:
    """A judge never wrong is off by one label on the added item, one that was off by two is so again."""
    ratings = [[1.0, 1.0], [2.0, 2.0], [1.0, 1.0], [4.0, 4.0]]
    people = Coded.from_matrix(ratings, categories=[1, 2, 3, 4], cluster=["a", "a", "b", "b"])
    harder = one_more(people, np.array(said), {"weights": "quadratic", "by": "rank"}, level=0.95)
    assert harder.n_items == 5
    assert harder.n_clusters == 3
    assert harder.judge_agreement.value == pytest.approx(1 - disagreement / 5)
