"""Does a judge put pairs of items in the order that people do, ties included?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from voirdire.registry import register
from voirdire.stats.estimate import Estimate, undefined
from voirdire.stats.transforms import bounded_estimate, normal_quantile
from voirdire.stats.two_rater import paired_numbers

__all__ = ["TieCalibration", "calibrate_ties", "pairwise_accuracy"]

Floats = NDArray[np.float64]
BLOCK = 512


@dataclass(frozen=True, slots=True)
class TieCalibration:
    """The gap ``epsilon`` up to which two judge scores are best called a tie, and the accuracy it reaches.

    It was chosen on the same pairs that ``accuracy`` is measured on, and so flatters the judge a little.
    """

    epsilon: float
    accuracy: float


@register("statistic", "pairwise_accuracy")
def pairwise_accuracy(
    gold: ArrayLike, scores: ArrayLike, *, epsilon: float = 0.0, level: float = 0.95
) -> Estimate:
    """Share of item pairs on which the judge's scores say what people's do: higher, lower or tied.

    ``gold`` and ``scores`` are (n,) numbers, NaN where missing; two judge scores at most ``epsilon`` apart
    are a tie. Time grows with n². The interval is the jackknife's over items (pairs that share an item are
    not independent), t with n - 1 degrees of freedom, cut at 0 and 1. Undefined below two items
    (``insufficient_items``).

    Source: Deutsch, Foster & Freitag 2023 (acc_eq).

    >>> round(pairwise_accuracy([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]).value, 3)
    0.6
    """
    x, y = paired_numbers(gold, scores)
    n = x.size
    if n < 2:
        return undefined("insufficient_items", n_items=n)
    right = np.empty(n)
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        agrees = _order(x[rows], x, 0.0) == _order(y[rows], y, epsilon)
        right[rows] = agrees.sum(1) - 1  # an item always ties with itself
    value = float(right.sum()) / (n * (n - 1))
    if n < 4:
        return Estimate(value, level=level, n_items=n, no_interval="insufficient_items")
    left_out = (right.sum() - 2 * right) / ((n - 1) * (n - 2))
    se = math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))
    normal_quantile(level)
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * se
    interval = max(0.0, value - reach), min(1.0, value + reach)
    return bounded_estimate(value, interval, level=level, n_items=n, n_ratings=2 * n, method="jackknife t")


@register("statistic", "calibrate_ties")
def calibrate_ties(gold: ArrayLike, scores: ArrayLike) -> TieCalibration:
    """The smallest tie gap that makes :func:`pairwise_accuracy` largest; NaN below two items.

    Tries 0 and every gap between two judge scores. Memory grows with n².

    Source: Deutsch, Foster & Freitag 2023, tie calibration.

    >>> calibrate_ties([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3])
    TieCalibration(epsilon=0.5, accuracy=0.7)
    """
    x, y = paired_numbers(gold, scores)
    if x.size < 2:
        return TieCalibration(math.nan, math.nan)
    first, second = np.triu_indices(x.size, 1)
    gold_sign = np.sign(x[first] - x[second])
    gap = y[first] - y[second]
    # a pair whose gap comes to lie within epsilon is right where gold ties, else no longer right
    gain = (gold_sign == 0).astype(np.int64) - ((gold_sign != 0) & (gold_sign == np.sign(gap)))
    order = np.argsort(np.abs(gap), kind="stable")
    size = np.abs(gap)[order]
    start = int(((gold_sign != 0) & (gold_sign == np.sign(gap))).sum())
    right = start + np.cumsum(gain[order])
    last = np.append(size[1:] != size[:-1], True)
    candidates, accuracies = size[last], right[last] / len(gap)
    if candidates[0] > 0:
        candidates, accuracies = np.append(0.0, candidates), np.append(start / len(gap), accuracies)
    best = int(np.argmax(accuracies))
    return TieCalibration(float(candidates[best]), float(accuracies[best]))


def _order(rows: Floats, columns: Floats, epsilon: float) -> NDArray[np.int8]:
    gap = rows[:, None] - columns[None, :]
    return np.where(np.abs(gap) <= epsilon, 0, np.sign(gap)).astype(np.int8)
