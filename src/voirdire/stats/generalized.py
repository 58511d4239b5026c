"""The generalized interval of absolute-agreement ICC: it holds its level where the published one does not."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import chdtr, gammaincinv

from voirdire.stats.mean_squares import MeanSquares

__all__ = ["generalized_interval"]

Floats = NDArray[np.float64]


def generalized_interval(table: MeanSquares, level: float) -> tuple[float, float]:
    """Interval of ICC(A,1) from the distribution of its generalized pivotal quantity.

    Each mean square is replaced by itself over an independent chi-square / df; the interval's ends are
    quantiles of the ICC that results (rater variance not below 0). The quantity's distribution function is
    integrated, not drawn: exactly over raters, whose few degrees of freedom matter most, and over equally
    probable points for items and error. NaN where there is no error variance.

    Source: Weerahandi 1993; Burdick, Quiroz & Iyer 2006.
    """
    if table.error == 0 or table.items == 0:
        return math.nan, math.nan
    items = table.items / _chi_square_points(table.df_items, 64)[:, None]
    error = table.error / _chi_square_points(table.df_error, 16)[None, :]
    between, rest = items - error, items + (table.k - 1) * error

    def share_below(x: float) -> float:
        """Probability that (items - error) / (rest + k (raters - error)+ / n) is at most ``x``."""
        if x == 0:
            return float((between <= 0).mean())
        bound = error + (table.n / table.k) * (between / x - rest)
        with np.errstate(divide="ignore"):
            at_most = np.where(bound > 0, 1 - chdtr(table.df_raters, _scaled(table, bound)), 0.0)
        if x < 0:
            return float(np.where((between < 0) & (bound >= error), at_most, 0.0).mean())
        return float(np.where((between <= 0) | (bound <= error), 1.0, 1 - at_most).mean())

    tail = (1 - level) / 2
    return _quantile(share_below, tail, table.k), _quantile(share_below, 1 - tail, table.k)


def _scaled(table: MeanSquares, bound: Floats) -> Floats:
    """The chi-square below which the raters' mean square exceeds ``bound``."""
    return table.df_raters * table.raters / np.maximum(bound, 1e-300)


def _quantile(share_below: Callable[[float], float], p: float, k: float) -> float:
    low, high = -1 / (k - 1), 1 - 1e-12
    if share_below(low) >= p:
        return low
    if share_below(high) <= p:
        return 1.0
    return float(brentq(lambda x: share_below(x) - p, low, high, xtol=1e-7))


def _chi_square_points(df: float, n: int) -> Floats:
    """Equally probable values of chi-square / df."""
    middle = (np.arange(n) + 0.5) / n
    return np.asarray(2 * gammaincinv(df / 2, middle) / df, dtype=np.float64)
