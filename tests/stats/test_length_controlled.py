"""Length-controlled win rate: logistic regression, refusal where no fit exists, properties, coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit

from voirdire.errors import UserError
from voirdire.stats import LengthControlled, length_controlled_win_rate


def drawn(
    seed: int, n: int = 400, theta: float = 0.3, phi: float = 1.0, psi: float = 0.8
) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    gap = rng.normal(60, 150, n)
    hard = rng.normal(0, 1, n)
    p = expit(theta + phi * np.tanh(gap / gap.std()) + psi * hard)
    return [(rng.random(n) < p).astype(float), gap, hard]


def design(gap: np.ndarray, hard: np.ndarray) -> np.ndarray:
    return np.column_stack([np.ones(len(gap)), np.tanh(gap / gap.std()), hard - hard.mean()])


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_coefficients_and_errors_are_those_of_logistic_regression(seed: int) -> None:
    won, gap, hard = drawn(seed)
    cluster = np.arange(400) // 2
    x = design(gap, hard)
    known = sm.Logit(won, x).fit(
        disp=0, tol=1e-12, cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": False}
    )
    found = length_controlled_win_rate(won, gap, difficulty=hard, cluster=cluster)
    assert found.difficulty is not None
    effects = [found.length, found.difficulty]
    assert [one.value for one in effects] == pytest.approx(known.params[1:], abs=1e-7)
    reach = 1.9719565442493954  # Student's t of 199 degrees of freedom
    errors = [(one.high - one.value) / reach for one in effects]
    assert errors == pytest.approx(known.bse[1:] * math.sqrt(200 / 199), rel=1e-6)
    x[:, 1] = 0
    assert found.controlled.value == pytest.approx(expit(x @ known.params).mean(), abs=1e-9)
    assert found.gradient < 1e-9


def test_the_error_of_the_rate_is_that_of_leaving_clusters_out() -> None:
    won, gap, hard = drawn(1, n=300)
    full = length_controlled_win_rate(won, gap, difficulty=hard)
    # the jackknife holds the unit of length fixed, as the interval does
    unit = gap.std()
    left = []
    for one in range(300):
        keep = np.arange(300) != one
        x = np.column_stack([np.ones(299), np.tanh(gap[keep] / unit), hard[keep]])
        beta = sm.Logit(won[keep], x).fit(disp=0, tol=1e-10).params
        x[:, 1] = 0
        left.append(expit(x @ beta).mean())
    jackknife = math.sqrt(299 / 300 * ((np.array(left) - np.mean(left)) ** 2).sum())
    p, reach = full.controlled.value, 1.9679 * jackknife
    ends = [expit(logit(p) + sign * reach / (p * (1 - p))) for sign in (-1, 1)]
    assert [full.controlled.low, full.controlled.high] == pytest.approx(ends, abs=1e-3)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.01, 100), st.permutations(range(60)))
def test_units_of_length_and_the_order_of_items_change_nothing(
    seed: int, unit: float, order: list[int]
) -> None:
    won, gap, hard = drawn(seed, n=60)
    base = length_controlled_win_rate(won, gap, difficulty=hard)
    other = length_controlled_win_rate(won[order], unit * gap[order], difficulty=5 + 2 * hard[order])
    assert other.controlled.undefined == base.controlled.undefined
    assert other.controlled.value == pytest.approx(base.controlled.value, abs=1e-8, nan_ok=True)
    assert other.length.value == pytest.approx(base.length.value, abs=1e-6, nan_ok=True)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_swapping_the_two_sides_turns_the_rate_around(seed: int) -> None:
    won, gap, hard = drawn(seed, n=80)
    base = length_controlled_win_rate(won, gap, difficulty=hard)
    other = length_controlled_win_rate(1 - won, -gap, difficulty=-hard)
    assert other.controlled.value == pytest.approx(1 - base.controlled.value, abs=1e-8, nan_ok=True)
    assert other.length.value == pytest.approx(base.length.value, abs=1e-6, nan_ok=True)


def test_a_tie_is_half_a_win_and_half_a_loss() -> None:
    won, gap, _ = drawn(2, n=100)
    tied = won.copy()
    tied[:30] = 0.5
    found = length_controlled_win_rate(tied, gap)
    x = np.column_stack([np.ones(100), np.tanh(gap / gap.std())])
    twice = np.concatenate([np.where(tied == 0.5, 1, tied), np.where(tied == 0.5, 0, tied)])
    known = sm.Logit(twice, np.vstack([x, x])).fit(disp=0, tol=1e-12)
    assert found.length.value == pytest.approx(known.params[1], abs=1e-8)
    assert found.win_rate.value == pytest.approx(tied.mean())


def test_a_large_coefficient_is_climbed_to_its_end() -> None:
    """A fit that stops early finds a length coefficient of 3 here; the gradient vanishes beyond 15."""
    rng = np.random.default_rng(3)
    gap = rng.normal(0, 1, 3000)
    won = (rng.random(3000) < expit(18 * np.tanh(gap / gap.std()))).astype(float)
    found = length_controlled_win_rate(won, gap)
    assert found.length.low < 18 < found.length.high
    assert found.length.value > 15
    assert found.gradient < 1e-8


def reasons(found: LengthControlled) -> set[str | None]:
    return {found.controlled.undefined, found.length.undefined}


def test_no_fit_is_refused_with_its_reason() -> None:
    gap = np.linspace(-1, 1, 20)
    parted = length_controlled_win_rate((gap > 0).astype(float), gap)
    assert reasons(parted) == {"separated"}
    assert parted.win_rate.value == 0.5
    ties_between = np.where(np.abs(gap) < 0.2, 0.5, gap > 0)
    assert reasons(length_controlled_win_rate(ties_between, gap)) == {None}
    assert reasons(length_controlled_win_rate(np.ones(20), gap)) == {"no_variation"}
    alternating = np.arange(20) % 2
    assert reasons(length_controlled_win_rate(alternating, np.full(20, 7.0))) == {"no_variation"}
    same = length_controlled_win_rate(alternating, gap, difficulty=np.tanh(gap / gap.std()))
    assert reasons(same) == {"singular"}
    assert same.difficulty is not None
    assert same.difficulty.undefined == "singular"
    empty = length_controlled_win_rate([], [])
    assert (empty.win_rate.undefined, *reasons(empty)) == ("no_labels", "no_labels")


def test_nearly_parted_outcomes_still_have_a_fit() -> None:
    gap = np.linspace(-1, 1, 40)
    won = (gap > 0).astype(float)
    won[[19, 20]] = won[[20, 19]]
    found = length_controlled_win_rate(won, gap)
    assert reasons(found) == {None}
    assert found.length.value > 10


def test_one_cluster_has_no_interval() -> None:
    won, gap, _ = drawn(4, n=50)
    found = length_controlled_win_rate(won, gap, cluster=np.zeros(50))
    assert found.controlled.no_interval == found.length.no_interval == "insufficient_items"


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="lengths"):
        length_controlled_win_rate([1, 0], [1.0])
    with pytest.raises(UserError, match="outside 0 to 1"):
        length_controlled_win_rate([2, 0], [1.0, 2.0])
    with pytest.raises(UserError, match="missing"):
        length_controlled_win_rate([1, 0], [1.0, math.nan])


@pytest.mark.coverage_simulation
def test_interval_covers_the_rate_at_equal_length() -> None:
    """Two verdicts an item share its difficulty; 60 items, a length effect of 1."""
    rng = np.random.default_rng(5)
    cluster = np.repeat(np.arange(60), 2)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    truth = float((weights * expit(0.3 + 0.8 * nodes)).sum() / weights.sum())
    covered = []
    for _ in range(600):
        gap = rng.normal(0.4, 1, 120)
        hard = rng.normal(0, 1, 60)[cluster]
        p = expit(0.3 + 1.0 * np.tanh(gap / math.sqrt(1.0)) + 0.8 * hard)
        won = (rng.random(120) < p).astype(float)
        found = length_controlled_win_rate(won, gap, difficulty=hard, cluster=cluster).controlled
        covered.append(found.low <= truth <= found.high)
    assert 0.92 < np.mean(covered) < 0.98
