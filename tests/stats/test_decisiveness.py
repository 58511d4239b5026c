"""Decisiveness: the exponent of the beta fit comes back, pairs may be turned round, and what is undefined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import curve_fit
from scipy.stats import beta

from voirdire.errors import UserError
from voirdire.stats import decided_win_rate, decisiveness

PEOPLE = np.array([0.1, 0.25, 0.45, 0.6, 0.72, 0.9])


@pytest.mark.parametrize("exponent", [0.2, 0.7, 1.0, 1.8, 6.0])
def test_a_planted_exponent_comes_back(exponent: float) -> None:
    judge = beta(exponent, exponent).cdf(PEOPLE)  # JuStRank's fit, by scipy's distribution
    assert decided_win_rate(PEOPLE, exponent) == pytest.approx(judge)
    assert decisiveness(PEOPLE, judge).value == pytest.approx(exponent, rel=1e-4)


def test_it_is_the_least_squares_fit(rng: np.random.Generator) -> None:
    judge = np.clip(beta(2, 2).cdf(PEOPLE) + rng.normal(0, 0.05, 6), 0, 1)
    weights = np.array([3, 1, 4, 1, 5, 9.0])

    def fitted(x: Any, /, a: float) -> Any:
        return beta(a, a).cdf(x)

    (expected,), _ = curve_fit(fitted, PEOPLE, judge, p0=[1.5], sigma=1 / np.sqrt(weights), xtol=1e-12)
    assert decisiveness(PEOPLE, judge, weights=weights).value == pytest.approx(expected, rel=1e-4)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.05, 0.95), st.floats(0.05, 0.95)), min_size=4, max_size=12),
    st.integers(0, 2**31),
)
def test_turning_pairs_round_or_their_order_changes_nothing(
    pairs: list[tuple[float, float]], seed: int
) -> None:
    human, judge = np.array(pairs).T
    rng = np.random.default_rng(seed)
    turned, order = rng.random(len(pairs)) < 0.5, rng.permutation(len(pairs))
    one = decisiveness(human, judge)
    other = decisiveness(np.where(turned, 1 - human, human)[order], np.where(turned, 1 - judge, judge)[order])
    assert one.undefined == other.undefined
    assert other.value == pytest.approx(one.value, rel=1e-3, nan_ok=True)


def test_a_weight_of_nought_leaves_a_pair_out() -> None:
    judge = decided_win_rate(PEOPLE, 2.0)
    judge[0] = 0.99
    weights = np.array([0, 1, 1, 1, 1, 1.0])
    assert decisiveness(PEOPLE, judge, weights=weights) == decisiveness(PEOPLE[1:], judge[1:])


@pytest.mark.parametrize(
    ("human", "judge", "reason"),
    [
        ([0.2, 0.7], [0.1, 0.8], "insufficient_systems"),
        ([0.5, 0.5, 0.5], [0.1, 0.8, 0.3], "no_variation"),
        ([0.2, 0.3, 0.9], [0.0, 0.0, 1.0], "not_identifiable"),  # sharper than any exponent
        ([0.2, 0.3, 0.9], [0.5, 0.5, 0.5], "not_identifiable"),  # flatter than any
    ],
)
def test_what_is_undefined(human: list[float], judge: list[float], reason: str) -> None:
    assert decisiveness(human, judge).undefined == reason


@pytest.mark.parametrize(
    ("human", "judge", "weights"),
    [([0.2, 1.2, 0.3], [0.1, 0.2, 0.3], None), ([0.2, 0.3], [0.1], None), ([0.2] * 3, [0.3] * 3, [1, -1, 1])],
)
def test_mistakes(human: list[float], judge: list[float], weights: list[float] | None) -> None:
    with pytest.raises(UserError):
        decisiveness(human, judge, weights=weights)
