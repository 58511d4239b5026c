"""From means and covariances to estimates: which interval, what it speaks about, and what has none."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, stdtrit

from voirdire.decide.rates_cells import Means
from voirdire.decide.rates_design import Design
from voirdire.decide.rates_quantities import Quantity
from voirdire.decide.rates_rows import THESE_ITEMS
from voirdire.stats.estimate import NEW_RATERS, THESE_RATERS, Estimate, undefined
from voirdire.stats.transforms import normal_quantile

__all__ = ["Counts", "Interval", "cell_estimates", "on_simplex", "share_interval"]

Floats = NDArray[np.float64]
NOTHING = 1e-20
"""A variance up to this is rounding: every label is alike."""
FEW_RATERS = 6
"""Below this many people an interval for other people is known to be very wide or too narrow."""


class Counts(NamedTuple):
    """How many labelled items, labels and clusters an estimate rests on."""

    items: int
    labels: int
    clusters: int


@dataclass(frozen=True, slots=True)
class Interval:
    """What an interval is made of: ``value``, ``variance``, ``df``, the ``size`` of the sample that a share
    alone would need for this precision, and the range (``least`` to ``most``) that it cannot leave.
    """

    value: float
    variance: float
    df: float
    size: float
    least: float
    most: float
    share: bool

    def bounds(self, level: float) -> tuple[float, float]:
        """Wilson's interval on the effective sample of a share, else t; cut at the range; NaN without one."""
        if not (self.df >= 1 and math.isfinite(self.variance)):
            return math.nan, math.nan
        t = float(stdtrit(self.df, (1 + level) / 2))
        if self.share and self.size > 0:
            return share_interval(min(1.0, max(0.0, self.value)), self.size, t)
        if self.share and self.variance > 0:
            return _beta_interval(self.value, self.variance * (t / normal_quantile(level)) ** 2, level)
        if self.variance <= NOTHING:
            return math.nan, math.nan
        reach = t * math.sqrt(self.variance)
        low, high = max(self.least, self.value - reach), min(self.most, self.value + reach)
        # a value outside the range still has its interval inside
        return min(low, self.most), max(high, self.least)


def share_interval(share: float, size: float, t: float) -> tuple[float, float]:
    """Wilson's interval of ``share`` on an effective sample of ``size``, with the quantile ``t``.

    >>> low, high = share_interval(0.5, 100, 1.96)
    >>> round(low, 3), round(high, 3)
    (0.404, 0.596)
    """
    centre = (share + t**2 / (2 * size)) / (1 + t**2 / size)
    reach = t * math.sqrt(share * (1 - share) / size + t**2 / (4 * size**2)) / (1 + t**2 / size)
    return max(0.0, float(centre - reach)), min(1.0, float(centre + reach))


def _beta_interval(value: float, variance: float, level: float) -> tuple[float, float]:
    """Quantiles of the beta distribution with this mean and variance, the mean kept off 0 and 1."""
    # mean times one minus mean must exceed the variance, or no beta distribution has both
    edge = 0.5 - math.sqrt(max(0.25 - 1.5 * variance, 0.0))
    mean = min(1 - edge, max(edge, value))
    size = mean * (1 - mean) / variance - 1
    if size <= 0:
        return 0.0, 1.0
    tail = (1 - level) / 2
    low, high = betaincinv(mean * size, (1 - mean) * size, [tail, 1 - tail])
    return float(low), float(high)


def cell_estimates(
    means: Means, design: Design, quantity: Quantity, cell: int, fixed: float, *, level: float
) -> tuple[Estimate, Estimate, Estimate, Estimate]:
    """The corrected value of one cell for new items, for these items (of variance ``fixed``), for new raters
    too, and from its labels alone.
    """
    counts = Counts(
        int(design.labelled_rows[cell]), int(design.labels[cell]), int(design.labelled_clusters[cell])
    )
    alone = _alone(means, counts, quantity, cell, level)
    if math.isnan(means.value[cell]):
        nothing = undefined("insufficient_items", n_items=counts.items, n_ratings=counts.labels)
        return nothing, nothing, nothing, alone
    pooled = bool(means.pooled[cell])
    method = "prediction-powered, pooled over systems" if pooled else "prediction-powered, clusters"
    made = _interval(means, quantity, cell, means.covariance[cell, cell], means.df[cell], counts)
    seen = float(means.alone[cell])
    found = _estimate(made, level, method, THESE_RATERS, counts, seen=seen)
    nearer = replace(found, target=THESE_ITEMS)  # a cell that borrows: no narrower than for new items
    if not pooled:
        near = _interval(means, quantity, cell, fixed, means.df[cell], counts)
        nearer = _estimate(near, level, method, THESE_ITEMS, counts, seen=seen)
    return found, nearer, _for_new_raters(means, quantity, cell, level, counts), alone


