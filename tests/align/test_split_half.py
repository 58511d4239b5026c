"""Split-half reliability: that of planted distributions, of a hand-made case, and what is not measurable."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from voirdire.align.calibration import disagreement
from voirdire.align.fusion import posterior_draws
from voirdire.align.scores import observed_disagreement
from voirdire.align.split_half import _halves, split_half_reliability


def planted(rng: np.random.Generator, n: int, k: int, kappa: float = 1.5) -> tuple[np.ndarray, ...]:
    q = 0.98 * rng.dirichlet(np.ones(3) * 0.7, size=n) + 0.02 / 3
    truth = posterior_draws(q, np.zeros_like(q), kappa, rng)
    return q, truth, rng.multinomial(k, truth).astype(float)


def test_it_is_the_share_of_variance_that_is_not_noise() -> None:
    rng = np.random.default_rng(1)
    _, truth, counts = planted(rng, 4000, 10)
    true = np.var(1 - (truth**2).sum(axis=1)) / np.var(observed_disagreement(counts))
    found = split_half_reliability(counts, cluster=np.arange(4000), rng=rng)
    assert found.value == pytest.approx(true, abs=0.03)
    assert found.low < true < found.high


def test_four_labels_by_every_split(rng: np.random.Generator) -> None:
    counts = rng.multinomial(4, np.tile([[1.0, 0.0, 0.0], [0.4, 0.3, 0.3]], (30, 1))).astype(float)
    labels = [np.repeat(np.arange(3), row.astype(int)) for row in counts]
    x, y = [], []
    for row in labels:
        for one in combinations(range(4), 2):
            two = [j for j in range(4) if j not in one]
            x.append(float(row[one[0]] != row[one[1]]))
            y.append(float(row[two[0]] != row[two[1]]))
    by_hand = np.cov(x, y, bias=True)[0, 1] / observed_disagreement(counts).var()
    found = split_half_reliability(counts, cluster=np.arange(60), rng=rng)
    assert found.value == pytest.approx(by_hand, abs=0.05)


def test_halves_are_drawn_from_the_row_without_replacement(rng: np.random.Generator) -> None:
    counts = np.tile([[4.0, 0.0, 0.0], [2.0, 2.0, 1.0]], (500, 1))
    first, second = _halves(counts, rng)
    assert not first[0::2].any()
    assert not second[0::2].any()
    assert first[1::2].mean() == pytest.approx(observed_disagreement(counts)[1], abs=0.06)


def test_what_is_not_measurable_says_why(rng: np.random.Generator) -> None:
    _, _, counts = planted(rng, 100, 3)
    options = {"cluster": np.arange(100), "rng": rng}
    assert split_half_reliability(counts, **options).undefined == "insufficient_items"
    same = np.tile([[4.0, 0.0, 0.0]], (100, 1))
    assert split_half_reliability(same, **options).undefined == "no_variation"
    noise = rng.multinomial(4, [0.5, 0.3, 0.2], size=(30, 100)).astype(float)
    found = [split_half_reliability(each, **options) for each in noise]  # items alike: what varies is noise
    assert {one.undefined for one in found} == {None, "not_identifiable"}
    assert all(one.low < 0.1 for one in found if one.undefined is None)


def test_both_reliabilities_and_both_corrected_correlations_stand_beside_each_other() -> None:
    rng = np.random.default_rng(2)
    q, truth, counts = planted(rng, 4000, 8)
    found = disagreement(q, counts, 1.5, cluster=np.arange(4000), rng=rng)
    assert found.split_half.value == pytest.approx(found.reliability, abs=0.05)
    true = np.corrcoef(1 - (q**2).sum(axis=1), 1 - (truth**2).sum(axis=1))[0, 1]
    assert found.split_half_correlation == pytest.approx(true, abs=0.05)
    assert found.correlation == pytest.approx(true, abs=0.05)
    few = disagreement(q, np.minimum(counts, 1), 1.5, cluster=np.arange(4000), rng=rng)
    assert few.split_half.undefined == "insufficient_items"
    assert math.isnan(few.split_half_correlation)
