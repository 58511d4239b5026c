"""Intraclass correlation: how much of the ratings' variance is between items?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtri

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.estimate import NEW_RATERS, THESE_RATERS, Estimate, undefined
from voirdire.stats.generalized import generalized_interval
from voirdire.stats.mean_squares import (
    MeanSquares,
    coded_numbers,
    complete_table,
    error_degrees,
    incomplete_table,
)
from voirdire.stats.transforms import bounded_estimate, normal_quantile
from voirdire.stats.variance_components import LARGEST

__all__ = ["ICC", "intraclass_correlation"]

Interval = tuple[float, float]
SHARED_RATERS = (
    "The interval presumes other raters for every item; here the same raters, who differ, rated several."
)
ABSOLUTE_INTERVALS = ("generalized", "satterthwaite")


@dataclass(frozen=True, slots=True)
class ICC:
    """The six intraclass correlations and the mean squares they come from.

    ``one_way`` ICC(1): raters differ from item to item. ``absolute`` ICC(A,1), also ICC(2,1): the same
    raters, drawn from more, whose differing severity counts as error. ``consistency`` ICC(C,1), also
    ICC(3,1): these raters, severity left out. ``mean_*``: the same for the mean of ``k`` ratings. ``method``
    is ``"ANOVA"`` for complete tables and ``"REML"`` with missing cells, where the mean squares are those of
    a complete table with the same components.
    """

    one_way: Estimate
    absolute: Estimate
    consistency: Estimate
    mean_one_way: Estimate
    mean_absolute: Estimate
    mean_consistency: Estimate
    between_items: float
    within_items: float
    between_raters: float
    error: float
    k: float
    method: str


@register("statistic", "intraclass_correlation")
def intraclass_correlation(
    item: ArrayLike,
    rater: ArrayLike,
    value: ArrayLike,
    *,
    absolute_interval: str = "generalized",
    level: float = 0.95,
) -> ICC:
    """All six ICC forms, with intervals, from complete or incomplete ratings.

    ``item``, ``rater`` and ``value`` are (n,), one entry a rating: codes and numbers; a NaN value is a
    missing rating; at most one rating of an item by a rater. Complete tables give the analysis-of-variance
    forms of Shrout & Fleiss. With missing cells, components are REML's (ICC(1): the one-way analysis of
    variance with n0), and intervals take the harmonic mean number of ratings of an item (k) and of a rater,
    with the table's own degrees of freedom: an approximation that meets the exact form as cells fill.

    Intervals of the mean's forms are Spearman and Brown's step from those of the single forms. ICC(1) and
    (C,1) have the F interval. ``absolute_interval`` is ``"generalized"`` (default; simulated coverage 94 to
    96 %) or ``"satterthwaite"``, the published form that other packages give: with 3 to 5 raters who differ
    it covers only 80 to 91 %. Where raters differ and are the same on all items, ICC(1)'s interval does not
    hold.

    Undefined with ``insufficient_items`` or ``insufficient_raters`` (fewer than two), ``no_variation``,
    ``not_identifiable`` (no degree of freedom left for error) or ``too_large`` (missing cells and more than
    2,000 of both items and raters).

    Source: Shrout & Fleiss 1979; McGraw & Wong 1996; Searle, Casella & McCulloch 1992; generalized interval:
    Burdick, Quiroz & Iyer 2006.

    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> item, rater = np.indices((6, 4)).reshape(2, -1)
    >>> icc = intraclass_correlation(item, rater, np.ravel(ratings), absolute_interval="satterthwaite")
    >>> print(icc.absolute, icc.consistency, sep=", ")
    0.29 [0.02, 0.76], 0.71 [0.34, 0.95]
    """
    normal_quantile(level)
    if absolute_interval not in ABSOLUTE_INTERVALS:
        raise UserError(f"no interval named '{absolute_interval}'", expected=" or ".join(ABSOLUTE_INTERVALS))
    items, raters, values = coded_numbers(item, rater, value)
    n_items, n_raters = (int(codes.max(initial=-1)) + 1 for codes in (items, raters))
    if n_items < 2 or n_raters < 2:
        return _undefined("insufficient_items" if n_items < 2 else "insufficient_raters", n_items)
    if np.ptp(values) == 0:
        return _undefined("no_variation", n_items)
    if values.size == n_items * n_raters:
        table, method = complete_table(items, raters, values), "ANOVA"
        return _from_table(table, values.size, method, absolute_interval, level)
    df_error = error_degrees(items, raters)
    if df_error < 1 or min(n_items, n_raters) > LARGEST:
        return _undefined("not_identifiable" if df_error < 1 else "too_large", n_items)
    table, method = incomplete_table(items, raters, values, df_error), "REML"
    return _from_table(table, values.size, method, absolute_interval, level)


def _from_table(t: MeanSquares, n_ratings: int, method: str, absolute_interval: str, level: float) -> ICC:
    tail = (1 + level) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        one_way = _ratio(t.items_one_way - t.within, t.items_one_way + (t.k_one_way - 1) * t.within)
        consistency = _ratio(t.items - t.error, t.items + (t.k - 1) * t.error)
        rater_part = t.k * (t.raters - t.error) / t.n
        absolute = _ratio(t.items - t.error, t.items + (t.k - 1) * t.error + rater_part)
        forms = [
            (one_way, _f_interval(t.items_one_way, t.within, t.k_one_way, (t.df_items, t.df_within), tail)),
            (absolute, _absolute_interval(t, absolute, absolute_interval, level)),
            (consistency, _f_interval(t.items, t.error, t.k, (t.df_items, t.df_error), tail)),
        ]
        forms += [
            (_stepped(value, t.k), (_stepped(low, t.k), _stepped(high, t.k))) for value, (low, high) in forms
        ]
    shared = SHARED_RATERS if t.raters > t.error else None
    kinds = (("F", NEW_RATERS, shared), (absolute_interval, NEW_RATERS, None), ("F", THESE_RATERS, None))
    counts = (int(t.df_items) + 1, n_ratings)
    one, absolute_one, consistent_one, mean, absolute_mean, consistent_mean = (
        _cautioned(_estimate(value, interval, how, target, level, counts), caution)
        for (value, interval), (how, target, caution) in zip(forms, kinds * 2, strict=True)
    )
    return ICC(
        one,
        absolute_one,
        consistent_one,
        mean,
        absolute_mean,
        consistent_mean,
        between_items=t.items_one_way,
        within_items=t.within,
        between_raters=t.raters,
        error=t.error,
        k=t.k,
        method=method,
    )


def _f_interval(between: float, rest: float, k: float, df: tuple[float, float], tail: float) -> Interval:
    """Shrout and Fleiss's interval of (F - 1) / (F + k - 1), from the F distribution of the ratio."""
    if rest == 0:
        return math.nan, math.nan
    f = between / rest
    low, high = f / float(fdtri(*df, tail)), f * float(fdtri(df[1], df[0], tail))
    return (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)


