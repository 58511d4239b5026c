"""A weighted sum of ratios over the same clusters: by how much a share moved, and what is left over."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from voirdire.stats.estimate import Estimate, undefined

__all__ = ["ratio_contrast"]

METHOD = "linearised, t over clusters"
NOTHING = 1e-12
"""A variance up to this share of the largest possible one is rounding."""


def ratio_contrast(
    weights: ArrayLike, x: ArrayLike, d: ArrayLike, *, level: float = 0.95, target: str = ""
) -> Estimate:
    """The sum of ``weights`` (K,) times the ratios sum x / sum d, whose cases come in the same G clusters.

    ``x`` and ``d`` (K, G) are sums over each cluster's cases, of what is averaged and of their number; with
    weights 1 and -1 it is the change of a ratio, paired by cluster. Undefined where a ratio has no case;
    without an interval below two clusters, and where clusters show no spread. ``n_items`` counts the cases of
    the largest ratio.

    Source: Cochran 1977, section 6.3 (linearised ratio), and section 6.12 (difference of two ratios).

    >>> change = ratio_contrast([1, -1], [[3, 2, 4], [2, 2, 2]], [[4, 4, 4], [4, 4, 4]])
    >>> print(change)
    0.25 [−0.37, 0.87]
    """
    w = np.asarray(weights, dtype=np.float64)
    sums, counts = np.asarray(x, dtype=np.float64), np.asarray(d, dtype=np.float64)
    n = counts.sum(axis=1)
    if not (n > 0).all():
        return undefined("no_labels")
    ratios = sums.sum(axis=1) / n
    value = float(w @ ratios)
    clusters = int((counts > 0).any(axis=0).sum())
    told: dict[str, Any] = {"level": level, "n_items": int(n.max()), "n_clusters": clusters, "target": target}
    if clusters < 2:
        return Estimate(value, no_interval="insufficient_items", **told)
    moved = (w / n) @ (sums - ratios[:, None] * counts)
    variance = clusters / (clusters - 1) * float(moved @ moved)
    largest = float(np.abs(w / n) @ np.abs(counts) @ (np.abs(w / n) @ np.abs(counts)))
    if variance <= NOTHING * largest:
        return Estimate(value, no_interval="zero_width", **told)
    reach = float(stdtrit(clusters - 1, (1 + level) / 2)) * math.sqrt(variance)
    return Estimate(value, value - reach, value + reach, method=METHOD, **told)
