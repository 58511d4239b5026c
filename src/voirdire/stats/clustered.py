"""The mean of one number an item, with the standard error of items that come in clusters."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.transforms import normal_quantile

__all__ = ["clustered_mean", "ratio_standard_error"]

Floats = NDArray[np.float64]


def ratio_standard_error(x: Floats, d: Floats, cluster: NDArray[np.int64]) -> tuple[float, int]:
    """Standard error of ``sum x / sum d`` when whole clusters are drawn, and the number of clusters.

    ``x``, ``d`` and ``cluster`` are (n,), cluster codes 0..G-1; a cluster whose ``d`` is 0 adds nothing and
    is not counted. NaN below two clusters. Linearised ratio, Cochran 1977, section 6.3.
    """
    sums_d = np.bincount(cluster, d)
    used = sums_d > 0
    g = int(used.sum())
    if g < 2:
        return math.nan, g
    residual = (np.bincount(cluster, x) - x.sum() / d.sum() * sums_d)[used]
    return float(np.sqrt(g / (g - 1) * (residual**2).sum()) / d.sum()), g


def clustered_mean(x: ArrayLike, *, cluster: ArrayLike | None = None, level: float = 0.95) -> Estimate:
    """Mean of ``x`` (n,) with a t interval on one degree of freedom fewer than there are clusters.

    Undefined without a value (``no_labels``); no interval from one cluster or without spread.

    >>> print(clustered_mean([1.0, 2.0, 3.0, 2.0]))
    2.00 [0.70, 3.30]
    """
    values = np.asarray(x, dtype=np.float64)
    normal_quantile(level)
    if values.size == 0:
        return undefined("no_labels")
    groups = np.arange(values.size) if cluster is None else np.asarray(cluster, dtype=np.int64)
    mean, n = float(values.mean()), values.size
    se, g = ratio_standard_error(values, np.ones(n), groups)
    if g < 2 or se == 0:
        reason = "insufficient_items" if g < 2 else "zero_width"
        return Estimate(mean, level=level, n_items=n, n_ratings=n, n_clusters=g, no_interval=reason)
    reach = float(stdtrit(g - 1, (1 + level) / 2)) * se
    return Estimate(
        mean,
        mean - reach,
        mean + reach,
        level,
        n_items=n,
        n_ratings=n,
        method="t over clusters" if cluster is not None else "t",
        target=THESE_RATERS,
        n_clusters=g,
    )