def _absolute_interval(t: MeanSquares, icc: float, how: str, level: float) -> Interval:
    if how == "satterthwaite":
        return _satterthwaite_interval(t, icc, (1 + level) / 2)
    low, high = generalized_interval(t, level)
    # raters alike by chance put the estimate, whose rater variance may be below 0, beyond the upper end
    return low, max(high, icc)


def _satterthwaite_interval(t: MeanSquares, icc: float, tail: float) -> Interval:
    """McGraw and Wong's interval of ICC(A,1), with Satterthwaite's degrees of freedom for the denominator."""
    if math.isnan(icc) or icc >= 1:
        return math.nan, math.nan
    a = t.k * icc / (t.n * (1 - icc))
    b = 1 + t.k * icc * (t.n - 1) / (t.n * (1 - icc))
    v = (a * t.raters + b * t.error) ** 2 / (
        (a * t.raters) ** 2 / t.df_raters + (b * t.error) ** 2 / t.df_error
    )
    noise = t.k * t.raters + (t.k * t.n - t.k - t.n) * t.error
    below, above = float(fdtri(t.df_items, v, tail)), float(fdtri(v, t.df_items, tail))
    low = t.n * (t.items - below * t.error) / (below * noise + t.n * t.items)
    high = t.n * (above * t.items - t.error) / (noise + t.n * above * t.items)
    return low, high


def _stepped(icc: float, k: float) -> float:
    """Spearman and Brown: the correlation of means of ``k`` ratings from that of single ones; NaN stays."""
    if math.isnan(icc):
        return icc
    below = 1 + (k - 1) * icc
    return k * icc / below if below > 0 else -math.inf


def _ratio(top: float, bottom: float) -> float:
    return top / bottom if bottom else math.nan


def _estimate(
    value: float, interval: Interval, how: str, target: str, level: float, counts: tuple[int, int]
) -> Estimate:
    n_items, n_ratings = counts
    if not math.isfinite(value):
        return undefined("no_variation", n_items=n_items, n_ratings=n_ratings)
    if interval[0] == -math.inf:
        return Estimate(value, level=level, n_items=n_items, n_ratings=n_ratings, no_interval="unbounded")
    return bounded_estimate(
        value, interval, level=level, n_items=n_items, n_ratings=n_ratings, method=how, target=target
    )


def _cautioned(estimate: Estimate, caution: str | None) -> Estimate:
    return replace(estimate, caution=caution) if estimate.has_interval else estimate


def _undefined(reason: str, n_items: int) -> ICC:
    nothing, nan = undefined(reason, n_items=n_items), math.nan
    return ICC(nothing, nothing, nothing, nothing, nothing, nothing, nan, nan, nan, nan, nan, "")
