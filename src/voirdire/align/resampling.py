"""Resampled sums: whole clusters drawn with replacement, or clusters and raters weighted at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["MANY_RATERS", "cluster_sums", "ratio_of_sums", "two_way_sums"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
MANY_RATERS = 10
"""From this many raters on, an interval can speak of new raters."""
CELLS = 4_000_000


def cluster_sums(columns: Floats, cluster: Positions, resamples: int, rng: np.random.Generator) -> Floats:
    """Sums (B, s) of ``columns`` (n, s) when as many clusters as there are are drawn with replacement.

    >>> cluster_sums(np.ones((4, 1)), np.array([0, 0, 1, 1]), 3, np.random.default_rng(1)).tolist()
    [[4.0], [4.0], [4.0]]
    """
    table = _by_cluster(columns, cluster)
    g = len(table)
    parts = [
        rng.multinomial(g, np.full(g, 1 / g), size=size).astype(np.float64) @ table
        for size in _chunks(resamples, g)
    ]
    return np.concatenate(parts)


def ratio_of_sums(columns: Floats, cluster: Positions, resamples: int, rng: np.random.Generator) -> Floats:
    """The first column's sum over the second's (B,), NaN where that is not above 0."""
    sums = cluster_sums(columns, cluster, resamples, rng)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: Floats = np.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], np.nan)
    return ratio


def two_way_sums(
    columns: Floats, cluster: Positions, rater: Positions, resamples: int, rng: np.random.Generator
) -> Floats:
    """Sums (B, s) of label columns (m, s), each label weighted by its cluster's and its rater's Exp(1) draw.

    The pigeonhole bootstrap with independent weights, conservative for two crossed effects (Owen & Eckles
    2012, section 3).
    """
    _, group = np.unique(cluster, return_inverse=True)
    _, who = np.unique(rater, return_inverse=True)
    parts = []
    for size in _chunks(resamples, len(columns)):
        of_cluster = rng.exponential(size=(size, group.max() + 1))
        of_rater = rng.exponential(size=(size, who.max() + 1))
        parts.append((of_cluster[:, group] * of_rater[:, who]) @ columns)
    return np.concatenate(parts)


def _by_cluster(columns: Floats, cluster: Positions) -> Floats:
    _, group = np.unique(cluster, return_inverse=True)
    table = np.zeros((int(group.max()) + 1, columns.shape[1]))
    np.add.at(table, group, columns)
    return table


def _chunks(resamples: int, width: int) -> Iterator[int]:
    """Numbers of resamples whose weights fit in memory together."""
    most = max(1, CELLS // max(width, 1))
    for first in range(0, resamples, most):
        yield min(most, resamples - first)
