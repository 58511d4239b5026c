"""Sample sizes and smallest effects: published values, statsmodels, each other's inverse, and simulation."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower, normal_sample_size_one_tail

from voirdire.errors import UserError
from voirdire.stats import (
    Coded,
    alternative_annotator_test,
    cohen_kappa,
    detectable_kappa,
    detectable_mean,
    detectable_paired_difference,
    detectable_share,
    kappa_items_for_width,
    kappa_sample_size,
    mcnemar,
    mean_sample_size,
    paired_sample_size,
    replacement_power,
    replacement_sample_size,
    share_sample_size,
)
from voirdire.stats.power_kappa import largest_kappa_sd

shares = st.floats(0.05, 0.95)


@pytest.mark.shared
def test_published_sizes_for_kappa(shared: Path) -> None:
    cases = json.loads((shared / "reference" / "reference_values.json").read_text())["cases"]
    case = next(case for case in cases if case["id"] == "n_for_kappa_irr")
    assert kappa_sample_size([0.5, 0.5], kappa=0.7, null=0.5) == case["expected"]["n_cantor"]
    assert kappa_sample_size([0.4, 0.25, 0.15, 0.2], kappa=0.6, null=0.4) == case["expected"]["n_flack"]
    planned = [kappa_items_for_width([1 - p, p], kappa=0.6, half_width=0.1) for p in (0.5, 0.8, 0.9)]
    assert planned == [246, 392, 705]


def _table(one: float, two: float, kappa: float) -> np.ndarray:
    chance = one * two + (1 - one) * (1 - two)
    both = (kappa * (1 - chance) + chance - 1 + one + two) / 2
    return np.array([[both, one - both], [two - both, 1 - one - two + both]])


@settings(max_examples=30, deadline=None)
@given(shares, shares, st.floats(0.05, 0.9))
def test_deviation_of_two_labels_is_that_of_their_table(one: float, two: float, kappa: float) -> None:
    table = _table(one, two, kappa)
    if (table < 1e-3).any():
        return
    n = 10_000
    expected = cohen_kappa(table * n, interval="wald").standard_error * math.sqrt(n)
    assert largest_kappa_sd([one, 1 - one], [two, 1 - two], kappa=kappa) == pytest.approx(expected, rel=1e-6)


def test_deviation_of_more_labels_is_the_largest(rng: np.random.Generator) -> None:
    margin, kappa = np.array([0.5, 0.3, 0.2]), 0.4
    same = kappa * (1 - margin @ margin) + margin @ margin
    most, tried = largest_kappa_sd(margin, kappa=kappa), []
    for _ in range(120):
        cells = rng.dirichlet([0.3] * 9).reshape(3, 3)
        for _ in range(200):  # to the shares and the agreement asked for, by proportional fitting
            cells *= (margin / cells.sum(axis=1))[:, None]
            cells *= margin / cells.sum(axis=0)
            on = np.eye(3, dtype=bool)
            cells = np.where(on, cells * same / cells[on].sum(), cells * (1 - same) / cells[~on].sum())
        if abs(cells.sum(axis=0) - margin).max() < 1e-6 and abs(cells.sum(axis=1) - margin).max() < 1e-6:
            tried.append(cohen_kappa(cells * 1e6, interval="wald").standard_error * 1e3)
    assert len(tried) > 10
    assert max(tried) <= most + 1e-4
    assert max(tried) > 0.9 * most


@settings(max_examples=40, deadline=None)
@given(shares, shares, st.sampled_from([0.5, 0.8, 0.9]))
def test_share_equals_statsmodels(share: float, null: float, power: float) -> None:
    if abs(share - null) < 0.01:
        return
    theirs = normal_sample_size_one_tail(
        share - null, power, 0.05, math.sqrt(null * (1 - null)), math.sqrt(share * (1 - share))
    )
    assert share_sample_size(share, null=null, power=power) == math.ceil(theirs - 1e-9)


@settings(max_examples=40, deadline=None)
@given(st.floats(0.01, 0.45), st.floats(0.01, 0.45))
def test_pair_equals_statsmodels(one: float, two: float) -> None:
    gap = abs(one - two)
    if gap < 0.01:
        return
    differ = one + two
    theirs = normal_sample_size_one_tail(gap, 0.8, 0.025, math.sqrt(differ), math.sqrt(differ - gap**2))
    assert paired_sample_size(one, two) == math.ceil(theirs - 1e-9)


@pytest.mark.parametrize(
    ("better", "worse", "epsilon"), [(0.15, 0.1, 0.2), (0.1, 0.15, 0.1), (0.3, 0.3, 0.15)]
)
def test_replacement_equals_statsmodels(better: float, worse: float, epsilon: float) -> None:
    sd = math.sqrt(better + worse - (worse - better) ** 2)
    effect, alpha = (epsilon - worse + better) / sd, 0.05 / (1 + 1 / 2 + 1 / 3)
    for n in (10, 40, 160):
        ours = replacement_power(n, judge_better=better, person_better=worse, epsilon=epsilon)
        assert ours == pytest.approx(TTestPower().power(effect, n, alpha, alternative="larger"), abs=1e-6)
    theirs = TTestPower().solve_power(effect, power=0.8, alpha=alpha, alternative="larger")
    ours = replacement_sample_size(judge_better=better, person_better=worse, epsilon=epsilon)
    assert ours == math.ceil(theirs - 1e-6)


@pytest.mark.parametrize(("mean", "sd", "tests"), [(0.05, 0.2, 1), (0.3, 0.4, 3), (0.02, 0.5, 10)])
def test_mean_equals_statsmodels(mean: float, sd: float, tests: int) -> None:
    alpha = 0.05 / sum(1 / k for k in range(1, tests + 1))
    theirs = TTestPower().solve_power(mean / sd, power=0.8, alpha=alpha, alternative="larger")
    n = mean_sample_size(mean, sd, tests=tests)
    assert n == math.ceil(theirs - 1e-6)
    assert mean_sample_size(detectable_mean(int(n), sd, tests=tests) + 1e-9, sd, tests=tests) == n
    assert detectable_mean(int(n), sd, tests=tests) <= mean < detectable_mean(int(n) - 1, sd, tests=tests)


@settings(max_examples=30, deadline=None)
@given(st.integers(20, 2000), st.floats(0.1, 0.9))
def test_smallest_effect_and_size_are_inverse(n: int, null: float) -> None:
    share = detectable_share(n, null=null)
    if not math.isnan(share):
        assert n - 1 <= share_sample_size(share, null=null) <= n + 1
    size = detectable_paired_difference(n, differ=null)
    if not math.isnan(size):
        assert n - 1 <= paired_sample_size((null + size) / 2, (null - size) / 2) <= n + 1


def test_smallest_kappa_is_the_inverse() -> None:
    for n in (60, 103, 400):
        kappa = detectable_kappa(n, [0.6, 0.4], null=0.4)
        assert n - 1 <= kappa_sample_size([0.6, 0.4], kappa=kappa, null=0.4) <= n + 1
    assert math.isnan(detectable_kappa(4, [0.6, 0.4], null=0.4))
    assert math.isnan(detectable_share(3, null=0.9))
    assert math.isnan(detectable_paired_difference(5, differ=0.1))


def test_no_spread_and_no_hope() -> None:
    ties = {"judge_better": 0.0, "person_better": 0.0, "epsilon": 0.2}
    assert replacement_sample_size(**ties) == 17
    assert (replacement_power(16, **ties), replacement_power(17, **ties)) == (0, 1)
    assert replacement_sample_size(judge_better=0.0, person_better=0.3, epsilon=0.2) == math.inf
    assert mean_sample_size(0.0, 1.0) == math.inf
    assert math.isnan(detectable_mean(1, 1.0))
    assert detectable_mean(100_000, 1.0) == pytest.approx((1.6449 + 0.8416) / 100_000**0.5, rel=1e-3)


@pytest.mark.coverage_simulation
def test_planned_power_is_reached(rng: np.random.Generator) -> None:
    runs, error = 600, 3 * math.sqrt(0.8 * 0.2 / 600)
    n = share_sample_size(0.85, null=0.75)
    z = (rng.binomial(n, 0.85, runs) / n - 0.75) / math.sqrt(0.75 * 0.25 / n)
    assert np.mean(z > 1.645) == pytest.approx(0.8, abs=error + 0.03)  # shares move in steps of 1 / n

    n = paired_sample_size(0.15, 0.05)
    counts = rng.multinomial(n, [0.15, 0.05, 0.8], runs)
    found = [mcnemar([[n - b - c, b], [c, 0]]).p <= 0.05 for b, c, _ in counts.tolist()]
    assert np.mean(found) == pytest.approx(0.8, abs=error + 0.03)

    n = kappa_sample_size([0.5, 0.5], kappa=0.7, null=0.5)
    tables = rng.multinomial(n, _table(0.5, 0.5, 0.7).ravel(), runs).reshape(runs, 2, 2)
    bound = 0.5 + 1.645 * largest_kappa_sd([0.5, 0.5], kappa=0.5) / math.sqrt(n)
    kappas = [cohen_kappa(table, interval="wald").estimate.value for table in tables]
    assert np.mean(np.array(kappas) > bound) == pytest.approx(0.8, abs=error + 0.03)


@pytest.mark.coverage_simulation
def test_planned_items_win_over_an_annotator(rng: np.random.Generator) -> None:
    better, worse, runs = 0.15, 0.1, 400
    n = int(replacement_sample_size(judge_better=better, person_better=worse, epsilon=0.2))
    won = []
    for _ in range(runs):  # two people agree always; the third and the judge err on items of their own
        said = np.zeros((n, 3), dtype=np.int64)
        kind = rng.choice(3, n, p=[better, worse, 1 - better - worse])
        said[kind == 0, 2] = 1
        judge = (kind == 1).astype(np.int64)
        one = alternative_annotator_test(Coded.from_matrix(said, categories=[0, 1]), judge).annotators[2]
        won.append(one.p <= 0.05 / (1 + 1 / 2 + 1 / 3))
    assert np.mean(won) == pytest.approx(0.8, abs=3 * math.sqrt(0.8 * 0.2 / runs) + 0.04)


def test_bad_input() -> None:
    for call, message in (
        (lambda: kappa_sample_size([0.5, 0.5], kappa=0.4, null=0.5), "above the null"),
        (lambda: kappa_sample_size([0.5, 0.4], kappa=0.6, null=0.5), "sum to 1"),
        (lambda: kappa_sample_size([0.9, 0.1], [0.1, 0.9], kappa=0.9, null=0.1), "no table"),
        (lambda: kappa_sample_size([1.0, 0.0], kappa=0.6, null=0.1), "all items in one label"),
        (lambda: kappa_sample_size([0.5, 0.5], kappa=0.6, null=0.1, power=1), "power is 1"),
        (lambda: kappa_items_for_width([0.5, 0.5], kappa=0.6, half_width=0), "half a width"),
        (lambda: share_sample_size(0.5, null=0.5), "two different shares"),
        (lambda: detectable_share(10, null=1.0), "null share"),
        (lambda: mean_sample_size(0.1, 0.0), "a deviation of 0.0"),
        (lambda: detectable_mean(10, 1.0, tests=0), "in 0 tests"),
        (lambda: paired_sample_size(0.6, 0.5), "sum to 1 at most"),
        (lambda: detectable_paired_difference(10, differ=0), "differing items"),
        (lambda: replacement_power(10, judge_better=0.7, person_better=0.4, epsilon=0.2), "sum to 1 at most"),
    ):
        with pytest.raises(UserError, match=message):
            call()
