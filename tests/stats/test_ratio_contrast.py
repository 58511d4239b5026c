"""Weighted sums of clustered ratios: against statsmodels, by hand, and intervals that cover."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from voirdire.stats.clustered_ratios import clustered_ratios
from voirdire.stats.ratio_contrast import ratio_contrast


def test_of_cases_that_are_the_same_it_is_the_paired_t_test() -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(0, 9, (2, 12)).astype(float)
    found = ratio_contrast([1, -1], x, np.full((2, 12), 8.0), level=0.9)
    per_cluster = (x[0] - x[1]) / 8
    reach = student.ppf(0.95, 11) * per_cluster.std(ddof=1) / math.sqrt(12)
    assert found.value == pytest.approx(per_cluster.mean())
    assert (found.low, found.high) == (
        pytest.approx(found.value - reach),
        pytest.approx(found.value + reach),
    )
    assert (found.n_items, found.n_clusters, found.level) == (96, 12, 0.9)


def test_the_error_is_statsmodels_cluster_robust_one() -> None:
    rng = np.random.default_rng(8)
    group = rng.integers(0, 25, 600)
    side = rng.integers(0, 2, 600)
    y = (rng.random(600) < 0.3 + 0.2 * side + 0.3 * (group % 2)).astype(float)
    fit = sm.OLS(y, sm.add_constant(side)).fit(
        cov_type="cluster", cov_kwds={"groups": group, "use_correction": False}
    )
    x, d = (
        np.stack([np.bincount(group[side == k], w[side == k], 25) for k in (1, 0)]) for w in (y, y * 0 + 1)
    )
    found = ratio_contrast([1, -1], x, d)
    assert found.value == pytest.approx(fit.params[1])
    error = (found.high - found.low) / 2 / student.ppf(0.975, 24)
    assert error == pytest.approx(fit.bse[1] * math.sqrt(25 / 24))


def test_one_ratio_alone_has_the_error_of_clustered_ratios() -> None:
    rng = np.random.default_rng(5)
    d = rng.integers(1, 7, 9).astype(float)
    x = rng.binomial(d.astype(int), 0.4).astype(float)
    low, high = clustered_ratios(np.ones((1, 9)), x[:, None], d[:, None]).mean_bounds()
    found = ratio_contrast([1], x[None], d[None])
    assert (found.low, found.high) == (pytest.approx(low.item()), pytest.approx(high.item()))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(2, 5))
def test_contrasts_that_sum_have_values_that_sum(seed: int, clusters: int, ratios: int) -> None:
    rng = np.random.default_rng(seed)
    d = rng.integers(1, 7, (ratios, clusters)).astype(float)
    x = rng.binomial(d.astype(int), 0.4).astype(float)
    weights = rng.normal(size=(3, ratios))
    parts = [ratio_contrast(row, x, d).value for row in weights]
    whole = ratio_contrast(weights.sum(axis=0), x, d)
    assert whole.value == pytest.approx(sum(parts))
    order = rng.permutation(clusters)
    assert ratio_contrast(weights.sum(axis=0), x[:, order], d[:, order]).value == pytest.approx(whole.value)


def test_what_is_undefined_says_why() -> None:
    assert ratio_contrast([1, -1], [[1, 2], [0, 0]], [[2, 2], [0, 0]]).undefined == "no_labels"
    alone = ratio_contrast([1, -1], [[1], [0]], [[2], [2]])
    assert (alone.value, alone.no_interval) == (0.5, "insufficient_items")
    even = ratio_contrast([1, -1], [[1, 1, 1], [0, 0, 0]], [[2, 2, 2], [2, 2, 2]])
    assert (even.value, even.no_interval) == (0.5, "zero_width")


def test_a_cluster_that_only_one_ratio_has_counts() -> None:
    found = ratio_contrast([1, -1], [[1, 2, 0], [2, 1, 1]], [[4, 4, 0], [4, 4, 4]])
    assert found.n_clusters == 3
    assert found.value == pytest.approx(3 / 8 - 4 / 12)


@pytest.mark.coverage_simulation
@pytest.mark.parametrize(("clusters", "shift"), [(8, 0.0), (20, 0.2)])
def test_the_interval_covers(clusters: int, shift: float) -> None:
    """Clusters are drawn; each has its own rate, and its own number of cases on each side."""
    rng = np.random.default_rng(41)
    rates, times = rng.beta(2, 2, 4000) * (1 - shift), 1500
    wanted = shift  # both sides have the clusters' rates, the first shifted
    inside = 0
    for _ in range(times):
        own = rng.choice(rates, clusters)
        d = rng.integers(5, 12, (2, clusters))
        x = rng.binomial(d, np.stack([own + shift, own]))
        found = ratio_contrast([1, -1], x, d, level=0.9)
        inside += found.low <= wanted <= found.high
    error = math.sqrt(0.9 * 0.1 / times)
    assert abs(inside / times - 0.9) < 4 * error
