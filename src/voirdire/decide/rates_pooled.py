"""Cells with few labels borrow from the others: a normal model of how much the correction differs by cell.

The correction of a cell (mean label minus mean prediction) is taken as drawn from a normal distribution over
cells, whose mean and spread are estimated from all cells. The spread is not fixed at its best value but
averaged over, so that intervals are right on average over cells also where few cells tell little of it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from voirdire.decide.rates_cells import Means
from voirdire.decide.rates_design import Design, Values

__all__ = ["FEWEST_CELLS", "pooled_corrections", "with_pooled"]

FEWEST_CELLS = 3
"""The spread over cells needs as many cells with labels."""
GRID = 400

Floats = NDArray[np.float64]


def with_pooled(means: Means, design: Design, values: Values, *, fewest: int, span: float) -> Means:
    """``means`` in which cells with fewer than ``fewest`` labelled rows borrow, or are NaN where they cannot.

    ``span`` is how far the values of labels lie apart, twice the largest spread that is thought possible.
    """
    n = design.labelled_rows
    few = (n < fewest) & (design.rows > 0)
    if not few.any():
        return means
    value, covariance, df = means.value.copy(), means.covariance.copy(), means.df.copy()
    covariance[few], covariance[:, few] = 0.0, 0.0
    can = int((n > 0).sum()) >= FEWEST_CELLS and int(n.sum()) >= fewest
    if not can:
        value[few] = np.nan
        covariance[few, few] = np.nan
        return replace(means, value=value, covariance=covariance, pooled=few)
    lam, correction, variance = _observed(design, values)
    centre, spread = pooled_corrections(correction, variance, largest=span / 2)
    rows, f = design.rows, values.f
    mean = design.total(f) / np.maximum(rows, 1)
    within = design.total((f - mean[design.cell]) ** 2) / np.maximum(rows, 1) ** 2
    value[few] = (lam * mean + centre)[few]
    covariance[np.ix_(few, few)] = (spread + np.diag(lam**2 * within))[np.ix_(few, few)]
    clusters = len(np.unique(design.cluster[design.labelled]))
    # the inflation is learned from as many clusters as have labels, and no better than they tell it
    df[few] = float(max(1, min(n.sum() - (n > 0).sum(), clusters - 1)))
    tuning = np.where(few, lam, means.tuning)
    return replace(means, value=value, covariance=covariance, df=df, tuning=tuning, pooled=few)


def _observed(design: Design, values: Values) -> tuple[float, Floats, Floats]:
    """One lambda, each cell's correction (S,) and its variance (S,), infinite where unlabelled."""
    at = design.labelled
    y, f, w, cell = values.y[at], values.f[at], design.weight[at], design.cell[at]
    total = design.total(w, at)
    safe = np.where(total > 0, total, 1.0)

    def centred(x: Floats) -> Floats:
        return x - (design.total(w * x, at) / safe)[cell]

    dy, df = centred(y), centred(f)
    square = float(w @ df**2)
    lam = float(np.clip(w @ (dy * df) / square, 0.0, 1.0)) if square > 1e-20 else 0.0
    residual = dy - lam * df
    one = _variance_of_one(design, residual, values.spread[at], at)
    scaled = w * residual / safe[cell]
    alone = float(scaled @ scaled)
    by_cluster = design.by_block(scaled, at)
    # rows of one cluster may share their error: as much more variance as all cells together show
    inflation = max(1.0, float(by_cluster @ by_cluster) / alone) if alone > 0 else 1.0
    kish = total**2 / np.where(total > 0, design.total(w**2, at), 1.0)
    variance = np.where(total > 0, one * inflation / np.maximum(kish, 1e-12), np.inf)
    correction = np.where(total > 0, design.total(w * (y - lam * f), at) / safe, 0.0)
    return lam, correction, variance


def _variance_of_one(design: Design, residual: Floats, spread: Floats, at: NDArray[np.intp]) -> Floats:
    """Variance of one row's residual by cell (S,): what is predicted of its rows, scaled to what all show.

    A cell's own few residuals are not used: one that has seen a rare label by chance would seem uncertain,
    and one that has not would seem sure.
    """
    n = design.labelled_rows
    predicted = design.total(spread, at) / np.maximum(n, 1)
    expected = float((predicted * np.maximum(n - 1, 0)).sum())
    scale = float(residual @ residual) / expected if expected > 0 else 1.0
    return scale * predicted


def pooled_corrections(correction: Floats, variance: Floats, *, largest: float) -> tuple[Floats, Floats]:
    """Posterior mean (S,) and covariance (S, S) of corrections observed with ``variance`` (S,).

    A cell that was not observed has infinite variance. The prior is flat in the common mean and in the
    spread between 0 and ``largest``.

    Source: Gelman et al. 2013, Bayesian Data Analysis, sections 5.4 and 5.7; Morris 1983.

    >>> mean, covariance = pooled_corrections(
    ...     np.array([0.1, 0.3, 0.0]), np.array([0.01, 0.01, np.inf]), largest=0.5
    ... )
    >>> mean.round(2).tolist(), np.sqrt(np.diag(covariance)).round(2).tolist()
    ([0.13, 0.27, 0.2], [0.1, 0.1, 0.32])
    """
    seen = np.isfinite(variance)
    v = np.maximum(np.where(seen, variance, 1.0), 1e-12)
    tau = np.linspace(0, largest, GRID)[:, None]
    precision = np.where(seen, 1 / (v + tau**2), 0.0)
    total = precision.sum(axis=1, keepdims=True)
    mu = (precision * correction).sum(axis=1, keepdims=True) / total
    misfit = (precision * (correction - mu) ** 2).sum(axis=1)
    log = 0.5 * (np.log(np.where(seen, precision, 1.0)).sum(axis=1) - np.log(total[:, 0]) - misfit)
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    own = np.where(seen, tau**2 / (v + tau**2), 0.0)
    mean = own * correction + (1 - own) * mu
    spread = np.where(seen, own * v, tau**2)
    centre = weight @ mean
    loose = np.sqrt(weight)[:, None]
    shared = loose * (1 - own) / np.sqrt(total)
    moved = loose * (mean - centre)
    return centre, np.diag(weight @ spread) + shared.T @ shared + moved.T @ moved
