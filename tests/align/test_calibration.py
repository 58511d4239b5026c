"""Disagreement calibration: the slope that a perfect map has, the area under the curve, and the strata."""

from __future__ import annotations

import math

import numpy as np
import pytest

from voirdire.align.calibration import (
    disagreement,
    marginal,
    reliability_bins,
    strata,
)
from voirdire.align.fusion import posterior_draws

KAPPA = 3.0


def made(rng: np.random.Generator, n: int = 800, k: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q = 0.98 * rng.dirichlet(np.ones(3), size=n) + 0.02 / 3
    truth = posterior_draws(q, np.zeros_like(q), KAPPA, rng)
    return q, rng.multinomial(k, truth).astype(float), np.arange(n) // 2


def test_a_perfect_map_has_slope_kappa_over_kappa_plus_one() -> None:
    rng = np.random.default_rng(1)
    found = [disagreement(*made(rng)[:2], KAPPA, cluster=np.arange(800), rng=rng) for _ in range(30)]
    slopes = np.array([one.slope.value for one in found])
    assert found[0].perfect_slope == 0.75
    assert slopes.mean() == pytest.approx(0.75, abs=4 * slopes.std() / math.sqrt(30))
    assert sum(one.slope.low <= 0.75 <= one.slope.high for one in found) >= 25
    assert abs(np.mean([one.intercept for one in found])) < 0.03


def test_the_corrected_correlation_is_that_with_the_true_disagreement() -> None:
    rng = np.random.default_rng(3)
    q = 0.98 * rng.dirichlet(np.ones(3), size=4000) + 0.02 / 3
    truth = posterior_draws(q, np.zeros_like(q), KAPPA, rng)
    counts = rng.multinomial(4, truth).astype(float)
    found = disagreement(q, counts, KAPPA, cluster=np.arange(4000), rng=rng)
    true = np.corrcoef(1 - (q**2).sum(axis=1), 1 - (truth**2).sum(axis=1))[0, 1]
    assert found.correlation == pytest.approx(true, abs=0.05)
    assert 0 < found.reliability < 1


def test_too_few_rows_or_no_spread_is_said() -> None:
    rng = np.random.default_rng(2)
    q, counts, cluster = made(rng, n=60)
    single = np.eye(3)[counts.argmax(axis=1)]
    assert disagreement(q, single, KAPPA, cluster=cluster, rng=rng).slope.undefined == "no_pairable_items"
    assert disagreement(q[:5], counts[:5], KAPPA, cluster=cluster[:5], rng=rng).slope.undefined
    flat = np.full_like(q, 1 / 3)
    assert disagreement(flat, counts, KAPPA, cluster=cluster, rng=rng).slope.undefined == "no_variation"


def test_base_rates_and_bins_on_true_predictions() -> None:
    rng = np.random.default_rng(6)
    q, counts, cluster = made(rng, n=2000)
    gaps = marginal(q, counts, cluster)
    assert all(abs(one.value) < 0.03 for one in gaps)
    assert sum(one.value for one in gaps) == pytest.approx(0.0, abs=1e-12)
    bins = reliability_bins(q, counts, cluster)
    assert len(bins) == 3
    assert max(abs(each.predicted - each.observed.value) for label in bins for each in label) < 0.12


def test_strata_are_thirds_by_the_predictions_entropy() -> None:
    q = made(np.random.default_rng(7), n=300)[0]
    third = strata(q)
    assert np.bincount(third).tolist() == [100, 100, 100]
    entropy = -(q * np.log(q)).sum(axis=1)
    assert entropy[third == 0].max() <= entropy[third == 2].min()
