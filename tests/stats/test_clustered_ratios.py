"""Ratios of clustered cases: against statsmodels and a jackknife, and intervals that cover."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.stats import t as student

from voirdire.stats.clustered import ratio_standard_error
from voirdire.stats.clustered_ratios import clustered_ratios
from voirdire.stats.proportion import wilson_interval

Floats = np.ndarray


def cells(rng: np.random.Generator, clusters: int, columns: int) -> tuple[Floats, Floats]:
    d = rng.integers(0, 7, (clusters, columns)).astype(float)
    return np.asarray(rng.binomial(d.astype(int), 0.4), dtype=float), d


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 12))
def test_every_cell_is_the_ratio_of_its_own_clusters(seed: int, clusters: int) -> None:
    rng = np.random.default_rng(seed)
    x, d = cells(rng, clusters, 3)
    member = (rng.random((4, clusters)) < 0.6).astype(float)
    found = clustered_ratios(csr_array(member), x, d)
    for cell in range(4):
        for column in range(3):
            mine = member[cell] > 0
            own_x, own_d = x[mine, column], d[mine, column]
            assert found.n[cell, column] == own_d.sum()
            assert found.clusters[cell, column] == (own_d > 0).sum()
            if not own_d.sum():
                assert np.isnan(found.value[cell, column])
                continue
            error, _ = ratio_standard_error(own_x, own_d, np.arange(len(own_x)))
            np.testing.assert_allclose(found.value[cell, column], own_x.sum() / own_d.sum())
            np.testing.assert_allclose(found.error[cell, column], error, atol=1e-9)


def test_the_error_is_statsmodels_cluster_robust_one() -> None:
    rng = np.random.default_rng(8)
    group = np.repeat(np.arange(30), rng.integers(1, 9, 30))
    y = (rng.random(group.size) < 0.3 + 0.4 * (group % 2)).astype(float)
    fit = sm.OLS(y, np.ones(y.size)).fit(
        cov_type="cluster", cov_kwds={"groups": group, "use_correction": False}
    )
    found = clustered_ratios(
        np.ones((1, 30)), np.bincount(group, y)[:, None], np.bincount(group)[:, None].astype(float)
    )
    assert found.error.item() == pytest.approx(fit.bse[0] * np.sqrt(30 / 29))
    low, high = found.mean_bounds(level=0.9)
    reach = student.ppf(0.95, 29) * found.error.item()
    assert (low.item(), high.item()) == (
        pytest.approx(found.value.item() - reach),
        pytest.approx(found.value.item() + reach),
    )


def test_many_clusters_of_one_case_give_wilsons_interval() -> None:
    x = np.zeros((5000, 1))
    x[:1500] = 1
    low, high = clustered_ratios(np.ones((1, 5000)), x, np.ones((5000, 1))).share_bounds()
    wanted = wilson_interval(1500, 5000)
    assert (low.item(), high.item()) == (
        pytest.approx(float(wanted[0]), abs=1e-5),
        pytest.approx(float(wanted[1]), abs=1e-5),
    )


def test_cases_that_are_all_alike_are_as_many_as_their_clusters() -> None:
    d = np.full((8, 1), 50.0)
    low, high = clustered_ratios(np.ones((1, 8)), np.zeros((8, 1)), d).share_bounds()
    t = student.ppf(0.975, 7)
    assert low.item() == 0
    assert high.item() == pytest.approx(t**2 / (8 + t**2))


def test_the_effective_number_of_cases_is_never_above_the_real_one() -> None:
    # every cluster is split evenly: no spread between them, and still no certainty
    d = np.full((40, 1), 2.0)
    low, high = clustered_ratios(np.ones((1, 40)), np.ones((40, 1)), d).share_bounds()
    assert high.item() - low.item() > 0.2


def test_one_cluster_and_none_have_no_interval() -> None:
    found = clustered_ratios(
        np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0], [0.0]]), np.array([[2.0], [0.0]])
    )
    low, high = found.share_bounds()
    assert found.value[:, 0].tolist() == [0.5, pytest.approx(np.nan, nan_ok=True)]
    assert np.isnan(low).all()
    assert np.isnan(high).all()


def test_a_mean_without_spread_has_no_interval_and_bounds_are_cut() -> None:
    still = clustered_ratios(np.ones((1, 3)), np.ones((3, 1)), np.ones((3, 1)))
    assert np.isnan(still.mean_bounds()[0]).all()
    wide = clustered_ratios(np.ones((1, 2)), np.array([[1.0], [0.0]]), np.ones((2, 1)))
    low, high = wide.mean_bounds(least=-1, most=1)
    assert (low.item(), high.item()) == (-1, 1)


def covered(rng: np.random.Generator, clusters: int, mean: float, size: float, times: int) -> float:
    """How often the interval holds the mean that beta-distributed clusters of uneven size have."""
    alpha, beta = mean * size, (1 - mean) * size
    n = rng.integers(2, 12, (clusters, times))
    x = rng.binomial(n, rng.beta(alpha, beta, (clusters, times)))
    low, high = clustered_ratios(np.ones((1, clusters)), x.astype(float), n.astype(float)).share_bounds()
    return float(((low <= mean) & (mean <= high)).mean())


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("clusters", [3, 8, 26, 100])
@pytest.mark.parametrize(("mean", "size"), [(0.5, 2.0), (0.3, 5.0), (0.9, 5.0), (0.95, 20.0)])
def test_share_intervals_cover(clusters: int, mean: float, size: float) -> None:
    """Of 95 in 100, at least 93.5 less the error of 2,000 draws, from three clusters up."""
    times = 2000
    found = covered(np.random.default_rng([clusters, int(100 * mean)]), clusters, mean, size, times)
    assert found >= 0.935 - 2 * np.sqrt(0.95 * 0.05 / times)
