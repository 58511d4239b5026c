"""The interval of a mean loss measured out of fold, for new items and newly drawn training labels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from voirdire.stats.clustered import clustered_mean, ratio_standard_error
from voirdire.stats.estimate import Estimate

__all__ = ["over_draws"]

TARGET = "these raters, new items and training labels"


def over_draws(
    values: NDArray[np.float64],
    fold: NDArray[np.intp],
    cluster: NDArray[np.intp],
    *,
    level: float = 0.95,
) -> Estimate:
    """Mean of ``values`` (R, n), a loss or a difference of losses of n rows in each of R repeats.

    ``fold`` (R, n) is the part in which a row was held out, each part after a training of its own, and
    ``cluster`` (n,) are codes 0..G-1. The squared standard error is that over clusters plus the variance of
    the parts' means over their number: how much the result depends on which labels were learned from. The
    second holds some of the first again, which makes up for trainings that share rows (no unbiased estimate
    exists: Bengio & Grandvalet 2004, section 3); ``benchmarks/learning_curves.py`` measures the coverage.
    No interval from one part.

    >>> loss = np.array([[1.0, 2.0, 3.0, 2.0]])
    >>> print(over_draws(loss, np.array([[0, 0, 1, 1]]), np.arange(4)))
    2.00 [−0.05, 4.05]
    """
    rows: NDArray[np.float64] = values.mean(axis=0)
    alone = clustered_mean(rows, cluster=cluster, level=level)
    means = [
        float(each[part == k].mean())
        for each, part in zip(values, fold, strict=True)
        for k in np.unique(part).tolist()
    ]
    if not alone.has_interval or len(means) < 2:
        return alone
    error, n_clusters = ratio_standard_error(rows, np.ones(len(rows)), cluster.astype(np.int64))
    total = math.sqrt(error**2 + float(np.var(means, ddof=1)) / len(means))
    reach = float(stdtrit(n_clusters - 1, (1 + level) / 2)) * total
    return Estimate(
        alone.value,
        alone.value - reach,
        alone.value + reach,
        level,
        n_items=alone.n_items,
        n_ratings=alone.n_ratings,
        method="t over clusters and training draws",
        target=TARGET,
        n_clusters=n_clusters,
    )
