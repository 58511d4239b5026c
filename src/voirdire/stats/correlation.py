"""Pearson, Spearman and Kendall correlation of two raters' numbers, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.registry import register
from voirdire.stats.estimate import Estimate, undefined
from voirdire.stats.ranks import mean_ranks
from voirdire.stats.transforms import bounded_estimate, fisher_interval, z_error
from voirdire.stats.two_rater import paired_numbers, two_valued

__all__ = ["kendall_tau_b", "pearson", "spearman"]

Floats = NDArray[np.float64]
BLOCK = 512
MOST_PAIRS = 3_000


@register("statistic", "pearson")
def pearson(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Linear correlation of two raters' numbers over the items that both rated.

    ``x`` and ``y`` are (n,) numbers, NaN where missing. Undefined below two shared items
    (``insufficient_items``) or when either is constant (``no_variation``); no interval below four items or at
    ±1. It says nothing about agreement: a judge twice as strict throughout still correlates perfectly.

    The interval is Fisher's, sqrt(1 / (n - 3)) on his z scale, which presumes numbers near normal; where both
    raters use two values it covers too little (87 % at r = 0.67), and the delta method's standard error is
    taken if that is larger.

    Source: Fisher 1921.

    >>> print(pearson([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]))
    −0.56 [−0.96, 0.64]
    """
    x, y = paired_numbers(x, y)
    return _correlation(x, y, level, spread=lambda r: 1.0, method="Fisher z")


@register("statistic", "spearman")
def spearman(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Rank correlation with mean ranks for ties; arguments and undefined cases as in :func:`pearson`.

    The interval is Fisher's with the standard error sqrt((1 + r²/2) / (n - 3)) of Bonett & Wright 2000, or
    with the delta method's, if larger, where both raters use two values.

    >>> round(spearman([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]).value, 4)
    -0.5407
    """
    x, y = paired_numbers(x, y)
    ranks = mean_ranks(x), mean_ranks(y)
    return _correlation(*ranks, level, spread=lambda r: math.sqrt(1 + r * r / 2), method="Bonett-Wright")


@register("statistic", "kendall_tau_b")
def kendall_tau_b(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Share of concordant minus discordant item pairs, corrected for ties; arguments as in :func:`pearson`.

    The interval is on Fisher's z scale, with the larger of two standard errors: sqrt(0.437 / (n - 4)) of
    Fieller, Hartley & Pearson 1957, which presumes that no two items tie, and the delta method's, which
    allows for ties. No interval below five items.

    Source: Kendall 1945.

    >>> round(kendall_tau_b([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]).value, 4)
    -0.4714
    """
    from scipy.stats import kendalltau  # slow to import, and needed nowhere else

    x, y = paired_numbers(x, y)
    reason = _why_undefined(x, y)
    if reason:
        return undefined(reason, n_items=x.size)
    value = float(kendalltau(x, y).statistic)
    if x.size < 5:
        return Estimate(value, level=level, n_items=x.size, no_interval="insufficient_items")
    n = x.size
    se = max(_tau_b_error(x, y, value), math.sqrt(0.437 / (n - 4)))
    interval = fisher_interval(value, se, level)
    method = "Fieller or delta method"
    return bounded_estimate(value, interval, level=level, n_items=n, n_ratings=2 * n, method=method)


def _correlation(
    x: Floats, y: Floats, level: float, *, spread: Callable[[float], float], method: str
) -> Estimate:
    """Pearson's r with Fisher's interval at a z-scale standard error of ``spread(r) / sqrt(n - 3)``."""
    reason = _why_undefined(x, y)
    n = x.size
    if reason:
        return undefined(reason, n_items=n)
    a, b = (v - v.mean() for v in (x, y))
    a, b = (v / math.sqrt(float(v @ v) / n) for v in (a, b))
    r = float(np.clip(a @ b / n, -1, 1))
    if n < 4:
        return Estimate(r, level=level, n_items=n, no_interval="insufficient_items")
    se = spread(r) / math.sqrt(n - 3)
    if two_valued(x) and two_valued(y):
        influence = a * b - r * (a**2 + b**2) / 2
        se, method = max(se, z_error(influence, r)), f"{method} or delta method"
    interval = fisher_interval(r, se, level)
    return bounded_estimate(r, interval, level=level, n_items=n, n_ratings=2 * n, method=method)


def _tau_b_error(x: Floats, y: Floats, tau: float) -> float:
    """Delta-method standard error of atanh(tau-b), from each item's part in the three pair counts.

    Beyond ``MOST_PAIRS`` distinct pairs the variance is that of an even selection of so many items.
    """
    n = x.size
    pairs, freq = np.unique(np.column_stack([x, y]), axis=0, return_counts=True)
    if len(pairs) > MOST_PAIRS:
        chosen = np.repeat(np.arange(len(pairs)), freq)[np.linspace(0, n - 1, MOST_PAIRS).astype(np.int64)]
        pairs, freq = pairs[chosen], np.ones(MOST_PAIRS, dtype=np.int64)
    counts = _pair_counts(pairs, freq.astype(np.float64))
    concordance, spread_x, spread_y = freq @ counts
    influence = 2 * counts[:, 0] / math.sqrt(spread_x * spread_y)
    influence -= (
        concordance / math.sqrt(spread_x * spread_y) * (counts[:, 1] / spread_x + counts[:, 2] / spread_y)
    )
    # the parts are shares of the items counted here: their variance is that of one item over their number
    variance = int(freq.sum()) * float(freq @ influence**2) / (n - 1)
    return math.sqrt(variance) / max(1 - tau**2, 1e-300)


def _pair_counts(pairs: Floats, freq: Floats) -> Floats:
    """For each distinct pair: concordant less discordant partners, and partners untied in x and in y."""
    counts = np.zeros((len(pairs), 3))
    for start in range(0, len(pairs), BLOCK):
        block = pairs[start : start + BLOCK]
        dx, dy = (np.sign(block[:, None, k] - pairs[None, :, k]) for k in (0, 1))
        for column, kind in enumerate((dx * dy, np.abs(dx), np.abs(dy))):
            counts[start : start + BLOCK, column] = kind @ freq
    return counts


def _why_undefined(x: Floats, y: Floats) -> str:
    if x.size < 2:
        return "insufficient_items"
    return "no_variation" if np.ptp(x) == 0 or np.ptp(y) == 0 else ""
