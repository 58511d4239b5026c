"""Position consistency and the first answer's share of wins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from voirdire.errors import UserError
from voirdire.stats.position import FIRST, SECOND, TIE, first_win_share, position_consistency


def test_the_four_ways_a_swap_can_end() -> None:
    shown = [FIRST, SECOND, TIE, FIRST, SECOND, TIE, FIRST, -1]
    swapped = [SECOND, FIRST, TIE, FIRST, SECOND, FIRST, -1, TIE]
    both = position_consistency(shown, swapped)
    assert both.consistent.value == pytest.approx(3 / 6)
    assert both.flipped.value == pytest.approx(3 / 6)
    assert both.favours_first.value == both.favours_second.value == pytest.approx(1 / 6)
    assert both.consistent.n_items == 6
    # of the 12 verdicts 9 have a winner, 5 of them the answer shown first
    assert both.first_share.value == pytest.approx(5 / 9)
    assert both.first_share.n_ratings == 9


@settings(max_examples=60, deadline=None)
@given(arrays(np.int64, st.tuples(st.just(2), st.integers(1, 40)), elements=st.integers(-1, 2)))
def test_exchanging_the_orders_or_the_places_mirrors_the_result(verdicts: np.ndarray) -> None:
    shown, swapped = verdicts
    base, other = position_consistency(shown, swapped), position_consistency(swapped, shown)
    assert repr(base) == repr(other)  # from Python 3.13 on, NaN in a field differs from itself
    mirror = {FIRST: SECOND, SECOND: FIRST, TIE: TIE, -1: -1}
    turned = position_consistency([mirror[v] for v in shown], [mirror[v] for v in swapped])
    assert repr(turned.consistent) == repr(base.consistent)
    assert repr(turned.favours_first) == repr(base.favours_second)
    if base.first_share.undefined is None:
        assert turned.first_share.value == pytest.approx(1 - base.first_share.value)
        assert turned.first_share.low == pytest.approx(1 - base.first_share.high)
        assert base.first_share.low < base.first_share.high


def test_undefined_and_mistakes() -> None:
    none = position_consistency([FIRST, -1], [-1, TIE])
    assert none.consistent.undefined == none.first_share.undefined == "no_pairable_items"
    assert first_win_share([TIE, TIE]).undefined == "no_labels"
    with pytest.raises(UserError, match="code"):
        first_win_share([3])
    with pytest.raises(UserError, match="verdicts"):
        position_consistency([FIRST], [FIRST, SECOND])


def test_a_judge_that_is_consistent_still_gets_an_interval() -> None:
    both = position_consistency([FIRST, SECOND] * 20, [SECOND, FIRST] * 20)
    assert both.first_share.value == 0.5
    assert both.first_share.low < 0.5 < both.first_share.high


def test_verdicts_of_one_cluster_do_not_count_as_independent() -> None:
    verdicts, cluster = np.repeat([FIRST, SECOND, FIRST, FIRST, SECOND, FIRST], 20), np.repeat(range(6), 20)
    alone, together = first_win_share(verdicts), first_win_share(verdicts, cluster=cluster)
    assert together.high - together.low > 2 * (alone.high - alone.low)
    assert together.n_clusters == 6


@pytest.mark.coverage_simulation
def test_first_share_covers_the_truth() -> None:
    rng = np.random.default_rng(8)
    hits = {}
    for name, probabilities in {
        "biased": [0.30, 0.25, 0.15, 0.10, 0.20],
        "fair": [0.10, 0.35, 0.35, 0.10, 0.10],
    }.items():
        outcomes = np.array(
            [[FIRST, FIRST], [FIRST, SECOND], [SECOND, FIRST], [SECOND, SECOND], [TIE, FIRST]]
        )
        p = np.array(probabilities)
        truth = (p @ (outcomes == FIRST).sum(1)) / (p @ (outcomes != TIE).sum(1))
        covered = []
        for _ in range(1000):
            verdicts = outcomes[rng.choice(5, 80, p=p)]
            share = position_consistency(*verdicts.T).first_share
            covered.append(share.low <= truth <= share.high)
        hits[name] = np.mean(covered)
    assert 0.93 < hits["biased"] < 0.98, hits
    assert hits["fair"] > 0.93, hits
