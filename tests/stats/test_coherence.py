"""Reported numbers: what they imply, against tables and runs that are counted out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from voirdire.errors import UserError
from voirdire.stats.cohen import cohen_kappa
from voirdire.stats.coherence import agreement_coherence
from voirdire.stats.retest_coherence import retest_coherence


@settings(max_examples=100, deadline=None)
@given(arrays(np.int64, (2, 2), elements=st.integers(0, 40)), st.integers(2, 4))
def test_the_numbers_of_a_real_table_always_cohere(table: np.ndarray, decimals: int) -> None:
    kappa = cohen_kappa(table)
    if kappa.estimate.undefined is not None:
        return
    n = int(table.sum())
    reported = round(kappa.observed, decimals)
    found = agreement_coherence(reported, n=n, kappa=round(kappa.estimate.value, decimals), decimals=decimals)
    assert found.coherent, (table, found)
    assert table[0, 0] + table[1, 1] in found.possible_counts
    if found.kappa.chance_range[0] == found.kappa.chance_range[0]:  # kappa 1 leaves chance open
        low, high = found.kappa.chance_range
        assert low - 1e-9 <= kappa.expected <= high + 1e-9


@settings(max_examples=100, deadline=None)
@given(arrays(np.int64, (2, 2), elements=st.integers(0, 40)))
def test_implied_shares_hold_the_true_ones(table: np.ndarray) -> None:
    kappa = cohen_kappa(table)
    if kappa.estimate.undefined is not None or kappa.estimate.value == 1:
        return
    n = int(table.sum())
    exact = agreement_coherence(x=int(np.trace(table)), n=n, kappa=kappa.estimate.value, decimals=9)
    shares = np.array([table.sum(0)[0], table.sum(1)[0]]) / n
    low, high = exact.kappa.prevalence
    assert (low - 1e-4 <= shares).all()
    assert (shares <= high + 1e-4).all()
    assert np.abs(shares - 0.5).min() <= exact.kappa.balance + 1e-4


def test_an_agreement_that_no_count_gives() -> None:
    found = agreement_coherence(0.83, n=7, decimals=2)
    assert found.coherent is False
    assert found.possible_counts == ()
    assert "do not cohere" in found.sentences[0]


@pytest.mark.parametrize(("agreement", "kappa"), [(0.5, 0.9), (0.9, -0.9), (0.9, 1.0)])
def test_a_kappa_that_no_table_gives(agreement: float, kappa: float) -> None:
    found = agreement_coherence(agreement, n=100, kappa=kappa)
    assert found.coherent is False
    assert "do not cohere" in found.sentences[-1]


def test_the_audit_in_the_source_article() -> None:
    found = agreement_coherence(0.833, n=162, kappa=0.667)
    assert found.coherent
    assert found.possible_counts == (135,)
    assert found.kappa.if_half.low < 0.60 < found.kappa.if_half.high
    assert found.kappa.balance < 0.04
    assert any("0.55 to 0.78" in sentence for sentence in found.sentences)
    assert agreement_coherence(x=135, n=162).coherent is None


def test_more_than_two_labels_say_nothing_of_shares() -> None:
    found = agreement_coherence(0.444, n=90, kappa=0.121, n_labels=3)
    assert found.coherent
    assert np.isnan(found.kappa.balance)
    assert not any("two labels" in sentence for sentence in found.sentences)


@pytest.mark.parametrize(
    "options",
    [
        {"n": 0, "x": 0},
        {"n": 5},
        {"n": 5, "x": 2, "agreement": 0.4},
        {"n": 5, "x": 6},
        {"n": 5, "agreement": 1.2},
        {"n": 5, "x": 2, "kappa": 2.0},
    ],
)
def test_mistakes_are_named(options: dict) -> None:
    with pytest.raises(UserError):
        agreement_coherence(**options)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.lists(st.integers(0, 6), min_size=2, max_size=40))
def test_retest_of_real_runs_always_coheres(runs: int, yes: list[int]) -> None:
    counts = np.minimum(yes, runs)
    unanimous = np.isin(counts, (0, runs)).mean()
    pairs = (counts * (counts - 1) + (runs - counts) * (runs - counts - 1)) / (runs * (runs - 1))
    share = counts.mean() / runs
    chance = share**2 + (1 - share) ** 2
    found = retest_coherence(unanimous, runs=runs, n=len(counts), decimals=6)
    low, high = found.pairwise_agreement
    assert low - 1e-9 <= pairs.mean() <= high + 1e-9
    assert found.coherent
    if chance < 1:
        kappa = (pairs.mean() - chance) / (1 - chance)
        with_kappa = retest_coherence(unanimous, runs=runs, kappa=round(kappa, 6), n=len(counts), decimals=6)
        assert with_kappa.coherent
        if runs <= 3 and kappa < 1 - 1e-6:
            assert with_kappa.chance == pytest.approx(chance, abs=1e-3)


def test_pairwise_agreement_of_three_runs_is_exact_and_of_five_a_range() -> None:
    three, five = (retest_coherence(0.8, runs=runs) for runs in (3, 5))
    assert three.pairwise_agreement == pytest.approx((1 - 0.2 * 2 / 3,) * 2)
    splits = [(k * (k - 1) + (5 - k) * (4 - k)) / 20 for k in (1, 2)]
    expected = sorted(0.8 + 0.2 * split for split in splits)
    assert five.pairwise_agreement == pytest.approx(tuple(expected))
    assert three.coherent is None


def test_retest_edges() -> None:
    assert retest_coherence(0.8, runs=3, kappa=0.95).coherent is False
    assert retest_coherence(0.825, runs=3, n=241).coherent is False
    assert retest_coherence(1.0, runs=3, kappa=1.0).coherent
    assert retest_coherence(0.9, runs=3, kappa=1.0).coherent is False
    for options in (
        {"unanimity": 1.2, "runs": 3},
        {"unanimity": 0.5, "runs": 1},
        {"unanimity": 0.5, "runs": 2, "n": 0},
    ):
        with pytest.raises(UserError):
            retest_coherence(**options)


def test_two_runs_cannot_hide_a_split() -> None:
    runs = np.array(list(itertools.product((0, 1), repeat=2)))
    unanimous = (runs[:, 0] == runs[:, 1]).mean()
    assert retest_coherence(unanimous, runs=2).pairwise_agreement == (0.5, 0.5)
