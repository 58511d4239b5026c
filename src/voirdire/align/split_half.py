"""How reliable is the observed disagreement of an item? Two halves of its labels, compared over items."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from voirdire.align.resampling import cluster_sums
from voirdire.align.scores import observed_disagreement
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.intervals import percentile

__all__ = ["FEWEST_LABELS", "split_half_reliability"]

Floats = NDArray[np.float64]
FEWEST_LABELS = 4
"""Two in each half, the fewest that can differ."""
FEWEST_ROWS = 20
DRAWS = 20


def split_half_reliability(
    counts: Floats,
    *,
    cluster: NDArray[np.intp],
    level: float = 0.95,
    resamples: int = 2000,
    rng: np.random.Generator,
) -> Estimate:
    """Share of the variance of rows' observed disagreement that is not label noise, without a model.

    ``counts`` is (n, C), ``cluster`` (n,). Each row with four labels or more is cut into halves at random,
    many times. Given an item, its halves differ by label noise alone, so that the covariance of their
    disagreements over items is the variance without noise; it is divided by the variance over whole rows.
    (Spearman and Brown's step up from the correlation of halves is too low here: the noise of a share of
    pairs falls faster than the number of labels grows.) Undefined below 20 such rows
    (``insufficient_items``), without spread (``no_variation``), and where the covariance is not above 0
    (``not_identifiable``).

    Source: Lord & Novick 1968, section 3.3 (reliability as a ratio of variances, true over observed).

    >>> rng = np.random.default_rng(1)
    >>> split_half_reliability(np.ones((5, 2)), cluster=np.arange(5), rng=rng).undefined
    'insufficient_items'
    """
    used = counts.sum(axis=1) >= FEWEST_LABELS
    n = int(used.sum())
    if n < FEWEST_ROWS:
        return undefined("insufficient_items", n_items=n)
    moments = _moments(counts[used], rng)
    value = float(_ratio(moments.sum(axis=0)[None])[0])
    if not value > 0:
        return undefined("no_variation" if math.isnan(value) else "not_identifiable", n_items=n)
    bounds = percentile(_ratio(cluster_sums(moments, cluster[used], resamples, rng)), level)
    return Estimate(
        value,
        bounds.low,
        bounds.high,
        level,
        n_items=n,
        n_ratings=int(counts[used].sum()),
        method="split halves, percentile over clusters",
        target=THESE_RATERS,
        no_interval=bounds.none,
        resamples=bounds.resamples,
        undefined_resamples=bounds.undefined,
        n_clusters=len(np.unique(cluster[used])),
    )


def _halves(counts: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Observed disagreement (n,) of two halves of each row's labels, drawn without replacement.

    Of an odd number one label is left out.
    """
    size = counts.sum(axis=1).astype(np.int64) // 2
    first = _draw(counts, size, rng)
    second = _draw(counts - first, size, rng)
    return observed_disagreement(first), observed_disagreement(second)


def _draw(counts: Floats, size: NDArray[np.int64], rng: np.random.Generator) -> Floats:
    """``size`` (n,) of each row's labels at random (n, C): a multivariate hypergeometric draw."""
    left, wanted = counts.sum(axis=1).astype(np.int64), size.copy()
    drawn = np.zeros(counts.shape)
    for c, column in enumerate(counts.astype(np.int64).T):
        left -= column
        drawn[:, c] = rng.hypergeometric(column, left, wanted)
        wanted -= drawn[:, c].astype(np.int64)
    return drawn


def _moments(counts: Floats, rng: np.random.Generator) -> Floats:
    """Of each row (n, 5): one, its halves' mean and product, its own disagreement and the square of that."""
    halves = np.zeros((len(counts), 2))
    for _ in range(DRAWS):
        x, y = _halves(counts, rng)
        halves += np.stack([(x + y) / 2, x * y], axis=1) / DRAWS
    whole = observed_disagreement(counts)
    return np.column_stack([np.ones(len(counts)), halves, whole, whole**2])


def _ratio(sums: Floats) -> Floats:
    """Covariance of halves over the variance of wholes (B,), from sums of moments (B, 5)."""
    one, mean, product, whole, square = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = square / one - (whole / one) ** 2
        found: Floats = np.where(variance > 1e-12, (product / one - (mean / one) ** 2) / variance, np.nan)
    return found
