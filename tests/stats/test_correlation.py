"""Correlations, concordance, limits of agreement and Kendall's W: peers, edges and coverage."""

from __future__ import annotations

import importlib
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from voirdire.errors import UserError
from voirdire.stats.bland_altman import bland_altman
from voirdire.stats.concordance import concordance_correlation
from voirdire.stats.correlation import kendall_tau_b, pearson, spearman
from voirdire.stats.kendall_w import kendall_w

CORRELATIONS = (pearson, spearman, kendall_tau_b)
tied_pairs = arrays(
    np.float64, st.tuples(st.integers(2, 40), st.just(2)), elements=st.integers(0, 5).map(float)
)


@settings(max_examples=100, deadline=None)
@given(tied_pairs)
def test_values_equal_scipy(pairs: np.ndarray) -> None:
    x, y = pairs.T
    peers = (scipy.stats.pearsonr, scipy.stats.spearmanr, scipy.stats.kendalltau)
    for ours, theirs in zip(CORRELATIONS, peers, strict=True):
        found = ours(x, y)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert found.undefined == "no_variation"
        else:
            assert found.value == pytest.approx(theirs(x, y).statistic, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(5, 40), st.just(2)), elements=st.floats(-5, 5, width=16)))
def test_pearson_interval_equals_scipy(pairs: np.ndarray) -> None:
    x, y = pairs.T
    found = pearson(x, y)
    two_valued = len(set(x)) == 2 and len(set(y)) == 2
    if found.undefined is None and found.has_interval and not two_valued:
        theirs = scipy.stats.pearsonr(x, y).confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx(tuple(theirs), abs=1e-7)


@pytest.mark.parametrize("statistic", [*CORRELATIONS, concordance_correlation])
def test_edges_say_why(statistic) -> None:
    assert statistic([1], [2]).undefined == "insufficient_items"
    assert statistic([1, 1, 1, 1], [1, 1, 1, 1]).undefined == "no_variation"
    assert statistic([1, 2, 3], [1, 3, 2]).no_interval == "insufficient_items"
    line = list(range(8))
    perfect = statistic(line, line)
    assert perfect.value == pytest.approx(1)
    assert perfect.no_interval == "zero_width"
    nan = math.nan
    gaps = statistic([1, 2, nan, 4, 5, 7, 6], [2, 1, 3, nan, 6, 5, 8])
    assert gaps.value == statistic([1, 2, 5, 7, 6], [2, 1, 6, 5, 8]).value
    assert gaps.n_items == 5
    with pytest.raises(UserError, match="shapes"):
        statistic([1, 2], [1, 2, 3])


@settings(max_examples=60, deadline=None)
@given(tied_pairs)
def test_concordance_is_at_most_the_correlation_and_symmetric(pairs: np.ndarray) -> None:
    x, y = pairs.T
    ccc, r = concordance_correlation(x, y), pearson(x, y)
    if ccc.undefined is None and r.undefined is None:
        assert abs(ccc.value) <= abs(r.value) + 1e-12
        assert ccc.value == pytest.approx(concordance_correlation(y, x).value)
        turned = concordance_correlation(-x, -y)
        assert (ccc.low, ccc.high) == pytest.approx((turned.low, turned.high), nan_ok=True)


def test_a_shift_lowers_concordance_and_not_correlation() -> None:
    x = np.arange(10.0)
    assert pearson(x, x + 3 + 0.1 * (-1) ** x).value > 0.99
    assert concordance_correlation(x, x + 3).value == pytest.approx(2 * 8.25 / (2 * 8.25 + 9))


def test_bland_altman_edges() -> None:
    one = bland_altman([3], [1])
    assert one.bias.value == 2
    assert one.bias.no_interval == one.lower_limit.undefined == "insufficient_items"
    assert bland_altman([], []).bias.undefined == "insufficient_items"
    constant = bland_altman([2, 3, 4], [1, 2, 3])
    assert constant.bias.value == constant.upper_limit.value == 1
    assert constant.bias.no_interval == "zero_width"
    there, back = bland_altman([1, 5, 3, 9], [2, 3, 4, 4]), bland_altman([2, 3, 4, 4], [1, 5, 3, 9])
    assert there.upper_limit.high == pytest.approx(-back.lower_limit.low)


