"""Shares of verdicts with an interval that knows about clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from voirdire.stats import THESE_RATERS, Estimate, undefined
from voirdire.stats.clustered import ratio_standard_error
from voirdire.stats.proportion import proportion, wilson_interval

__all__ = ["share_of"]


def share_of(
    hits: NDArray[np.bool_] | NDArray[np.float64],
    *,
    cluster: NDArray[np.intp] | None = None,
    level: float = 0.95,
) -> Estimate:
    """The share of true values in ``hits`` (n,), or the mean of shares there, with Wilson's interval.

    Where ``cluster`` (n,) says which cases were drawn together, the interval rests on the effective number
    of cases, p (1 - p) / SE², at most n and at least the number of clusters' worth that a share of 0 or 1
    leaves. Undefined without a case (``no_labels``).

    >>> hits = np.array([True] * 6 + [False] * 4)
    >>> print(share_of(hits), share_of(hits, cluster=np.arange(10) // 2))
    0.60 [0.31, 0.83] 0.60 [0.20, 0.90]
    """
    n = len(hits)
    if cluster is None or not n:
        return proportion(float(hits.sum()), n, level=level)
    p = float(hits.mean())
    _, group = np.unique(cluster, return_inverse=True)
    error, groups = ratio_standard_error(hits.astype(np.float64), np.ones(n), group.astype(np.int64))
    if groups < 1:
        return undefined("no_labels")
    effective = min(float(n), p * (1 - p) / error**2) if error > 0 and 0 < p < 1 else float(groups)
    low, high = wilson_interval(p * effective, effective, level=level)
    return Estimate(
        p,
        float(low),
        float(high),
        level,
        n_items=n,
        n_ratings=n,
        method="Wilson, effective n",
        target=THESE_RATERS,
        n_clusters=groups,
    )