def _interval(
    means: Means, quantity: Quantity, cell: int, variance: float, df: float, counts: Counts
) -> Interval:
    size = 0.0
    if quantity.share and not means.pooled[cell]:
        size = _size(means.alone[cell], means.alone_variance[cell], counts.clusters)
        size *= means.alone_variance[cell] / variance if variance > NOTHING else 1.0
    least, most = float(quantity.value.min()), float(quantity.value.max())
    return Interval(float(means.value[cell]), float(variance), float(df), size, least, most, quantity.share)


def _size(share: float, variance: float, clusters: int) -> float:
    """How many independent labels give a share this variance; the clusters where all labels are alike."""
    return float(share * (1 - share) / variance) if variance > NOTHING else float(clusters)


def _alone(means: Means, counts: Counts, quantity: Quantity, cell: int, level: float) -> Estimate:
    value, variance = float(means.alone[cell]), float(means.alone_variance[cell])
    if math.isnan(value):
        return undefined("no_labels")
    size = _size(value, variance, counts.clusters) if quantity.share else 0.0
    least, most = float(quantity.value.min()), float(quantity.value.max())
    made = Interval(value, variance, counts.clusters - 1.0, size, least, most, quantity.share)
    return _estimate(made, level, "labels alone, clusters", THESE_RATERS, counts)


def _for_new_raters(means: Means, quantity: Quantity, cell: int, level: float, counts: Counts) -> Estimate:
    raters, own = int(means.raters[cell]), float(means.covariance[cell, cell])
    value = float(means.value[cell])
    if raters < 2 or means.pooled[cell]:
        reason = "insufficient_raters" if raters < 2 else "insufficient_items"
        nothing = Estimate(value, level=level, target=NEW_RATERS, no_interval=reason)
        return _counted(nothing, counts)
    more = max(0.0, float(means.rater_covariance[cell, cell]))
    total = own + more
    df = total**2 / (own**2 / max(means.df[cell], 1e-9) + more**2 / (raters - 1)) if total > 0 else 0.0
    made = _interval(means, quantity, cell, total, df, counts)
    caution = f"{raters} people say little of others." if raters < FEW_RATERS else None
    return _estimate(
        made, level, "prediction-powered, clusters and raters", NEW_RATERS, counts, caution=caution
    )


def _estimate(
    made: Interval,
    level: float,
    method: str,
    target: str,
    counts: Counts,
    *,
    seen: float = math.nan,
    caution: str | None = None,
) -> Estimate:
    value = min(made.most, max(made.least, made.value))
    low, high = made.bounds(level)
    if made.share:  # a label that nobody gave may be one that nobody gives
        low, high = (0.0 if seen == 0 else low), (1.0 if seen == 1 else high)
    if math.isnan(low):
        reason = "zero_width" if made.df >= 1 and made.variance <= NOTHING else "insufficient_items"
        return _counted(Estimate(value, level=level, no_interval=reason, target=target), counts)
    bounds = (min(low, value), max(high, value))
    found = Estimate(value, *bounds, level, method=method, target=target, caution=caution)
    return _counted(found, counts)


def _counted(found: Estimate, counts: Counts) -> Estimate:
    return replace(found, n_items=counts.items, n_ratings=counts.labels, n_clusters=counts.clusters)


def on_simplex(shares: Floats) -> Floats:
    """The nearest distribution to each row of ``shares`` (S, C): none below 0, sum 1; NaN stays NaN.

    Source: Duchi, Shalev-Shwartz, Singer & Chandra 2008, figure 1.

    >>> on_simplex(np.array([[0.7, 0.4, -0.1]])).round(2).tolist()
    [[0.65, 0.35, 0.0]]
    """
    down = -np.sort(-shares, axis=1)
    excess = (np.cumsum(down, axis=1) - 1) / np.arange(1, shares.shape[1] + 1)
    last = np.maximum((down > excess).sum(axis=1) - 1, 0)
    return np.maximum(shares - np.take_along_axis(excess, last[:, None], axis=1), 0.0)
