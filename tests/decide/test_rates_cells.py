"""The many cells at once are what plain loops over clusters give, however entries are ordered and summed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from voirdire.decide import rates_cells
from voirdire.decide.rates_cells import direct_means
from voirdire.decide.rates_design import Design, Values
from voirdire.decide.rates_judges import Said, other_scale
from voirdire.decide.rates_population import Layer, Verdicts
from voirdire.decide.rates_ranks import critical_value
from voirdire.stats.clustered import ratio_standard_error
from voirdire.study import Scale

NONE = np.zeros(0, dtype=np.intp)
SCALE = Scale("pairwise", ("first", "tie", "second"))
LABELS = ("tie", "second", "first", "neither")

Floats = NDArray[np.float64]


def random_design(rng: np.random.Generator, n: int = 240, cells: int = 4, clusters: int = 50) -> Design:
    """Rows that mostly count towards two cells; a third has a label; some clusters lie in one cell alone."""
    one = rng.integers(cells, size=n)
    second = np.flatnonzero(rng.random(n) < 0.7)
    cell = np.concatenate([one, (one[second] + rng.integers(1, cells, size=len(second))) % cells])
    cluster = np.where(rng.random(n) < 0.3, clusters + np.arange(n), rng.integers(clusters, size=n))
    weight = np.where(rng.random(n) < 0.35, rng.uniform(1, 4, size=n), 0.0)
    row = np.concatenate([np.arange(n), second])
    return Design.of(row, cell, cells, cluster=cluster, weight=weight, labels=(NONE, NONE, NONE))


def looped(design: Design, y: Floats, f: Floats, tuning: Floats) -> Floats:
    """Covariance (S, S) of the cells' means, one cluster after another, without the growth for few."""
    total = np.zeros((design.n_cells, design.n_cells))
    for cluster in np.unique(design.cluster):
        error = np.zeros(design.n_cells)
        for s in range(design.n_cells):
            mine = design.cell == s
            w = np.where(mine, design.weight, 0.0)
            at = mine & (design.cluster == cluster)
            labels = w[at] @ (y[at] - np.average(y, weights=w)) / w.sum()
            drawn = w[at] @ (f[at] - np.average(f, weights=w)) / w.sum()
            error[s] = labels - tuning[s] * (drawn - (f[at] - f[mine].mean()).sum() / mine.sum())
        total += np.outer(error, error)
    return total


@pytest.mark.parametrize("dense", [0, 4, 10**6])
def test_covariance_of_cells_is_the_sum_over_clusters(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates_cells, "DENSE", dense)
    rng = np.random.default_rng(31)
    design = random_design(rng)
    f = rng.normal(size=len(design.cell))
    y = f + rng.normal(size=len(f))
    means = direct_means(design, Values(y, f, np.ones(len(f)), np.zeros(0)))
    grow = np.sqrt(design.labelled_clusters / means.df)
    assert design.shared.any()
    assert not design.shared.all()
    np.testing.assert_allclose(
        means.covariance, looped(design, y, f, means.tuning) * np.outer(grow, grow), rtol=1e-12, atol=1e-15
    )


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_the_order_of_entries_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    design = random_design(rng)
    f = rng.normal(size=len(design.cell))
    y = f + rng.normal(size=len(f))
    order = rng.permutation(len(f))
    cell, cluster, weight = design.cell[order], design.cluster[order], design.weight[order]
    each, labels = np.arange(len(f)), (NONE, NONE, NONE)
    moved = Design.of(each, cell, design.n_cells, cluster=cluster, weight=weight, labels=labels)
    one = direct_means(design, Values(y, f, np.ones(len(f)), np.zeros(0)))
    two = direct_means(moved, Values(y[order], f[order], np.ones(len(f)), np.zeros(0)))
    for name in ("value", "covariance", "df", "alone", "alone_variance", "tuning"):
        np.testing.assert_allclose(getattr(two, name), getattr(one, name), rtol=1e-12, atol=1e-14)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_a_judge_alone_is_the_clustered_mean_of_each_cell(seed: int) -> None:
    """Missing verdicts, labels that people do not have, both sides of a pair, clusters within a cell."""
    rng = np.random.default_rng(seed)
    design = random_design(rng)
    swapped = rng.random(len(design.cell)) < 0.5
    chances = [0.3, 0.3, 0.3, 0.02, 0.08]
    judge = Verdicts("judge", LABELS, rng.choice(5, size=240, p=chances).astype(np.int32))
    said = Said.of(judge, Layer("system", tuple("abcd"), design, swapped), SCALE)
    first, second = np.array([1.0, 0.5, 0.0]), np.array([0.0, 0.5, 1.0])
    means, variances = said.means(np.concatenate([first, second]))
    code = judge.code[design.row]
    sides = np.array([[0.5, 0, 1, np.nan, np.nan], [0.5, 1, 0, np.nan, np.nan]])
    value = sides[swapped.astype(int), code]
    for s in range(design.n_cells):
        at = (design.cell == s) & ~np.isnan(value)
        error, _ = ratio_standard_error(value[at], np.ones(at.sum()), design.cluster[at])
        assert means[s] == pytest.approx(value[at].mean(), rel=1e-12)
        assert np.sqrt(variances[s]) == pytest.approx(error, rel=1e-9)
        assert said.missing[s] == ((design.cell == s) & (code == 4)).sum()
    assert said.foreign == bool(other_scale(judge, SCALE))


def test_rounding_does_not_change_what_is_drawn_for_the_ranks() -> None:
    """Eigenvectors of equal roots may turn about freely; the draws may not."""
    covariance = np.eye(6) + 0.2
    found = []
    for seed, scale in itertools.product(range(3), (0.0, 1e-14)):
        noise = np.random.default_rng(seed).normal(size=(6, 6)) * scale
        rng = np.random.default_rng(5)
        found.append(critical_value(covariance + noise + noise.T, 20.0, level=0.95, draws=500, rng=rng))
    np.testing.assert_allclose(found, found[0], rtol=1e-9)
