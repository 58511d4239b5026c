"""Shares and mean differences of many cells at once, whose cases come in clusters that cells share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import stdtrit

__all__ = ["ClusteredRatios", "clustered_ratios"]

Floats = NDArray[np.float64]
NOTHING = 1e-12
"""A variance up to this share of the largest possible one is rounding."""


@dataclass(frozen=True, slots=True)
class ClusteredRatios:
    """Arrays (C, K): ``value`` of each ratio, its standard ``error``, ``n`` cases in ``clusters`` of them.

    ``value`` is NaN without a case, ``error`` below two clusters.
    """

    value: Floats
    error: Floats
    n: Floats
    clusters: Floats

    def share_bounds(self, *, level: float = 0.95) -> tuple[Floats, Floats]:
        """Wilson's interval (C, K), (C, K) on the effective number of cases, with t for z.

        That number is the one of independent cases that would give the same error, at most ``n``; where all
        cases are alike it is the number of clusters. Degrees of freedom are one less than clusters. NaN below
        two clusters. Source: Wilson 1927; Korn & Graubard 1998 (effective size, not above the real one);
        Dean & Pagano 2015, who compare such intervals in clustered samples.
        """
        p, t = self.value, self._t(level)
        within = p * (1 - p)
        with np.errstate(invalid="ignore", divide="ignore"):
            size = np.where(within > 0, np.minimum(within / self.error**2, self.n), self.clusters)
            centre = (p + t**2 / (2 * size)) / (1 + t**2 / size)
            reach = t * np.sqrt(within / size + t**2 / (4 * size**2)) / (1 + t**2 / size)
            # rounding may leave a bound a hair inside the share itself
            low, high = np.minimum(centre - reach, p), np.maximum(centre + reach, p)
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    def mean_bounds(
        self, *, level: float = 0.95, least: float = -np.inf, most: float = np.inf
    ) -> tuple[Floats, Floats]:
        """Value plus and minus t errors (C, K), (C, K), cut at ``least`` and ``most``; NaN without spread."""
        reach = np.where(self.error > 0, self._t(level) * self.error, np.nan)
        return np.clip(self.value - reach, least, None), np.clip(self.value + reach, None, most)

    def _t(self, level: float) -> Floats:
        df = np.where(self.clusters > 1, self.clusters - 1, np.nan)
        return np.asarray(stdtrit(df, (1 + level) / 2), dtype=np.float64)


def clustered_ratios(member: csr_array[Any] | Floats, x: Floats, d: Floats) -> ClusteredRatios:
    """The ratios sum x / sum d of C sets of clusters in K columns, with standard errors over clusters.

    ``member`` (C, G) is 1 where a cluster belongs to a set; ``x`` and ``d`` (G, K) are sums over each
    cluster's cases: of what is averaged, and of their number. Cells may share clusters: their errors are each
    cell's own. Whole clusters are drawn; a cluster without cases is not counted.

    Source: Cochran 1977, section 6.3 (linearised ratio).

    >>> found = clustered_ratios(np.ones((1, 3)), np.array([[1.0], [2.0], [3.0]]), np.full((3, 1), 4.0))
    >>> found.value.item(), round(found.error.item(), 4)
    (0.5, 0.1443)
    """
    n, total = member @ d, member @ x
    clusters = member @ (d > 0).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(n > 0, total / n, np.nan)
        squares = member @ x**2 - 2 * value * (member @ (x * d)) + value**2 * (member @ d**2)
        squares = np.where(squares > NOTHING * (member @ d**2), squares, 0.0)
        grown = np.where(clusters > 1, clusters / (clusters - 1), np.nan)
        error = np.sqrt(grown * squares) / n
    return ClusteredRatios(value, error, n, clusters)
