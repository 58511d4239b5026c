"""Scales on which an interval is built before it is carried back to the range of its statistic."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from voirdire.errors import UserError
from voirdire.stats.estimate import THESE_RATERS, Estimate

__all__ = [
    "bounded_estimate",
    "fisher_interval",
    "logit_interval",
    "normal_quantile",
    "wald_interval",
    "z_error",
]

Interval = tuple[float, float]
ROUNDING = 1e-12


def normal_quantile(level: float) -> float:
    """The z that leaves ``1 - level`` outside ±z under the standard normal.

    >>> round(normal_quantile(0.95), 3)
    1.96
    """
    if not 0 < level < 1:
        raise UserError(f"level {level!r} is not between 0 and 1", expected="a share such as 0.95")
    return float(ndtri((1 + level) / 2))


def wald_interval(value: float, se: float, level: float, *, low: float = -1.0, high: float = 1.0) -> Interval:
    """``value ± z se``, cut at the range ``low`` to ``high`` that the parameter cannot leave.

    >>> wald_interval(0.9, 0.1, 0.95)[1]
    1.0
    """
    reach = normal_quantile(level) * se
    return max(low, value - reach), min(high, value + reach)


def fisher_interval(value: float, se_z: float, level: float) -> Interval:
    """``tanh(atanh(value) ± z se_z)``: the interval of a correlation-like number whose SE is on the z scale.

    NaN at ±1, where the scale ends.
    """
    if not abs(value) < 1 - ROUNDING:
        return math.nan, math.nan
    reach = normal_quantile(level) * se_z
    centre = math.atanh(value)
    return math.tanh(centre - reach), math.tanh(centre + reach)


def z_error(influence: NDArray[np.float64], value: float) -> float:
    """Delta-method standard error of ``atanh(value)`` from each item's influence on the value (mean 0)."""
    n = influence.size
    return math.sqrt(float(influence @ influence) / (n * (n - 1))) / max(1 - value**2, ROUNDING)


def logit_interval(value: float, se: float, level: float) -> Interval:
    """The interval of a share whose SE is on the natural scale, built on the logit scale; NaN at 0 and 1."""
    if not 0 < value < 1:
        return math.nan, math.nan
    centre = math.log(value / (1 - value))
    reach = normal_quantile(level) * se / (value * (1 - value))
    return _expit(centre - reach), _expit(centre + reach)


def bounded_estimate(
    value: float,
    interval: Interval,
    *,
    level: float,
    n_items: int,
    method: str,
    target: str = THESE_RATERS,
    n_ratings: int = 0,
) -> Estimate:
    """An estimate with its interval, or with the reason where the interval is missing or has no width."""
    low, high = interval
    if high > low:
        return Estimate(
            value, low, high, level, n_items=n_items, n_ratings=n_ratings, method=method, target=target
        )
    return Estimate(value, level=level, n_items=n_items, n_ratings=n_ratings, no_interval="zero_width")


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
