"""The selective threshold: its bounds, its walk, and how often it breaks its word."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from voirdire.errors import UserError
from voirdire.stats.selective import (
    calibration_size,
    clopper_pearson_bound,
    hoeffding_bentkus_bound,
    selective_threshold,
    threshold_grid,
)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.01, 0.3))
def test_the_exact_bound_is_the_end_of_a_two_sided_interval(count: tuple[int, int], delta: float) -> None:
    r, m = count
    upper = proportion_confint(r, m, 2 * delta, method="beta")[1]
    assert clopper_pearson_bound(r, m, delta=delta) == pytest.approx(upper, abs=1e-9)


@pytest.mark.parametrize(("r", "m"), [(0, 15), (1, 3), (2, 7), (3, 12)])
def test_the_exact_bound_is_the_largest_rate_that_is_not_ruled_out(r: int, m: int) -> None:
    """Exact fractions: just below the bound P(Bin(m, R) <= r) is at least delta, just above it is not."""

    def tail(rate: Fraction) -> Fraction:
        return sum((math.comb(m, k) * rate**k * (1 - rate) ** (m - k) for k in range(r + 1)), Fraction(0))

    bound = clopper_pearson_bound(r, m, delta=0.1)
    assert tail(Fraction(bound - 1e-9)) >= Fraction(1, 10) > tail(Fraction(bound + 1e-9))


def test_the_bound_for_losses_is_that_of_bates_et_al() -> None:
    """A scan of their p-value, written out, over a fine grid of rates."""
    losses = np.random.default_rng(3).beta(0.5, 3, 80)
    total, n = float(losses.sum()), 80
    rates = np.arange(total / n, 1, 1e-5)
    mean = total / n
    kl = mean * np.log(mean / rates) + (1 - mean) * np.log((1 - mean) / (1 - rates))
    p = np.minimum(np.exp(-n * kl), math.e * binom.cdf(math.ceil(total), n, rates))
    largest = rates[p >= 0.05].max()
    assert hoeffding_bentkus_bound(total, n, delta=0.05) == pytest.approx(largest, abs=2e-5)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.01, 0.3))
def test_the_bound_for_losses_is_never_below_the_exact_one(errors: int, right: int, delta: float) -> None:
    n = errors + right
    exact = clopper_pearson_bound(errors, n, delta=delta)
    assert hoeffding_bentkus_bound(errors, n, delta=delta) >= exact - 1e-9


def _by_hand(
    confidence: np.ndarray, errors: np.ndarray, grid: np.ndarray, alpha: float, delta: float
) -> float:
    """The walk as the paper words it."""
    chosen = math.inf
    for level in grid:
        over = confidence >= level
        m, r = int(over.sum()), int(errors[over].sum())
        if binom.cdf(r, m, alpha) > delta:
            break
        chosen = level
    return chosen


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.05, 0.15, 0.3]), st.sampled_from([0.05, 0.1, 0.2]))
def test_the_walk_stops_before_the_first_threshold_that_fails(seed: int, alpha: float, delta: float) -> None:
    rng = np.random.default_rng(seed)
    confidence = rng.random(300).round(int(rng.integers(1, 4)))
    errors = (rng.random(300) < 0.4 * (1 - confidence)).astype(float)
    grid = np.unique(rng.random(20).round(2))[::-1]
    found = selective_threshold(confidence, errors, thresholds=grid, alpha=alpha, delta=delta)
    assert found.threshold == _by_hand(confidence, errors, grid, alpha, delta)
    order = rng.permutation(300)
    again = selective_threshold(confidence[order], errors[order], thresholds=grid, alpha=alpha, delta=delta)
    assert found == again


def test_nothing_is_trusted_where_the_strictest_threshold_fails() -> None:
    """The published code falls back to the strictest threshold here, and so promises what it has refuted."""
    confidence = np.r_[np.full(30, 0.9), np.full(300, 0.5)]
    errors = np.r_[np.tile([1.0, 0.0], 15), np.zeros(300)]
    found = selective_threshold(confidence, errors, thresholds=[0.9, 0.5], alpha=0.15)
    assert found.abstains
    assert found.steps == ()
    assert found.failed is not None
    assert found.failed.errors == 15


def test_without_items_thresholds_or_confidence_nothing_is_trusted() -> None:
    for n, grid in ((0, [0.5]), (40, [])):
        assert selective_threshold(np.ones(n), np.zeros(n), thresholds=grid, alpha=0.1).abstains
    unknown = np.r_[np.full(40, np.nan), np.ones(10)]
    found = selective_threshold(unknown, np.zeros(50), thresholds=[0.0], alpha=0.1)
    assert found.failed is not None
    assert found.failed.n == 10


def test_the_grid_starts_where_a_test_can_pass_and_no_later_than_the_whole() -> None:
    reference = np.random.default_rng(1).random(5000)
    for n in (10, 40, 200, 5000):
        grid = threshold_grid(reference, n=n, alpha=0.1)
        share = float((reference >= grid[0]).mean())
        assert share == pytest.approx(min(1, max(65 / n, 0.2)), abs=1e-3)
        assert grid[-1] == reference.min()
    assert threshold_grid([0.7, 0.7, 0.3], n=100, alpha=0.1).tolist() == [0.7, 0.3]
    assert threshold_grid([np.nan], n=100, alpha=0.1).size == 0
    assert threshold_grid([np.nan, np.nan, 0.9, 0.1], n=200, alpha=0.15).tolist() == [0.9, 0.1]


def test_the_grid_starts_where_the_promise_is_safest() -> None:
    """Beside a plain search over every share for the largest number of standard errors below alpha."""
    confidence = np.random.default_rng(2).permutation(np.linspace(0, 1, 501))
    risk = 0.4 * (1 - confidence) ** 2 + 0.3 * (confidence > 0.95)
    order = np.argsort(-confidence)
    shares = np.arange(1, 502) / 501
    z = (0.15 - np.cumsum(risk[order]) / np.arange(1, 502)) * np.sqrt(shares)
    z[shares * 300 < 1.5 * 15] = -1
    best = confidence[order][z.argmax()]
    assert threshold_grid(confidence, n=300, alpha=0.15, risk=risk)[0] == pytest.approx(best, abs=0.005)
    for nothing in (np.full(501, 0.2), np.full(501, np.nan)):
        plain = threshold_grid(confidence, n=300, alpha=0.15)
        assert threshold_grid(confidence, n=300, alpha=0.15, risk=nothing).tolist() == plain.tolist()


def test_the_calibration_size_is_the_smallest_with_that_power() -> None:
    for rate, alpha, delta in ((0.05, 0.15, 0.1), (0.02, 0.1, 0.05), (0.25, 0.3, 0.1)):
        m = np.arange(1, 400)
        most = np.array(
            [np.flatnonzero(binom.cdf(np.arange(k + 1), k, alpha) <= delta).max(initial=-1) for k in m]
        )
        power = np.where(most >= 0, binom.cdf(most, m, rate), 0.0)
        assert calibration_size(rate, alpha=alpha, delta=delta) == m[power >= 0.8].min()
    assert calibration_size(0.15, alpha=0.15) == math.inf
    assert calibration_size(0.1499, alpha=0.15) == math.inf


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"errors": [0, 2]}, "outside 0 to 1"),
        ({"errors": [0, 0.5]}, "hoeffding_bentkus"),
        ({"errors": [0, 1, 1]}, "one of each"),
        ({"errors": [0, np.nan]}, "outside"),
        ({"thresholds": [0.1, 0.5]}, "strictest first"),
        ({"method": "wald"}, "wald"),
        ({"alpha": 0}, "alpha"),
        ({"delta": 1}, "delta"),
    ],
)
def test_mistakes_are_named(arguments: dict[str, object], words: str) -> None:
    given = {"errors": [0, 1], "thresholds": [0.5, 0.1], "alpha": 0.1, **arguments}
    with pytest.raises(UserError, match=words):
        selective_threshold([0.2, 0.9], **given)  # type: ignore[arg-type]


@pytest.mark.coverage_simulation
@pytest.mark.parametrize(("alpha", "delta"), [(0.05, 0.1), (0.15, 0.1), (0.3, 0.05)])
@pytest.mark.parametrize("shape", ["falling", "flat", "bands"])
def test_the_promise_breaks_in_at_most_delta_of_draws(alpha: float, delta: float, shape: str) -> None:
    """1,000 calibration draws of 150 items; the true rate above every threshold is known exactly."""
    rng = np.random.default_rng(int(1000 * alpha) + len(shape))
    cells = np.linspace(1, 0, 50)
    wrong = {
        "falling": alpha * 2.6 * (1 - cells),
        "flat": np.full(50, alpha * 1.01),
        "bands": np.where(np.arange(50) // 8 % 2, 0.2 * alpha, 2.2 * alpha),
    }[shape]
    rate = np.cumsum(wrong) / np.arange(1, 51)
    grid = threshold_grid(cells, n=150, alpha=alpha, delta=delta)
    broken = 0
    for _ in range(1000):
        cell = rng.integers(0, 50, 150)
        found = selective_threshold(
            cells[cell], rng.random(150) < wrong[cell], thresholds=grid, alpha=alpha, delta=delta
        )
        broken += not found.abstains and rate[int((cells >= found.threshold).sum()) - 1] > alpha
    assert broken <= 1000 * delta + 2.33 * math.sqrt(1000 * delta * (1 - delta))
