"""Adjusted p-values beside statsmodels, and the false-coverage level's promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, norm
from statsmodels.stats.multitest import multipletests

from voirdire.errors import UserError
from voirdire.stats.multiplicity import adjusted_p_values, false_coverage_level
from voirdire.stats.transforms import normal_quantile

p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=30)
z_lists = st.lists(st.floats(0, 8), min_size=1, max_size=30)


@settings(max_examples=100, deadline=None)
@given(p_lists)
def test_adjusted_equal_scipy(p: list[float]) -> None:
    for method in ("bh", "by"):
        expected = false_discovery_control(p, method=method)
        assert adjusted_p_values(p, method=method) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=10, deadline=None)
@given(p_lists)
def test_adjusted_equal_statsmodels(p: list[float]) -> None:
    for ours, theirs in (("bh", "fdr_bh"), ("by", "fdr_by"), ("holm", "holm")):
        expected = multipletests(p, method=theirs)[1]
        assert adjusted_p_values(p, method=ours) == pytest.approx(expected, abs=1e-12)


def test_a_test_that_was_not_made_is_not_counted() -> None:
    with_gap = adjusted_p_values([0.01, np.nan, 0.04], method="by")
    without = adjusted_p_values([0.01, 0.04], method="by")
    assert np.isnan(with_gap[1])
    assert with_gap[[0, 2]] == pytest.approx(without)
    assert adjusted_p_values([], method="bh").size == 0


@pytest.mark.parametrize(("p", "method"), [([1.2], "bh"), ([-0.1], "by"), ([0.5], "sidak")])
def test_mistakes_are_named(p: list[float], method: str) -> None:
    with pytest.raises(UserError):
        adjusted_p_values(p, method=method)


def counter(z: list[float]):
    return lambda level: int((np.array(z) > normal_quantile(level)).sum())


@settings(max_examples=100, deadline=None)
@given(z_lists, st.sampled_from([0.01, 0.05, 0.2]))
def test_the_decisive_intervals_are_those_selected(z: list[float], q: float) -> None:
    m, decisive = len(z), counter(z)
    level = false_coverage_level(m, decisive, q=q)
    harmonic = sum(1 / j for j in range(1, m + 1))
    assert 1 - q / harmonic - 1e-12 <= level <= 1 - q / (m * harmonic) + 1e-12
    selected = decisive(level)
    if selected:
        assert level == pytest.approx(1 - selected * q / (m * harmonic))
    # they are the metrics that the two-sided Benjamini-Yekutieli test rejects
    adjusted = adjusted_p_values(2 * norm.sf(z), method="by")
    if not np.isclose(adjusted, q, rtol=1e-9).any():
        assert selected == (adjusted <= q).sum()


@settings(max_examples=100, deadline=None)
@given(z_lists, st.sampled_from([0.01, 0.05, 0.2]))
def test_the_level_is_that_of_the_largest_number_selected(z: list[float], q: float) -> None:
    m, decisive = len(z), counter(z)
    harmonic = float((1 / np.arange(1, m + 1)).sum())
    levels = [1 - r * q / (m * harmonic) for r in range(1, m + 1)]
    largest = max((r for r in range(1, m + 1) if decisive(levels[r - 1]) >= r), default=1)
    assert false_coverage_level(m, decisive, q=q) == levels[largest - 1]


def test_hundreds_of_metrics_are_counted_a_few_times() -> None:
    decisive, asked = counter(np.linspace(0, 6, 1_000).tolist()), []

    def count(level: float) -> int:
        asked.append(level)
        return decisive(level)

    false_coverage_level(1_000, count)
    assert len(asked) < 20


@settings(max_examples=60, deadline=None)
@given(z_lists, st.integers(0, 29))
def test_stronger_evidence_never_raises_the_level(z: list[float], which: int) -> None:
    stronger = list(z)
    stronger[which % len(z)] += 3
    assert false_coverage_level(len(z), counter(stronger)) <= false_coverage_level(len(z), counter(z)) + 1e-12


def test_one_metric_keeps_its_level_and_none_decisive_keeps_the_strictest() -> None:
    assert false_coverage_level(1, lambda level: 0) == pytest.approx(0.95)
    assert false_coverage_level(1, lambda level: 1, q=0.1) == pytest.approx(0.9)
    assert false_coverage_level(2, lambda level: 0) == pytest.approx(1 - 0.05 / (2 * 1.5))
    assert false_coverage_level(2, lambda level: 2) == pytest.approx(1 - 0.05 / 1.5)
    with pytest.raises(UserError):
        false_coverage_level(0, lambda level: 0)


@pytest.mark.coverage_simulation
def test_the_share_of_selected_intervals_that_miss_is_at_most_q() -> None:
    rng = np.random.default_rng(5)
    truth = np.repeat([0.0, 1.0, 2.5], [10, 5, 5])
    missed = []
    for _ in range(600):
        z = truth + rng.normal(size=truth.size)
        level = false_coverage_level(z.size, lambda at, z=z: int((np.abs(z) > normal_quantile(at)).sum()))
        reach = normal_quantile(level)
        selected = np.abs(z) > reach
        missed.append(np.mean(np.abs(z - truth)[selected] > reach) if selected.any() else 0.0)
    assert np.mean(missed) < 0.05
