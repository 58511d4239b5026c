"""Does the judge's ranking of systems match people's? Order, confidence, decisiveness, gaps to trust."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.special import stdtr

from voirdire.decide.systems_means import Contrasts
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined

__all__ = [
    "CONFIRMED",
    "confirmed_gap",
    "rank_agreement",
    "separability",
    "soft_accuracy",
]

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
CONFIRMED = 0.95


def separability(differences: Sequence[Estimate]) -> tuple[int, int]:
    """How many differences have an interval that leaves out 0, and how many have a value.

    >>> separability([Estimate(0.2, 0.1, 0.3), Estimate(0.1, -0.1, 0.3)])
    (1, 2)
    """
    known = [one for one in differences if one.undefined is None]
    return sum(one.has_interval and not one.low <= 0 <= one.high for one in known), len(known)


def rank_agreement(one: Contrasts, other: Contrasts, reach: float, *, level: float) -> Estimate:
    """Kendall's tau-b of two rankings of the same systems, whose P differences are ``one`` and ``other``.

    The interval is of the tau of endless items: ``reach`` standard errors hold all 2 P differences together,
    so a pair told apart by both is known to be ordered alike or not, and every other pair may be either. It
    covers at least ``level`` and is wide where systems lie close.

    Source: Kendall 1945 (tau-b).
    """
    order, against = (np.sign(side.value) for side in (one, other))
    untied = float(np.abs(order).sum() * np.abs(against).sum())
    if not untied:
        return undefined("no_variation" if len(order) else "insufficient_systems")
    tau = float(order @ against) / math.sqrt(untied)
    n, groups = one.means.n_rows, int(one.means.n_clusters.max(initial=0))
    if not reach > 0:
        return Estimate(tau, level=level, n_items=n, no_interval="zero_width")
    alike = one.signs(reach) * other.signs(reach)
    low = float(np.where(alike > 0, 1, -1).mean())
    high = float(np.where(alike < 0, -1, 1).mean())
    return Estimate(
        tau,
        min(low, tau),
        max(high, tau),
        level,
        n,
        method="simultaneous signs of all pairs",
        target=THESE_RATERS,
        n_clusters=groups,
    )


def soft_accuracy(people: Contrasts, judge: Contrasts) -> Estimate:
    """One minus the mean difference, over pairs of systems, of the p-values that people and judge give them.

    The p-value that the first system is better is that of the paired t over clusters, so that systems need
    not have answered the same prompts. A pair without spread has p 0, 1 or 1/2.

    Source: Thompson et al. 2024, whose p-values are of a sign-flip test.
    """
    if not len(people.value):
        return undefined("insufficient_systems")
    p, q = (_better(one) for one in (people, judge))
    return Estimate(1 - float(np.abs(p - q).mean()), n_items=len(p), no_interval="no_interval_method")


def _better(one: Contrasts) -> Floats:
    """One-sided p-value (P,) of the first system being better."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(one.error > 0, one.value / one.error, np.inf * np.sign(one.value))
    return np.asarray(1 - stdtr(max(one.means.df, 1.0), np.where(np.isnan(t), 0.0, t)), dtype=np.float64)


def confirmed_gap(
    people: Contrasts, judge: Contrasts, *, level: float, draws: int, rng: np.random.Generator
) -> Estimate:
    """The least judge gap from which on people order two systems as the judge does, with probability .95.

    ``people`` and ``judge`` are the differences of the same P pairs. The probability that people on endless
    items have the judge's order is that of the paired t; it is made to rise with the judge's gap (isotonic
    regression over pairs). The interval draws people's differences anew from their sampling distribution; it
    has no upper end, infinity, where more than half of 1 - ``level`` of draws confirm no gap. Undefined where
    even the largest gap is not confirmed (``unconfirmed``) or the judge parts no two systems.

    Source: isotonic fit of agreement on score gaps, as Kocmi et al. 2024 for translation metrics.
    """
    parted = (judge.value != 0) & (people.error > 0)
    if not parted.any():
        return undefined("no_variation")
    gap, side = np.abs(judge.value[parted]), np.sign(judge.value[parted])
    value, error = people.value[parted] * side, people.error[parted]
    df = max(people.means.df, 1.0)
    point = _least(gap, np.asarray(stdtr(df, value / error)))
    if math.isinf(point):
        return undefined("unconfirmed", n_items=len(gap))
    found = [_least(gap, (one > 0).astype(float)) for one in _drawn(people, parted, side, draws, rng)]
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return Estimate(
        point,
        min(float(low), point),
        max(float(high), point),
        level,
        len(gap),
        method="people's differences drawn",
        target=THESE_RATERS,
        resamples=draws,
    )


def _least(gap: Floats, alike: Floats) -> float:
    """The least ``gap`` (P,) at which the isotonic fit of ``alike`` (P,) is confirmed, else infinity."""
    size, place = np.unique(gap, return_inverse=True)
    n = np.bincount(place)
    fit = isotonic_regression(np.bincount(place, alike) / n, weights=n).x
    sure = np.flatnonzero(fit >= CONFIRMED)
    return float(size[sure[0]]) if len(sure) else math.inf


def _drawn(people: Contrasts, rows: Booleans, side: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """People's differences (draws, P), each in the judge's direction, from a multivariate t."""
    roots, vectors = np.linalg.eigh(people.means.covariance)
    half = people.weights[rows] @ (vectors * np.sqrt(np.maximum(roots, 0)))
    df = max(people.means.df, 1.0)
    shift = rng.standard_normal((draws, half.shape[1])) @ half.T
    shift /= np.sqrt(rng.chisquare(df, size=(draws, 1)) / df)
    drawn: Floats = (people.value[rows] + shift) * side
    return drawn
