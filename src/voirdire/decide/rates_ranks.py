"""Differences between systems and the ranks that they leave open, all pairs of a metric together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from voirdire.decide.rates_cells import Means
from voirdire.decide.rates_options import RatesOptions
from voirdire.decide.rates_quantities import Quantity
from voirdire.decide.rates_rows import Difference, Rank
from voirdire.stats.estimate import THESE_RATERS, Estimate

__all__ = ["compared", "critical_value", "difference_errors", "rank_intervals"]

Floats = NDArray[np.float64]


def difference_errors(covariance: Floats) -> Floats:
    """Standard error of every difference of two cells (S, S), from their covariance; 0 on the diagonal."""
    variance = np.diag(covariance)
    errors: Floats = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0))
    np.fill_diagonal(errors, 0.0)
    return errors


def critical_value(
    covariance: Floats, df: float, *, level: float, draws: int, rng: np.random.Generator
) -> float:
    """How many standard errors the largest of all differences stays within, at ``level``.

    Errors (S, S covariance) are drawn from a multivariate t with ``df`` degrees of freedom.

    >>> rng = np.random.default_rng(1)
    >>> round(critical_value(np.eye(2), 1e6, level=0.95, draws=200_000, rng=rng), 1)
    2.0
    """
    size = len(covariance)
    errors = difference_errors(covariance)
    one, two = np.triu_indices(size, 1)
    used = errors[one, two] > 0
    one, two = one[used], two[used]
    if not len(one):
        return float("nan")
    roots, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    # the symmetric root: rounding that turns eigenvectors about must not change what is drawn
    root = (vectors * np.sqrt(np.maximum(roots, 0.0))) @ vectors.T
    drawn = rng.standard_normal((draws, size)) @ root
    scale = np.sqrt(rng.chisquare(df, size=draws) / df) if np.isfinite(df) else np.ones(draws)
    largest = np.zeros(draws)
    for first in range(size - 1):  # a system at a time, so that memory stays small
        mine = one == first
        if mine.any():
            gaps = np.abs(drawn[:, [first]] - drawn[:, two[mine]]) / errors[first, two[mine]]
            largest = np.maximum(largest, gaps.max(axis=1))
    return float(np.quantile(largest / scale, level))


def rank_intervals(value: Floats, errors: Floats, critical: float) -> list[Rank]:
    """The ranks (S,) that each cell may hold, 1 being the highest value.

    A cell is behind every cell that is higher by more than ``critical`` standard ``errors`` (S, S), and ahead
    of those that are lower by as much; with simultaneous differences all ranks hold together.

    Source: Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic Studies.

    >>> rank_intervals(np.array([0.9, 0.5, 0.4]), np.full((3, 3), 0.1), 2.0)
    [Rank(low=1, high=1), Rank(low=2, high=3), Rank(low=2, high=3)]
    """
    gap = value[None, :] - value[:, None]
    above = (gap > critical * errors) & (gap > 0)
    below = (gap < -critical * errors) & (gap < 0)
    size = len(value)
    return [
        Rank(1 + int(better), size - int(worse))
        for better, worse in zip(above.sum(axis=1), below.sum(axis=1), strict=True)
    ]


def compared(
    metric: str,
    names: Sequence[str],
    quantity: Quantity,
    means: Means,
    options: RatesOptions,
    rng: np.random.Generator,
) -> tuple[list[Rank | None], list[Difference]]:
    """The rank interval of each system (S), None where it has no value, and the difference of every pair."""
    used = np.flatnonzero(~np.isnan(means.value) & (np.diag(means.covariance) >= 0) & (means.df >= 1))
    ranks: list[Rank | None] = [None] * len(names)
    if len(used) < 2:
        return ranks, []
    value, covariance = means.value[used], means.covariance[np.ix_(used, used)]
    errors, df = difference_errors(covariance), means.df[used]
    critical = critical_value(covariance, float(df.min()), level=options.level, draws=options.draws, rng=rng)
    for place, rank in zip(used.tolist(), rank_intervals(value, errors, critical), strict=True):
        ranks[place] = rank
    found = []
    for one, two in zip(*np.triu_indices(len(used), 1), strict=True):
        error = float(errors[one, two])
        t = float(stdtrit(min(df[one], df[two]), (1 + options.level) / 2))
        pair = [
            _difference(float(value[one] - value[two]), reach * error, options.level, how)
            for reach, how in ((t, "paired over clusters"), (critical, "simultaneous over all pairs"))
        ]
        found.append(Difference(metric, names[used[one]], names[used[two]], quantity.name, pair[0], pair[1]))
    return ranks, found


def _difference(value: float, reach: float, level: float, method: str) -> Estimate:
    if not reach > 0:
        return Estimate(value, level=level, no_interval="zero_width")
    return Estimate(value, value - reach, value + reach, level, method=method, target=THESE_RATERS)
