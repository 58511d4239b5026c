"""Bland and Altman's limits: by how much do two raters' numbers differ on a new item?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike
from scipy.special import nctdtrit, stdtrit

from voirdire.registry import register
from voirdire.stats.estimate import Estimate, undefined
from voirdire.stats.transforms import bounded_estimate, normal_quantile
from voirdire.stats.two_rater import paired_numbers

__all__ = ["BlandAltman", "bland_altman"]

EXACT_UP_TO = 1_000


@dataclass(frozen=True, slots=True)
class BlandAltman:
    """Mean difference ``x - y``, its standard deviation, and the limits that hold 95 % of differences."""

    bias: Estimate
    sd: float
    lower_limit: Estimate
    upper_limit: Estimate


@register("statistic", "bland_altman")
def bland_altman(x: ArrayLike, y: ArrayLike, *, multiplier: float = 1.96, level: float = 0.95) -> BlandAltman:
    """Bias and limits of agreement of two raters' numbers, each with an exact interval.

    ``x`` and ``y`` are (n,) numbers, NaN where missing; items with both enter. Limits are the mean difference
    ± ``multiplier`` standard deviations (n - 1). The bias has Student's interval, the limits the non-central
    t interval (both exact for normal differences; beyond 1,000 items the limits' large-sample form, which
    agrees with it there). Undefined without an item (``insufficient_items``); no limits or intervals from
    one.

    Source: Bland & Altman 1986; intervals of the limits: Carkeet 2015.

    >>> result = bland_altman([494, 395, 516, 434], [512, 430, 520, 428])
    >>> print(result.bias)
    −12.75 [−41.08, 15.58]
    """
    a, b = paired_numbers(x, y)
    difference = a - b
    n = difference.size
    if n < 2:
        nothing = undefined("insufficient_items", n_items=n)
        bias = (
            nothing if n == 0 else Estimate(float(difference[0]), n_items=n, no_interval="insufficient_items")
        )
        return BlandAltman(bias, math.nan, nothing, nothing)
    mean, sd = float(difference.mean()), float(difference.std(ddof=1))
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * sd / math.sqrt(n)
    near, far = (share * sd for share in _limit_quantiles(n, multiplier, level))

    def estimate(value: float, low: float, high: float, method: str) -> Estimate:
        return bounded_estimate(value, (low, high), level=level, n_items=n, n_ratings=2 * n, method=method)

    limit = multiplier * sd
    return BlandAltman(
        estimate(mean, mean - reach, mean + reach, "Student t"),
        sd,
        estimate(mean - limit, mean - far, mean - near, "non-central t"),
        estimate(mean + limit, mean + near, mean + far, "non-central t"),
    )


def _limit_quantiles(n: int, multiplier: float, level: float) -> tuple[float, float]:
    """How many standard deviations from the mean difference the interval of a limit begins and ends."""
    z = normal_quantile(level)
    if n > EXACT_UP_TO:
        # the quantile of non-central t is unreliable for large n; here the two differ by less than 1e-3
        half = z * math.sqrt(1 / n + multiplier**2 / (2 * (n - 1)))
        return multiplier - half, multiplier + half
    root = math.sqrt(n)
    tail = (1 - level) / 2
    low, high = (float(nctdtrit(n - 1, multiplier * root, p)) / root for p in (tail, 1 - tail))
    return low, high
