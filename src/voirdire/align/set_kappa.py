"""Agreement of one judge with people beyond chance, where both are shares of labels on each row."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from voirdire.align.resampling import cluster_sums
from voirdire.stats import intervals
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined

__all__ = ["shares_kappa"]

Floats = NDArray[np.float64]
CERTAIN = 1 - 1e-12
"""Agreement by chance from here on is certain: every label is the same."""


def shares_kappa(
    judge: Floats,
    people: Floats,
    weights: Floats,
    cluster: NDArray[np.intp],
    *,
    level: float = 0.95,
    resamples: int = 2000,
    rng: np.random.Generator,
) -> Estimate:
    """(A_o - A_e) / (1 - A_e) of shares ``judge`` and ``people`` (n, X), with agreement ``weights`` (X, X).

    A_o is the mean over rows of q' W p, A_e that of the mean q and the mean p: the coefficient of
    :func:`voirdire.stats.judge_agreement`, here for people whose labels are shares too. Rows with a NaN are
    left out. Undefined without rows (``no_labels``) or where chance agreement is 1 (``no_variation``).
    Interval: t times the standard error of whole clusters drawn anew, not cut at 1. Vanbelle & Albert 2009.

    >>> yes, no = np.array([[1.0, 0.0]] * 3), np.array([[0.0, 1.0]] * 3)
    >>> mixed = np.concatenate([yes, no])
    >>> found = shares_kappa(mixed, mixed, np.eye(2), np.arange(6), rng=np.random.default_rng(1))
    >>> found.value
    1.0
    """
    kept = np.isfinite(judge).all(axis=1) & np.isfinite(people).all(axis=1)
    q, p, groups = judge[kept], people[kept], cluster[kept]
    if not len(q):
        return undefined("no_labels")
    same = np.einsum("nx,xy,ny->n", q, weights, p)
    columns = np.column_stack([np.ones(len(q)), same, q, p])
    value = float(_kappa(columns.sum(axis=0)[None], weights)[0])
    if math.isnan(value):
        return undefined("no_variation", n_items=len(q))
    drawn = _kappa(cluster_sums(columns, groups, resamples, rng), weights)
    units = len(np.unique(groups))
    bounds = _bounds(value, drawn[np.isfinite(drawn)], units, level)
    return Estimate(
        value,
        bounds.low,
        bounds.high,
        level,
        n_items=len(q),
        method="bootstrap standard error, t",
        target=THESE_RATERS,
        no_interval=bounds.none,
        resamples=resamples,
        undefined_resamples=int(np.isnan(drawn).sum()),
        n_clusters=units,
    )


def _bounds(value: float, drawn: Floats, units: int, level: float) -> intervals.Bounds:
    """Value and Student's t times the spread of the defined resamples, which is too small by (n - 1) / n."""
    if units < 2:
        return intervals.none("insufficient_items")
    if len(drawn) < 2:
        return intervals.none("too_few_resamples")
    error = float(drawn.std(ddof=1)) * math.sqrt(units / (units - 1))
    return intervals.student(value, error, units - 1, level)


def _kappa(sums: Floats, weights: Floats) -> Floats:
    """The coefficient of each row of sums (B, 2 + 2 X): rows, agreement, the judge's shares, people's."""
    n, x = sums[:, :1], len(weights)
    observed = sums[:, 1] / n[:, 0]
    expected = np.einsum("bx,xy,by->b", sums[:, 2 : 2 + x] / n, weights, sums[:, 2 + x :] / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa: Floats = np.where(expected < CERTAIN, (observed - expected) / (1 - expected), np.nan)
    return kappa
