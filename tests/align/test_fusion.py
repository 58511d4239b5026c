"""Kappa is recovered, its interval covers, and labels move a prediction as much as kappa says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta

from voirdire.align.fusion import fit_kappa, fuse, posterior_draws, share_bounds
from voirdire.align.scores import log_score

NONE = np.zeros((1, 2))


def made(kappa: float, rng: np.random.Generator, n: int = 300, k: int = 3) -> tuple[np.ndarray, np.ndarray]:
    q = 0.99 * rng.dirichlet(np.ones(3), size=n) + 0.01 / 3
    truth = posterior_draws(q, np.zeros_like(q), kappa, rng)
    return q, rng.multinomial(k, truth).astype(float)


@pytest.mark.parametrize("kappa", [1.0, 4.0, 15.0])
def test_kappa_is_recovered_and_its_interval_covers(kappa: float) -> None:
    rng = np.random.default_rng(int(kappa))
    found = [fit_kappa(*made(kappa, rng)) for _ in range(40)]
    rho = np.array([1 / (1 + one.value) for one in found])
    assert rho.mean() == pytest.approx(1 / (1 + kappa), abs=4 * rho.std() / np.sqrt(40))
    held = sum(one.low <= kappa <= one.high for one in found)
    assert held >= 34  # 95 % of 40 is 38; 33 or fewer has probability 0.01


def test_no_more_spread_than_the_prediction_makes_kappa_infinite() -> None:
    rng = np.random.default_rng(2)
    q = rng.dirichlet(np.ones(3), size=400)
    counts = np.ones((400, 3))
    found = fit_kappa(q, counts)
    assert math.isinf(found.value)
    assert found.high == math.inf
    assert found.low > 20
    assert (fuse(q, counts, found.value) == q).all()


def test_kappa_needs_rows_with_two_labels() -> None:
    q = np.full((30, 2), 0.5)
    assert fit_kappa(q, np.tile([1.0, 0.0], (30, 1))).undefined == "no_pairable_items"
    few = np.vstack([np.tile([1.0, 0.0], (25, 1)), np.tile([1.0, 1.0], (5, 1))])
    assert fit_kappa(q, few).undefined == "insufficient_items"


def test_clusters_of_copies_widen_the_interval() -> None:
    q, counts = made(4.0, np.random.default_rng(7), n=100)
    copies = np.tile(np.arange(100), 4)
    apart = fit_kappa(np.tile(q, (4, 1)), np.tile(counts, (4, 1)))
    known = fit_kappa(np.tile(q, (4, 1)), np.tile(counts, (4, 1)), cluster=copies)
    assert known.value == pytest.approx(apart.value)
    assert known.high - known.low > 1.7 * (apart.high - apart.low)


def test_fusion_weighs_judge_and_people() -> None:
    assert fuse(np.array([[0.8, 0.2]]), np.array([[0.0, 1.0]]), 4.0)[0].tolist() == pytest.approx(
        [0.64, 0.36]
    )
    assert fuse(np.array([[0.8, 0.2]]), np.array([[0.0, 1.0]]), math.nan)[0].tolist() == [0.8, 0.2]
    assert fuse(np.array([[0.8, 0.2]]), NONE, 4.0)[0].tolist() == pytest.approx([0.8, 0.2])


def test_fused_predictions_beat_the_judge_alone_on_the_next_label() -> None:
    rng = np.random.default_rng(12)
    q = 0.99 * rng.dirichlet(np.ones(3), size=2000) + 0.01 / 3
    truth = posterior_draws(q, np.zeros_like(q), 3.0, rng)
    known, following = (rng.multinomial(k, truth).astype(float) for k in (2, 1))
    gain = log_score(q, following) - log_score(fuse(q, known, 3.0), following)
    assert gain.mean() > 3 * gain.std() / np.sqrt(2000)


def test_bounds_are_beta_quantiles_and_the_grid_is_near_them() -> None:
    q, counts = np.array([[0.3, 0.7]]), np.array([[2.0, 1.0]])
    low, high = share_bounds(q, counts, 5.0, level=0.9)
    assert low[0, 0] == pytest.approx(beta.ppf(0.05, 3.5, 4.5))
    assert high[0, 1] == pytest.approx(beta.ppf(0.95, 4.5, 3.5))
    share = np.random.default_rng(1).random(30_000)
    many = np.stack([share, 1 - share], axis=1)
    low, _ = share_bounds(many, np.zeros_like(many), 5.0)
    assert np.abs(low[:500] - beta.ppf(0.05, 5 * many[:500], 5 * (1 - many[:500]))).max() < 1e-3
    labels = np.random.default_rng(2).multinomial(2, [0.4, 0.6], size=len(many)).astype(float)
    labels[:700] = [3.0, 0.0]  # few rows with three labels, exact
    low, high = share_bounds(many, labels, 5.0)
    for rows in (slice(0, 300), slice(700, 1000)):
        alpha = 5 * many[rows] + labels[rows]
        total = alpha.sum(axis=1, keepdims=True)
        assert np.abs(low[rows] - beta.ppf(0.05, alpha, total - alpha)).max() < 1e-3
        assert np.abs(high[rows] - beta.ppf(0.95, alpha, total - alpha)).max() < 1e-3
    assert np.isnan(share_bounds(q, counts, math.nan)[0]).all()


def test_credal_bounds_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(9)
    q, counts = made(4.0, rng, n=1)
    q = np.tile(q, (3000, 1))
    truth = posterior_draws(q, np.zeros_like(q), 4.0, rng)
    counts = rng.multinomial(2, truth).astype(float)
    low, high = share_bounds(q, counts, 4.0, level=0.9)
    held = ((low <= truth) & (truth <= high)).mean(axis=0)
    assert np.abs(held - 0.9).max() < 0.025
