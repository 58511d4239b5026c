"""Is the mean of differences of -1, 0 or 1 below a margin? One-sided p-values for few and for like items."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb, gammaln, xlogy

from voirdire.stats.ranks import mean_ranks

__all__ = ["exact_below", "like_below", "signed_rank_below"]

Floats = NDArray[np.float64]
GRID = 201
ROUNDING = 1e-9


def signed_rank_below(down: int, ties: int, up: int, margin: float) -> float:
    """Wilcoxon's one-sided p-value that ``down`` × -1, ``ties`` × 0 and ``up`` × 1 lie below ``margin``.

    Exact, tied ranks included; differences equal to the margin are dropped. It tests symmetry about the
    margin and not the mean: where the mean is exactly the margin it rejects far more often than it should
    (see :func:`exact_below`).

    Source: Wilcoxon 1945; Pratt & Gibbons 1981 on ties.

    >>> round(signed_rank_below(0, 5, 0, 0.2) * 2**5, 9)
    1.0
    """
    distance = np.repeat([-1 - margin, -margin, 1 - margin], [down, ties, up])
    distance = distance[distance != 0]
    ranks = mean_ranks(np.abs(distance))
    weight, first, times = np.unique(distance, return_index=True, return_counts=True)
    size = ranks[first]
    share: Floats = np.ones(1)
    total: Floats = np.zeros(1)
    for k in range(len(weight)):  # each tied group adds its rank times a Binomial(times, 1/2)
        count = np.arange(times[k] + 1)
        total = (total[:, None] + size[k] * count).ravel()
        share = (share[:, None] * comb(times[k], count) / 2.0 ** times[k]).ravel()
    seen = float(size[weight > 0] @ times[weight > 0])
    return min(1.0, float(share[total <= seen + ROUNDING].sum()))


def exact_below(down: int, ties: int, up: int, margin: float) -> float:
    """Exact p-value that the mean of ``down`` × -1, ``ties`` × 0 and ``up`` × 1 lies below ``margin``.

    Outcomes are ordered by Student's t, those without variance below the margin first. The p-value is the
    chance of an outcome at most as large, the largest over every pair of shares of -1 and 1 whose difference
    is the margin; so the test rejects a true mean at or above the margin in at most the nominal share of
    studies, whatever the number of items. With ties alone it is (1 - margin)^n.

    Source: the unconditional exact test of Suissa & Shuster 1991, for a margin.

    >>> round(exact_below(0, 20, 0, 0.2) / 0.8**20, 6)
    1.0
    """
    n = down + ties + up
    minus, plus = (table.ravel() for table in np.meshgrid(np.arange(n + 1), np.arange(n + 1)))
    inside = minus + plus <= n
    minus, plus = minus[inside], plus[inside]
    t = _t(minus, plus, n, margin)
    [seen] = _t(np.array([down]), np.array([up]), n, margin)
    extreme = t <= seen + ROUNDING
    share = np.linspace(0, (1 - margin) / 2, GRID)[:, None]
    chance = _trinomial(minus[extreme], plus[extreme], n, share, share + margin)
    return min(1.0, float(chance.sum(axis=1).max()))


def like_below(mean: Floats, n: NDArray[np.int64], margin: Floats) -> Floats:
    """Bound of the p-value (m,) where all ``n`` units have the same ``mean``, so that t does not exist.

    The units' means have at most 1 as their largest value and, under the null hypothesis, at least the margin
    as their mean; by Markov's inequality a unit is at ``mean`` or below with a chance of at most
    (1 - margin) / (1 - mean). With ties alone this is (1 - margin)^n, which some judge attains.

    >>> round(float(like_below(np.zeros(1), np.array([10]), np.array([0.2]))[0]), 4)
    0.1074
    """
    below = mean < margin
    share = np.where(below, (1 - margin) / (1 - np.where(below, mean, 0.0)), 1.0)
    bound: Floats = share**n
    return bound


def _t(minus: NDArray[np.int64], plus: NDArray[np.int64], n: int, margin: float) -> Floats:
    """Student's t of the mean against the margin; infinite without variance."""
    mean = (plus - minus) / n
    square = np.maximum((plus + minus) / n - mean**2, 0.0)
    flat = square <= ROUNDING
    t = (mean - margin) * math.sqrt(max(n - 1, 1)) / np.sqrt(np.where(flat, 1.0, square))
    ordered: Floats = np.where(flat, np.where(mean < margin, -math.inf, math.inf), t)
    return ordered


def _trinomial(
    minus: NDArray[np.int64], plus: NDArray[np.int64], n: int, p_minus: Floats, p_plus: Floats
) -> Floats:
    """Chance of each count of -1 and 1 among n, (grid, points)."""
    none = n - minus - plus
    ways = gammaln(n + 1) - gammaln(minus + 1) - gammaln(plus + 1) - gammaln(none + 1)
    logs = xlogy(minus, p_minus) + xlogy(plus, p_plus) + xlogy(none, np.maximum(1 - p_minus - p_plus, 0.0))
    chance: Floats = np.exp(ways + logs)
    return chance
