"""McNemar, the paired difference and marginal homogeneity beside statsmodels, and in simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom
from statsmodels.stats.contingency_tables import SquareTable
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

from voirdire.errors import UserError
from voirdire.stats.marginal_homogeneity import bhapkar, bowker, stuart_maxwell
from voirdire.stats.mcnemar import mcnemar, paired_difference

two_by_two = arrays(np.int64, (2, 2), elements=st.integers(0, 40))
positive = st.integers(2, 5).flatmap(lambda q: arrays(np.int64, (q, q), elements=st.integers(1, 40)))


@settings(max_examples=80, deadline=None)
@given(two_by_two)
def test_mcnemar_equals_statsmodels(table: np.ndarray) -> None:
    if table[0, 1] + table[1, 0] == 0:
        return
    ours = mcnemar(table)
    assert ours.p_exact == pytest.approx(their_mcnemar(table, exact=True).pvalue, abs=1e-9)
    plain = their_mcnemar(table, exact=False, correction=False)
    assert (ours.chi2, ours.p) == pytest.approx((plain.statistic, plain.pvalue), abs=1e-9)
    if table[0, 1] != table[1, 0]:  # theirs corrects a difference of 0 to 1
        corrected = their_mcnemar(table, exact=False, correction=True)
        assert (ours.chi2_corrected, ours.p_corrected) == pytest.approx(
            (corrected.statistic, corrected.pvalue), abs=1e-9
        )


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 25), st.integers(0, 25))
def test_mid_p_counts_half_of_the_outcome_seen(b: int, c: int) -> None:
    m = b + c
    mass = binom.pmf(np.arange(m + 1), m, 0.5)
    distance = np.abs(2 * np.arange(m + 1) - m)
    expected = mass[distance > abs(b - c)].sum() + mass[distance == abs(b - c)].sum() / 2
    if b == c:  # both tails hold the one middle outcome: it counts half, once
        expected = 1 - mass[m // 2] / 2 if m else 1.0
    assert mcnemar([[3, b], [c, 3]]).p_mid == pytest.approx(expected)


def test_raters_who_never_differ() -> None:
    test = mcnemar([[5, 0], [0, 7]])
    assert (test.p, test.p_exact, test.p_mid, test.p_corrected) == (1, 1, 1, 1)
    difference = paired_difference([[5, 0], [0, 7]])
    assert difference.value == 0
    assert difference.high == pytest.approx(-difference.low)
    assert difference.high == pytest.approx(3.841458821 / (12 + 3.841458821))
    assert paired_difference(np.zeros((2, 2))).undefined == "no_pairable_items"
    with pytest.raises(UserError, match="2 by 2"):
        mcnemar(np.ones((3, 3)))


@settings(max_examples=100, deadline=None)
@given(two_by_two, st.sampled_from([0.9, 0.95, 0.99]))
def test_interval_and_test_never_contradict_each_other(table: np.ndarray, level: float) -> None:
    if not table.sum():
        return
    interval, p = paired_difference(table, level=level), mcnemar(table).p
    assert -1 <= interval.low <= interval.value <= interval.high <= 1
    if abs(p - (1 - level)) > 1e-9:
        assert (interval.low > 0 or interval.high < 0) == (p < 1 - level)


@settings(max_examples=60, deadline=None)
@given(two_by_two)
def test_exchanging_the_raters_turns_the_difference_round(table: np.ndarray) -> None:
    if not table.sum():
        return
    there, back = paired_difference(table), paired_difference(table.T)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=1e-9)


def test_airway_data_of_fagerland() -> None:
    """Fagerland, Lydersen & Laake 2014: 21 children before and after transplantation, 1 and 7 discordant."""
    interval = paired_difference([[1, 1], [7, 12]])
    assert interval.value == pytest.approx(-6 / 21)
    assert (interval.low, interval.high) == pytest.approx((-0.517, -0.026), abs=6e-4)


@settings(max_examples=60, deadline=None)
@given(positive)
def test_homogeneity_equals_statsmodels(table: np.ndarray) -> None:
    theirs = SquareTable(table, shift_zeros=False)
    for ours, expected in (
        (stuart_maxwell(table), theirs.homogeneity(method="stuart_maxwell")),
        (bhapkar(table), theirs.homogeneity(method="bhapkar")),
        (bowker(table), theirs.symmetry(method="bowker")),
    ):
        assert ours.df == expected.df
        assert (ours.statistic, ours.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-8)


def test_a_label_with_equal_totals_stays_in() -> None:
    test = stuart_maxwell([[20, 10, 5], [10, 30, 15], [5, 5, 40]])
    assert (test.statistic, test.df) == (pytest.approx(3.75), 2)


@settings(max_examples=40, deadline=None)
@given(positive)
def test_unused_labels_and_order_change_nothing(table: np.ndarray) -> None:
    wide = np.zeros((len(table) + 2,) * 2, dtype=np.int64)
    wide[1:-1, 1:-1] = table
    order = np.arange(len(table))[::-1]
    for test in (stuart_maxwell, bhapkar, bowker):
        base = test(table)
        for other in (test(wide), test(table[np.ix_(order, order)]), test(table.T)):
            assert other.df == base.df
            assert other.statistic == pytest.approx(base.statistic, abs=1e-8)


def test_homogeneity_edges() -> None:
    for test in (stuart_maxwell, bhapkar, bowker):
        nothing = test([[5, 0], [0, 3]])
        assert (nothing.statistic, nothing.df, nothing.p) == (0, 0, 1)
    one_way = bhapkar([[0, 5], [0, 0]])
    assert one_way.undefined == "singular"
    assert math.isnan(one_way.p)
    # two labels: Stuart-Maxwell is McNemar
    assert stuart_maxwell([[5, 9], [2, 4]]).statistic == pytest.approx(mcnemar([[5, 9], [2, 4]]).chi2)


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("n", [20, 50, 200])
def test_paired_difference_covers_the_truth(n: int) -> None:
    rng = np.random.default_rng(n)
    for shares in ([0.5, 0.15, 0.1, 0.25], [0.85, 0.1, 0.02, 0.03]):
        draws = rng.multinomial(n, shares, size=2000)
        known: dict[tuple[int, int], bool] = {}
        for _, b, c, _ in draws:
            if (b, c) not in known:
                found = paired_difference([[n - b - c, b], [c, 0]])
                known[b, c] = found.low <= shares[1] - shares[2] <= found.high
        covered = np.mean([known[b, c] for _, b, c, _ in draws])
        # few discordant pairs leave few possible intervals, and those err on the wide side
        assert 0.93 < covered < (0.99 if n == 20 else 0.98), (shares, covered)
