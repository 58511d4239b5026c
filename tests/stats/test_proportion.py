"""Shares and their intervals beside statsmodels, at the edges, and their exact coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from voirdire.errors import UserError
from voirdire.stats.proportion import clopper_pearson_interval, proportion, wilson_interval

counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(max_examples=100, deadline=None)
@given(counts, st.sampled_from([0.8, 0.95, 0.999]))
def test_bounds_equal_statsmodels(count: tuple[int, int], level: float) -> None:
    x, n = count
    for ours, theirs in ((wilson_interval, "wilson"), (clopper_pearson_interval, "beta")):
        low, high = proportion_confint(x, n, 1 - level, method=theirs)
        found = ours(x, n, level=level)
        assert float(found[0]) == pytest.approx(max(low, 0), abs=1e-9)
        assert float(found[1]) == pytest.approx(min(high, 1), abs=1e-9)


def test_no_cases_is_undefined_and_ends_are_closed() -> None:
    assert proportion(0, 0).undefined == "no_labels"
    assert math.isnan(float(wilson_interval(0, 0)[0]))
    for method in ("wilson", "clopper_pearson"):
        none, every = proportion(0, 12, method=method), proportion(12, 12, method=method)
        assert none.low == 0
        assert every.high == 1
        assert 0 < none.high < 1
        assert none.high == pytest.approx(1 - every.low)


def test_a_tiny_tail_is_not_lost() -> None:
    upper = float(clopper_pearson_interval(0, 1000, level=1 - 1e-7)[1])
    assert upper == pytest.approx(1 - (1e-7 / 2) ** (1 / 1000), abs=1e-9)
    low = float(clopper_pearson_interval(5, 1000, level=1 - 1e-7)[1])
    assert upper < low < 0.05


def test_arrays_broadcast() -> None:
    low, high = wilson_interval([0, 5, 10], 10)
    assert low.shape == high.shape == (3,)
    assert np.allclose(low, 1 - high[::-1])


@pytest.mark.parametrize(("x", "n"), [(3, 2), (-1, 2), (float("nan"), 2)])
def test_impossible_counts_are_refused(x: float, n: float) -> None:
    with pytest.raises(UserError, match="count"):
        wilson_interval(x, n)


def test_an_unknown_interval_is_refused() -> None:
    with pytest.raises(UserError, match="agresti"):
        proportion(1, 2, method="agresti")


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("n", [10, 50, 200])
def test_exact_coverage(n: int) -> None:
    p = np.linspace(0.02, 0.98, 97)
    mass = binom.pmf(np.arange(n + 1)[:, None], n, p)

    def coverage(bounds: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        low, high = (bound[:, None] for bound in bounds)
        return (mass * ((low <= p) & (p <= high))).sum(0)

    assert (coverage(clopper_pearson_interval(np.arange(n + 1), n)) >= 0.95 - 1e-9).all()
    wilson = coverage(wilson_interval(np.arange(n + 1), n))
    assert wilson.mean() == pytest.approx(0.95, abs=0.01)
    assert wilson.min() > 0.83
