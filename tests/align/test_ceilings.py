"""The model-based optimum and skill, and the resampled sums that intervals stand on."""

from __future__ import annotations

import numpy as np
import pytest

from voirdire.align.ceilings import entropy_optimum, skill
from voirdire.align.resampling import cluster_sums, two_way_sums
from voirdire.align.scores import log_score


def test_the_optimum_is_what_the_truth_scores_where_the_model_holds() -> None:
    rng = np.random.default_rng(3)
    q = rng.dirichlet(np.ones(3), size=3000)
    truth = np.stack([rng.dirichlet(4 * each + 1e-3) for each in q]).clip(1e-12)
    counts = rng.multinomial(3, truth).astype(float)
    optimum = entropy_optimum(q, counts, 4.0)
    score = log_score(truth, counts)
    error = (score - optimum).std() / np.sqrt(len(q))
    assert optimum.mean() == pytest.approx(score.mean(), abs=4 * error)
    assert np.isnan(entropy_optimum(q, counts, np.nan)).all()


def test_skill_is_zero_at_the_floor_and_one_at_the_optimum() -> None:
    rng = np.random.default_rng(5)
    floor, optimum = 1 + 0.1 * rng.random(200), 0.4 + 0.1 * rng.random(200)
    groups = np.arange(200) // 2
    at = [skill(floor, loss, optimum, cluster=groups, rng=rng) for loss in (floor, optimum)]
    assert [one.value for one in at] == [0.0, 1.0]
    half = skill(floor, (floor + optimum) / 2 + 0.05 * rng.normal(size=200), optimum, cluster=groups, rng=rng)
    assert half.low < 0.5 < half.high
    assert half.n_clusters == 100
    assert skill(optimum, floor, floor, cluster=groups, rng=rng).undefined == "not_identifiable"
    assert skill(floor, floor, floor + np.nan, cluster=groups, rng=rng).undefined == "not_identifiable"


def test_resampled_sums_have_the_clusters_variance() -> None:
    rng = np.random.default_rng(1)
    cluster = np.arange(300) // 3
    x = rng.normal(size=100)[cluster]
    drawn = cluster_sums(x[:, None], cluster, 4000, rng)[:, 0]
    by_cluster = 3 * x[::3]
    expected = np.sqrt(((by_cluster - by_cluster.mean()) ** 2).sum())
    assert drawn.std() == pytest.approx(expected, rel=0.08)
    assert drawn.mean() == pytest.approx(x.sum(), abs=4 * expected / np.sqrt(4000))


def test_two_way_sums_vary_with_raters_too() -> None:
    rng = np.random.default_rng(2)
    item, rater = np.repeat(np.arange(200), 3), rng.integers(0, 12, 600)
    x = rng.normal(size=12)[rater][:, None]
    one = cluster_sums(np.hstack([x, np.ones_like(x)]), item, 500, rng)
    two = two_way_sums(np.hstack([x, np.ones_like(x)]), item, rater, 500, rng)
    assert (two[:, 0] / two[:, 1]).std() > 2 * (one[:, 0] / one[:, 1]).std()
