"""From resamples or leave-one-out values to the two ends of an interval, or to why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

__all__ = ["Bounds", "bca", "jackknife_error", "none", "percentile", "student"]

WIDTHLESS = 1e-12  # an interval this narrow says that nothing varied, not that the value is certain
FEWEST = 0.5  # share of resamples that must have a value


@dataclass(frozen=True, slots=True)
class Bounds:
    """Ends of an interval, or the reason ``none``; ``undefined`` resamples of ``resamples`` had no value."""

    low: float
    high: float
    none: str | None = None
    resamples: int = 0
    undefined: int = 0


def none(reason: str, resamples: int = 0, undefined: int = 0) -> Bounds:
    """No interval, for this reason."""
    return Bounds(nan, nan, reason, resamples, undefined)


def percentile(values: NDArray[np.float64], level: float) -> Bounds:
    """Quantiles of the defined resamples (B,). Efron & Tibshirani (1993), chapter 13."""
    tail = (1 - level) / 2
    return _quantiles(values, tail, 1 - tail)


def bca(
    value: float,
    values: NDArray[np.float64],
    without: NDArray[np.float64],
    frequency: NDArray[np.int64],
    level: float,
) -> Bounds:
    """Quantiles of the resamples (B,), moved for bias and for a spread that changes with the value.

    ``without`` (V,) are the values without one unit of each kind and ``frequency`` (V,) how many there are.
    Efron (1987).
    """
    defined = values[~np.isnan(values)]
    below = (np.mean(defined < value) + np.mean(defined <= value)) / 2 if len(defined) else nan
    if not 0 < below < 1:
        return none("too_few_resamples", len(values), len(values) - len(defined))
    if np.isnan(without).any():
        return none("not_identifiable", len(values), len(values) - len(defined))
    pull = np.average(without, weights=frequency) - without
    spread = float(frequency @ pull**2)
    acceleration = float(frequency @ pull**3) / (6 * spread**1.5) if spread > 0 else 0.0
    bias = ndtri(below)
    z = bias + ndtri([(1 - level) / 2, (1 + level) / 2])
    ends = np.asarray(ndtr(bias + z / (1 - acceleration * z)))
    return _quantiles(values, float(ends[0]), float(ends[1]))


def student(value: float, error: float, df: float, level: float) -> Bounds:
    """``value`` plus and minus Student's t times its standard error."""
    if np.isnan(error):
        return none("not_identifiable")
    if error < WIDTHLESS:
        return none("no_variation")
    reach = float(stdtrit(df, (1 + level) / 2)) * error
    return Bounds(value - reach, value + reach)


def jackknife_error(
    without: NDArray[np.float64], frequency: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Standard error from leave-one-out values (V, ...), each standing for ``frequency`` (V,) of them.

    NaN where one of them is undefined. Efron & Tibshirani (1993), chapter 11.
    """
    times = np.ones(len(without)) if frequency is None else frequency.astype(np.float64)
    n = times.sum()
    apart = without - np.tensordot(times, without, axes=1) / n
    return np.asarray(np.sqrt((n - 1) / n * np.tensordot(times, apart**2, axes=1)))


def _quantiles(values: NDArray[np.float64], low: float, high: float) -> Bounds:
    defined = values[~np.isnan(values)]
    lost = len(values) - len(defined)
    if len(defined) < max(FEWEST * len(values), 2):
        return none("too_few_resamples", len(values), lost)
    ends = np.quantile(defined, [low, high])
    if ends[1] - ends[0] < WIDTHLESS:
        return none("no_variation", len(values), lost)
    return Bounds(float(ends[0]), float(ends[1]), None, len(values), lost)
