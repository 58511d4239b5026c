"""A mean of human labels from few labels and many predictions (prediction-powered inference)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.transforms import normal_quantile

__all__ = ["PredictionPowered", "prediction_powered_mean"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PredictionPowered:
    """The ``estimate`` with its ``tuning`` (lambda), beside the mean of the labels ``alone``.

    ``gain`` is the variance of the labels alone over that of the estimate: so many times the labels would be
    needed without predictions; NaN where one is undefined.
    """

    estimate: Estimate
    alone: Estimate
    tuning: float
    standard_error: float
    gain: float


@register("statistic", "prediction_powered_mean")
def prediction_powered_mean(
    labels: ArrayLike,
    predictions: ArrayLike,
    *,
    tuning: float | None = None,
    probability: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    small_sample: bool = True,
    level: float = 0.95,
) -> PredictionPowered:
    """The mean label, lambda * mean_N f + mean_n (Y - lambda f), from n labelled and N unlabelled rows.

    ``labels`` (n + N,) are numbers, NaN where there is none; ``predictions`` (n + N,) must not have seen the
    row's own label. ``tuning`` is lambda: 0 ignores the predictions, 1 takes them as they are, None takes
    what gives the least variance, between 0 and 1 (0 where predictions are constant: then this is the
    classical interval). ``probability`` (n + N,) is each row's chance of being labelled, used where labelled:
    labelled rows then count by its inverse (Hajek), and f is averaged over all rows. Rows of one ``cluster``
    (n + N,) may depend on each other. ``small_sample`` takes t with a degree of freedom for lambda and one
    for the mean off the labelled clusters; without it the interval is the published one. Undefined without a
    label (``no_labels``); no interval from fewer than two labelled clusters, three with a tuned lambda.

    Source: Angelopoulos et al. 2023 (PPI); Angelopoulos, Duchi & Zrnic 2023 (PPI++), eq. 2 and prop. 2.

    >>> y, f = [1, 0, 1, 1, 0, 1], [0.9, 0.2, 0.8, 0.7, 0.1, 0.9]
    >>> found = prediction_powered_mean(y + [np.nan] * 6, f + [0.1, 0.9, 0.2, 0.1, 0.8, 0.3])
    >>> print(found.estimate, found.alone)
    0.53 [0.05, 1.00] 0.67 [0.12, 1.21]
    """
    y, f, p, group = _checked(labels, predictions, probability, cluster)
    normal_quantile(level)
    known = ~np.isnan(y)
    if not known.any():
        nothing = undefined("no_labels")
        return PredictionPowered(nothing, nothing, math.nan, math.nan, math.nan)
    weight = np.where(known, 1 / p, 0.0)
    share = np.ones(len(y)) if probability is not None else (~known).astype(np.float64)
    own = _centred(np.where(known, y, 0.0), weight, group)
    others = _centred(f, weight, group) - _centred(f, share, group)
    spread = float(others @ others)
    best = min(1.0, max(0.0, float(own @ others) / spread)) if spread > 1e-20 else 0.0
    lam = best if tuning is None else float(tuning)
    if not share.any():
        lam = 0.0
    value = _mean(np.where(known, y - lam * f, 0.0), weight) + lam * _mean(f, share)
    clusters = len(np.unique(group[known]))
    tuned = tuning is None and lam > 0
    estimate, se = _estimate(
        value, own - lam * others, clusters, (int(known.sum()), tuned, small_sample), level
    )
    alone, classical = _estimate(
        _mean(np.where(known, y, 0.0), weight), own, clusters, (int(known.sum()), False, small_sample), level
    )
    gain = (classical / se) ** 2 if se > 0 else math.nan
    return PredictionPowered(estimate, alone, lam, se, gain)


def _mean(x: Floats, weight: Floats) -> float:
    total = float(weight.sum())
    return float(weight @ x) / total if total else 0.0


def _centred(x: Floats, weight: Floats, group: NDArray[np.intp]) -> Floats:
    """Each cluster's part (G,) in the error of the weighted mean of ``x``."""
    total = max(float(weight.sum()), 1e-300)
    parts = np.bincount(group, weights=weight * (x - _mean(x, weight)) / total)
    return parts.astype(np.float64)


def _estimate(
    value: float, influence: Floats, clusters: int, how: tuple[int, bool, bool], level: float
) -> tuple[Estimate, float]:
    """The estimate from the clusters' influence (G,), and its standard error."""
    n, tuned, small_sample = how
    df = clusters - 1 - tuned
    variance = float(influence @ influence)
    if df < 1 or variance == 0:
        reason = "insufficient_items" if df < 1 else "zero_width"
        return Estimate(value, level=level, n_items=n, n_clusters=clusters, no_interval=reason), math.nan
    se = math.sqrt(variance * (clusters / df if small_sample else 1.0))
    tail = (1 + level) / 2
    reach = se * float(stdtrit(df, tail) if small_sample else ndtri(tail))
    method = "prediction-powered, " + ("t over clusters" if small_sample else "normal")
    bounds = (value - reach, value + reach)
    return Estimate(
        value, *bounds, level, n_items=n, method=method, target=THESE_RATERS, n_clusters=clusters
    ), se


def _checked(
    labels: ArrayLike, predictions: ArrayLike, probability: ArrayLike | None, cluster: ArrayLike | None
) -> tuple[Floats, Floats, Floats, NDArray[np.intp]]:
    y, f = np.asarray(labels, dtype=np.float64), np.asarray(predictions, dtype=np.float64)
    p = np.ones(len(y)) if probability is None else np.asarray(probability, dtype=np.float64)
    group = np.arange(len(y)) if cluster is None else np.asarray(cluster)
    if y.ndim != 1 or not y.shape == f.shape == p.shape == group.shape:
        raise UserError(f"{y.shape} labels and {f.shape} predictions", expected="one of each a row")
    if not np.isfinite(f).all() or np.isinf(y).any():
        raise UserError("a prediction is missing, or a label infinite", expected="a number in every row")
    used = p[~np.isnan(y)]
    if not ((used > 0) & (used <= 1)).all():
        raise UserError("a labelled row's probability is not above 0 and up to 1", expected="a chance")
    return y, f, np.where(p > 0, p, 1.0), np.unique(group, return_inverse=True)[1]
