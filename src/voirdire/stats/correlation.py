"""Pearson, Spearman and Kendall correlation of two raters' numbers, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import kendalltau, rankdata

from voirdire.registry import register
from voirdire.stats.estimate import Estimate, undefined
from voirdire.stats.transforms import bounded_estimate, fisher_interval
from voirdire.stats.two_rater import paired_numbers

__all__ = ["kendall_tau_b", "pearson", "spearman"]

Floats = NDArray[np.float64]
BLOCK = 512


@register("statistic", "pearson")
def pearson(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Linear correlation of two raters' numbers over the items that both rated; Fisher's z interval.

    ``x`` and ``y`` are (n,) numbers, NaN where missing. Undefined below two shared items
    (``insufficient_items``) or when either is constant (``no_variation``); no interval below four items or at
    ±1. It says nothing about agreement: a judge twice as strict throughout still correlates perfectly.

    Source: Fisher 1921.

    >>> print(pearson([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]))
    −0.56 [−0.96, 0.64]
    """
    x, y = paired_numbers(x, y)
    return _correlation(x, y, level, spread=lambda r: 1.0, method="Fisher z")


@register("statistic", "spearman")
def spearman(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Rank correlation with mean ranks for ties; arguments and undefined cases as in :func:`pearson`.

    The interval is Fisher's with the standard error sqrt((1 + r²/2) / (n - 3)) of Bonett & Wright 2000.

    >>> round(spearman([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]).value, 4)
    -0.5407
    """
    x, y = paired_numbers(x, y)
    ranks = rankdata(x), rankdata(y)
    return _correlation(*ranks, level, spread=lambda r: math.sqrt(1 + r * r / 2), method="Bonett-Wright")


@register("statistic", "kendall_tau_b")
def kendall_tau_b(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Share of concordant minus discordant item pairs, corrected for ties; arguments as in :func:`pearson`.

    The interval is the delta method's on Fisher's z scale: the better known standard error
    sqrt(0.437 / (n - 4)) of Fieller, Hartley & Pearson 1957 presumes that no two items tie, and labels do.
    No interval below five items.

    Source: Kendall 1945.

    >>> round(kendall_tau_b([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]).value, 4)
    -0.4714
    """
    x, y = paired_numbers(x, y)
    reason = _why_undefined(x, y)
    if reason:
        return undefined(reason, n_items=x.size)
    value = float(kendalltau(x, y).statistic)
    if x.size < 5:
        return Estimate(value, level=level, n_items=x.size, no_interval="insufficient_items")
    interval = fisher_interval(value, _tau_b_error(x, y, value), level)
    return bounded_estimate(value, interval, level=level, n_items=x.size, method="delta method, Fisher z")


def _correlation(
    x: Floats, y: Floats, level: float, *, spread: Callable[[float], float], method: str
) -> Estimate:
    """Pearson's r with Fisher's interval at a z-scale standard error of ``spread(r) / sqrt(n - 3)``."""
    reason = _why_undefined(x, y)
    n = x.size
    if reason:
        return undefined(reason, n_items=n)
    a, b = x - x.mean(), y - y.mean()
    r = float(np.clip((a @ b) / math.sqrt(float(a @ a) * float(b @ b)), -1, 1))
    if n < 4:
        return Estimate(r, level=level, n_items=n, no_interval="insufficient_items")
    interval = fisher_interval(r, spread(r) / math.sqrt(n - 3), level)
    return bounded_estimate(r, interval, level=level, n_items=n, n_ratings=2 * n, method=method)


def _tau_b_error(x: Floats, y: Floats, tau: float) -> float:
    """Delta-method standard error of atanh(tau-b), from each item's part in the three pair counts."""
    pairs, freq = np.unique(np.column_stack([x, y]), axis=0, return_counts=True)
    counts = np.zeros((len(pairs), 3))
    for start in range(0, len(pairs), BLOCK):
        block = pairs[start : start + BLOCK]
        dx, dy = (np.sign(block[:, None, k] - pairs[None, :, k]) for k in (0, 1))
        for column, kind in enumerate((dx * dy, np.abs(dx), np.abs(dy))):
            counts[start : start + BLOCK, column] = kind @ freq
    concordance, spread_x, spread_y = freq @ counts
    influence = 2 * counts[:, 0] / math.sqrt(spread_x * spread_y)
    influence -= tau * (counts[:, 1] / spread_x + counts[:, 2] / spread_y)
    assert math.isclose(concordance / math.sqrt(spread_x * spread_y), tau, abs_tol=1e-9), (
        "the pair counts give tau"
    )
    n = x.size
    return math.sqrt(n / (n - 1) * float(freq @ influence**2)) / max(1 - tau**2, 1e-300)


def _why_undefined(x: Floats, y: Floats) -> str:
    if x.size < 2:
        return "insufficient_items"
    return "no_variation" if np.ptp(x) == 0 or np.ptp(y) == 0 else ""