def test_large_sample_limits_meet_the_exact_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    difference = np.random.default_rng(1).normal(size=1000)
    exact = bland_altman(difference, np.zeros(1000))
    module = importlib.import_module("voirdire.stats.bland_altman")
    monkeypatch.setattr(module, "EXACT_UP_TO", 10)
    large = bland_altman(difference, np.zeros(1000))
    assert (large.upper_limit.low, large.upper_limit.high) == pytest.approx(
        (exact.upper_limit.low, exact.upper_limit.high), abs=0.01
    )


def test_kendall_w_of_two_raters_is_their_mean_spearman() -> None:
    table = np.array([[1, 2], [2, 1], [3, 5], [4, 3], [5, 4]], dtype=float)
    assert 2 * kendall_w(table).w - 1 == pytest.approx(spearman(*table.T).value)


@settings(max_examples=60, deadline=None)
@given(
    arrays(
        np.float64, st.tuples(st.integers(2, 12), st.integers(2, 5)), elements=st.integers(0, 4).map(float)
    )
)
def test_kendall_w_equals_friedman(table: np.ndarray) -> None:
    found = kendall_w(table)
    if (np.ptp(table, axis=0) == 0).all():
        assert found.undefined == "no_variation"
        return
    assert -1e-12 <= found.w <= 1 + 1e-12
    if len(table) >= 3 and table.shape[1] >= 3:
        theirs = scipy.stats.friedmanchisquare(*table)
        assert (found.chi2, found.p) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-9)


def test_kendall_w_leaves_out_incomplete_items() -> None:
    table = np.array([[1, 2], [2, 1], [math.nan, 5], [4, 3]])
    found = kendall_w(table)
    assert found.n_items == 3
    assert found.w == kendall_w(table[[0, 1, 3]]).w
    assert kendall_w([[1.0], [2.0]]).undefined == "insufficient_raters"
    assert kendall_w([[1.0, 2.0]]).undefined == "insufficient_items"


def normal_pairs(n: int, rho: float, runs: int, rng: np.random.Generator) -> np.ndarray:
    z = rng.normal(size=(runs, n, 2))
    z[..., 1] = rho * z[..., 0] + math.sqrt(1 - rho**2) * z[..., 1]
    return z


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize("labels", [None, 5, 2])
def test_intervals_cover_the_truth(n: int, labels: int | None) -> None:
    """Normal scores, and the same cut into five and two labels."""
    rng = np.random.default_rng(n + (labels or 0))
    runs, rho = 400, 0.6

    def cut(z: np.ndarray) -> np.ndarray:
        if labels is None:
            return z
        return np.digitize(z, scipy.stats.norm.ppf(np.arange(1, labels) / labels)).astype(float)

    large = cut(normal_pairs(500_000, rho, 1, rng)[0])
    draws = cut(normal_pairs(n, rho, runs, rng))
    for statistic in (*CORRELATIONS, concordance_correlation):
        known = {spearman: 6 / math.pi * math.asin(rho / 2), kendall_tau_b: 2 / math.pi * math.asin(rho)}
        truth = statistic(*large.T).value if labels else known.get(statistic, rho)
        found = [statistic(*draw.T) for draw in draws]
        covered = np.mean([one.low <= truth <= one.high for one in found])
        # 400 runs have a binomial error of 0.011
        assert 0.915 < covered < 0.985, (statistic.__name__, covered)


@pytest.mark.coverage_simulation
def test_limits_cover_the_truth() -> None:
    rng = np.random.default_rng(3)
    found = [bland_altman(rng.normal(size=15), np.zeros(15)) for _ in range(1500)]
    upper = np.mean([one.upper_limit.low <= 1.96 <= one.upper_limit.high for one in found])
    bias = np.mean([one.bias.low <= 0 <= one.bias.high for one in found])
    assert (upper, bias) == pytest.approx((0.95, 0.95), abs=0.017)
