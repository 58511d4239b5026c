"""Agreement of one judge with people beyond chance, where both are shares of labels on each row."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.align.resampling import cluster_sums
from voirdire.stats import intervals
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined

__all__ = ["shares_kappa", "shares_kappas"]

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
    return shares_kappas([(judge, people, weights)], cluster, level=level, resamples=resamples, rng=rng)[0]


def shares_kappas(
    compared: Sequence[tuple[Floats, Floats, Floats]],
    cluster: NDArray[np.intp],
    *,
    level: float = 0.95,
    resamples: int = 2000,
    rng: np.random.Generator,
) -> list[Estimate]:
    """:func:`shares_kappa` of each (judge, people, weights), all on the same resamples of the clusters."""
    columns = [_columns(*one) for one in compared]
    drawn = cluster_sums(np.concatenate(columns, axis=1), cluster, resamples, rng)
    ends = np.cumsum([one.shape[1] for one in columns])[:-1]
    parts = np.split(drawn, ends, axis=1)
    return [
        _estimate(own, part, weights, cluster, level)
        for own, part, (_, _, weights) in zip(columns, parts, compared, strict=True)
    ]


def _columns(judge: Floats, people: Floats, weights: Floats) -> Floats:
    """Of each row (n, 2 + 2 X): 1, agreement, the judge's shares, people's; zeros where one has none."""
    kept = np.isfinite(np.concatenate([judge, people], axis=1)).all(axis=1)
    q, p = (np.where(kept[:, None], shares, 0.0) for shares in (judge, people))
    return np.column_stack([kept, np.einsum("nx,xy,ny->n", q, weights, p), q, p]).astype(np.float64)


def _estimate(
    columns: Floats, sums: Floats, weights: Floats, cluster: NDArray[np.intp], level: float
) -> Estimate:
    """The coefficient of ``columns``, with an interval from their resampled ``sums`` (B, 2 + 2 X)."""
    kept = columns[:, 0] > 0
    n = int(kept.sum())
    if not n:
        return undefined("no_labels")
    value = float(_kappa(columns.sum(axis=0)[None], weights)[0])
    if math.isnan(value):
        return undefined("no_variation", n_items=n)
    drawn = _kappa(sums, weights)
    units = len(np.unique(cluster[kept]))
    bounds = _bounds(value, drawn[np.isfinite(drawn)], units, level)
    return Estimate(
        value,
        bounds.low,
        bounds.high,
        level,
        n_items=n,
        method="bootstrap standard error, t",
        target=THESE_RATERS,
        no_interval=bounds.none,
        resamples=len(drawn),
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
    """The coefficient of each row of sums (B, 2 + 2 X), NaN without rows or where chance agreement is 1."""
    n, x = sums[:, :1], len(weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = sums[:, 1] / n[:, 0]
        expected = np.einsum("bx,xy,by->b", sums[:, 2 : 2 + x] / n, weights, sums[:, 2 + x :] / n)
        kappa: Floats = np.where(expected < CERTAIN, (observed - expected) / (1 - expected), np.nan)
    return kappa
