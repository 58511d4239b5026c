"""What the judge knows on each metric: its gain over base rates, alone and drawn to the metrics' mean."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from voirdire.align.held_out import RAW, HeldOut
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.multiplicity import adjusted_p_values
from voirdire.stats.random_effects import RandomEffects, random_effects

__all__ = ["MetricGain", "PooledGain", "error_covariance", "gains_by_metric"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


@dataclass(frozen=True)
class MetricGain:
    """The chosen prediction on one metric: mean log scores of it, the ``floor`` (base rates by metric), the
    judge as it is (``raw``, NaN where it has no labels of the scale) and the model's ``optimum``.

    ``gain`` is floor minus chosen with ``p``, two-sided for no gain, ``adjusted`` after Benjamini-Yekutieli
    over the metrics. ``shrunken`` is the gain drawn towards the metrics' mean, the more the less it is known.
    """

    metric: str
    n_rows: int
    floor: float
    raw: float
    log: Estimate
    optimum: float
    gain: Estimate
    shrunken: Estimate
    p: float
    adjusted: float


@dataclass(frozen=True)
class PooledGain:
    """``mean`` of the gains of metrics such as these, every metric alike; ``between`` their deviation."""

    mean: Estimate
    between: Estimate


def gains_by_metric(held: HeldOut) -> tuple[tuple[MetricGain, ...], PooledGain]:
    """Every metric's gain with labels, and what they are drawn towards; undefined below three metrics."""
    mine = held.losses[held.how.select]
    difference = held.losses["metric_prior"] - mine
    raw = held.losses.get(RAW, np.full(len(mine), math.nan))
    codes = np.unique(held.features.metric).tolist()
    parts = [held.features.metric == code for code in codes]
    gains = [held.over(difference, rows) for rows in parts]
    pooled = _pooled(held, difference, parts, gains)
    p = [_p_value(gain) for gain in gains]
    found = [
        MetricGain(
            held.features.metrics[code],
            int(rows.sum()),
            float(held.losses["metric_prior"][rows].mean()),
            float(raw[rows].mean()),
            held.over(mine, rows),
            float(held.optimum[rows].mean()),
            gain,
            shrunken,
            value,
            float(adjusted),
        )
        for code, rows, gain, shrunken, value, adjusted in zip(
            codes, parts, gains, pooled.shrunken, p, adjusted_p_values(p), strict=True
        )
    ]
    return tuple(found), PooledGain(pooled.mean, pooled.between)


def error_covariance(difference: Floats, parts: list[NDArray[np.bool_]], cluster: Positions) -> Floats:
    """Error covariance (M, M) of the mean ``difference`` (n,) on M parts of the rows that share clusters.

    With M parts and G clusters the correlations are drawn to 0 by M / (M + G): few clusters cannot tell so
    many correlations. NaN for a part with one cluster.
    """
    groups = np.unique(cluster, return_inverse=True)[1]
    g, table, factor = int(groups.max()) + 1, [], []
    for rows in parts:
        error = np.where(rows, difference - difference[rows].mean(), 0.0) / rows.sum()
        used = len(np.unique(groups[rows]))
        table.append(np.bincount(groups, error, minlength=g))
        factor.append(math.sqrt(used / (used - 1)) if used > 1 else math.nan)
    scaled = np.array(table) * np.array(factor)[:, None]
    covariance: Floats = scaled @ scaled.T
    kept = g / (len(parts) + g)
    return kept * covariance + (1 - kept) * np.diag(np.diag(covariance))


def _pooled(
    held: HeldOut, difference: Floats, parts: list[NDArray[np.bool_]], gains: list[Estimate]
) -> RandomEffects:
    """Partial pooling of the gains that have an interval; the others stay alone."""
    covariance = error_covariance(difference, parts, held.target.cluster)
    usable = [place for place, gain in enumerate(gains) if gain.has_interval]
    effects = np.array([gains[place].value for place in usable])
    found = random_effects(effects, covariance[np.ix_(usable, usable)], level=held.how.level)
    shrunken = [undefined("insufficient_items", n_items=gain.n_items) for gain in gains]
    for place, one in zip(usable, found.shrunken, strict=True):
        if one.undefined is None:
            gain = gains[place]
            shrunken[place] = replace(
                one, n_items=gain.n_items, target=THESE_RATERS, n_clusters=gain.n_clusters
            )
    return replace(found, shrunken=tuple(shrunken))


def _p_value(gain: Estimate) -> float:
    """Two-sided t test that the gain is 0; NaN without an interval."""
    if not gain.has_interval or gain.n_clusters is None:
        return float("nan")
    df = gain.n_clusters - 1
    error = (gain.high - gain.low) / (2 * float(stdtrit(df, (1 + gain.level) / 2)))
    return float(2 * stdtr(df, -abs(gain.value) / error))
