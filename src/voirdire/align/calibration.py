"""Is what is predicted what people show? Disagreement, label shares, and strata by prediction."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from voirdire.align.fusion import posterior_draws
from voirdire.align.scores import observed_disagreement
from voirdire.align.split_half import FEWEST_LABELS, split_half_reliability
from voirdire.stats.clustered import clustered_mean, ratio_standard_error
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.transforms import normal_quantile

__all__ = [
    "Bin",
    "Disagreement",
    "disagreement",
    "disagreement_bins",
    "marginal",
    "predicted_disagreement",
    "reliability_bins",
    "strata",
]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
BINS = 10
FEWEST_ROWS = 20
DRAWS = 20


@dataclass(frozen=True)
class Bin:
    """Rows, or labels, with a prediction in one range: mean ``predicted``, and ``observed`` beside it."""

    predicted: float
    observed: Estimate


@dataclass(frozen=True)
class Disagreement:
    """Observed on predicted pairwise disagreement: the regression's ``slope`` and ``intercept``.

    ``perfect_slope`` is kappa / (kappa + 1), the slope of a perfect map. ``correlation`` is divided by the
    root of ``reliability``, the share of the observed disagreement's variance that is not label noise, by
    model. ``split_half`` is that share without a model, on rows with four labels or more, and
    ``split_half_correlation`` the correlation on those rows divided by its root.
    """

    slope: Estimate
    intercept: float
    perfect_slope: float
    correlation: float
    reliability: float
    split_half: Estimate
    split_half_correlation: float
    bins: tuple[Bin, ...]


def predicted_disagreement(predicted: Floats) -> Floats:
    """1 - sum_c q_c^2 of each row (n,): the chance that two draws from q differ."""
    gini: Floats = 1 - np.einsum("nc,nc->n", predicted, predicted)
    return gini


def disagreement(
    predicted: Floats,
    counts: Floats,
    kappa: float,
    *,
    cluster: Positions,
    level: float = 0.95,
    rng: np.random.Generator,
) -> Disagreement:
    """Regress the unbiased observed disagreement of rows with two labels on the predicted one.

    ``predicted`` and ``counts`` are (n, C), ``cluster`` (n,). The slope's standard error is cluster-robust.
    Undefined below 20 such rows, or where predictions do not vary.
    """
    used = counts.sum(axis=1) > 1
    n, perfect = int(used.sum()), _perfect_slope(kappa)
    g, d = predicted_disagreement(predicted[used]), observed_disagreement(counts[used])
    if n < FEWEST_ROWS or not g.std() > 1e-12:
        why = "no_pairable_items" if n == 0 else "insufficient_items" if n < FEWEST_ROWS else "no_variation"
        none = undefined(why, n_items=n)
        return Disagreement(none, math.nan, perfect, math.nan, math.nan, none, math.nan, ())
    groups = np.unique(cluster[used], return_inverse=True)[1]
    centred = g - g.mean()
    slope = float(centred @ d / (centred @ centred))
    intercept = float(d.mean() - slope * g.mean())
    influence = centred * (d - intercept - slope * g) / (centred**2).mean()
    error, n_clusters = ratio_standard_error(influence, np.ones(n), groups)
    reach = normal_quantile(level) * error
    reliability = _reliability(predicted[used], counts[used], kappa, rng)
    halves = split_half_reliability(counts, cluster=cluster, level=level, rng=rng)
    several = counts[used].sum(axis=1) >= FEWEST_LABELS
    return Disagreement(
        Estimate(
            slope,
            slope - reach,
            slope + reach,
            level,
            n_items=n,
            method="regression, cluster-robust",
            target=THESE_RATERS,
            n_clusters=n_clusters,
        ),
        intercept,
        perfect,
        _corrected(g, d, reliability),
        reliability,
        halves,
        _corrected(g[several], d[several], halves.value),
        _bins(g, d, groups, level),
    )


def _corrected(g: Floats, d: Floats, reliability: float) -> float:
    """Correlation of ``g`` and ``d`` (n,) had ``d`` no label noise; NaN where it cannot be told."""
    if not reliability > 0 or len(g) < FEWEST_ROWS or not min(g.std(), d.std()) > 0:
        return math.nan
    return float(np.corrcoef(g, d)[0, 1]) / math.sqrt(reliability)


def marginal(predicted: Floats, counts: Floats, cluster: Positions, level: float = 0.95) -> list[Estimate]:
    """Mean of q_c minus the share of label c, for each label: 0 where base rates are right."""
    used = counts.sum(axis=1) > 0
    gap = predicted[used] - counts[used] / counts[used].sum(axis=1, keepdims=True)
    codes = np.unique(cluster[used], return_inverse=True)[1]
    return [clustered_mean(column, cluster=codes, level=level) for column in gap.T]


def disagreement_bins(
    predicted: Floats, counts: Floats, cluster: Positions, level: float = 0.95
) -> tuple[Bin, ...]:
    """Ten groups of the rows with two labels by predicted disagreement: the mean, and what is observed."""
    used = counts.sum(axis=1) > 1
    if not used.any():
        return ()
    codes = np.unique(cluster[used], return_inverse=True)[1]
    return _bins(predicted_disagreement(predicted[used]), observed_disagreement(counts[used]), codes, level)


def reliability_bins(
    predicted: Floats, counts: Floats, cluster: Positions, level: float = 0.95
) -> list[tuple[Bin, ...]]:
    """For each label, ten groups of rows by its predicted share: the mean, and the share observed."""
    used = counts.sum(axis=1) > 0
    shares = counts[used] / counts[used].sum(axis=1, keepdims=True)
    codes = np.unique(cluster[used], return_inverse=True)[1]
    return [_bins(q, share, codes, level) for q, share in zip(predicted[used].T, shares.T, strict=True)]


def strata(predicted: Floats) -> Positions:
    """Which third of the rows by the prediction's entropy (n,): 0 surest, 2 least sure.

    By prediction only: a stratum chosen by the labels' own entropy has part of the answer in it.
    """
    entropy = entr(predicted).sum(axis=1)
    cuts = np.quantile(entropy, [1 / 3, 2 / 3])
    third: Positions = np.searchsorted(cuts, entropy, side="left").astype(np.intp)
    return third


def _perfect_slope(kappa: float) -> float:
    return 1.0 if math.isinf(kappa) else kappa / (kappa + 1)


def _bins(x: Floats, y: Floats, cluster: Positions, level: float) -> tuple[Bin, ...]:
    """Ten equal groups of rows by ``x``, fewer where values tie or rows are few: then root(n / 2).

    Number and size of the groups grow alike: 24 rows make 3 groups of 8.
    """
    groups = max(1, min(BINS, math.isqrt(len(x) // 2)))
    edges = np.unique(np.quantile(x, np.linspace(0, 1, groups + 1)[1:-1]))
    home = np.searchsorted(edges, x, side="right")
    found = []
    for code in np.unique(home).tolist():
        rows = home == code
        codes = np.unique(cluster[rows], return_inverse=True)[1]
        found.append(Bin(float(x[rows].mean()), clustered_mean(y[rows], cluster=codes, level=level)))
    return tuple(found)


def _reliability(q: Floats, counts: Floats, kappa: float, rng: np.random.Generator) -> float:
    """Variance of true over observed disagreement under the model Dir(kappa q)."""
    if math.isnan(kappa):
        return math.nan
    k, true, seen = counts.sum(axis=1).astype(np.int64), [], []
    for _ in range(DRAWS):
        truth = posterior_draws(q, np.zeros_like(q), kappa, rng)
        true.append(predicted_disagreement(truth))
        seen.append(observed_disagreement(rng.multinomial(k, truth).astype(np.float64)))
    noise = float(np.var(seen))
    return float(np.var(true)) / noise if noise > 0 else math.nan
