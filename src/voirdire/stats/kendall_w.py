"""Kendall's W: do several raters put the items in the same order?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.ranks import mean_ranks

__all__ = ["KendallW", "kendall_w"]


@dataclass(frozen=True, slots=True)
class KendallW:
    """Concordance from 0 (none) to 1 (one order), and its chi-square test of no concordance.

    ``n_items`` counts the items that every rater ranked: only these enter.
    """

    w: float
    chi2: float
    df: int
    p: float
    n_items: int
    n_raters: int
    undefined: str | None = None


@register("statistic", "kendall_w")
def kendall_w(ratings: ArrayLike) -> KendallW:
    """Agreement of m raters on the order of n items, corrected for ties.

    ``ratings`` is (n, m) numbers, NaN where missing; an item that lacks a rating is left out. Undefined with
    fewer than two raters (``insufficient_raters``) or items (``insufficient_items``), or when every rater
    gave one value to all items (``no_variation``). chi² = m (n - 1) W is an approximation that needs n above
    about 7.

    Source: Kendall & Babington Smith 1939.

    >>> round(kendall_w([[1, 1, 2], [2, 3, 1], [3, 2, 3], [4, 4, 4]]).w, 3)
    0.778
    """
    values = np.asarray(ratings, dtype=np.float64)
    if values.ndim != 2:
        raise UserError(f"ratings of shape {values.shape}", expected="items in rows, raters in columns")
    values = values[~np.isnan(values).any(1)]
    n, m = values.shape
    if m < 2 or n < 2:
        return _undefined(n, m, "insufficient_raters" if m < 2 else "insufficient_items")
    ranks = np.column_stack([mean_ranks(column) for column in values.T])
    tied = [np.unique(column, return_counts=True)[1].astype(np.float64) for column in values.T]
    ties = sum(float((t**3 - t).sum()) for t in tied)
    largest = m**2 * n * (n**2 - 1) - m * ties
    if largest <= 0:
        return _undefined(n, m, "no_variation")
    sums = ranks.sum(1)
    w = 12 * float(((sums - sums.mean()) ** 2).sum()) / largest
    statistic = m * (n - 1) * w
    return KendallW(w, statistic, n - 1, float(chdtrc(n - 1, statistic)), n, m)


def _undefined(n: int, m: int, reason: str) -> KendallW:
    return KendallW(math.nan, math.nan, max(n - 1, 0), math.nan, n, m, reason)
