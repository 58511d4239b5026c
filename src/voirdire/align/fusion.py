"""Kappa: how many human votes the judge counts as, and predictions for items that already have labels."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import betaincinv, digamma, gammaln

from voirdire.stats.clustered import ratio_standard_error
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.transforms import normal_quantile

__all__ = ["LARGEST_KAPPA", "fit_kappa", "fuse", "fused_alpha", "posterior_draws", "share_bounds"]

Floats = NDArray[np.float64]
SMALLEST_KAPPA, LARGEST_KAPPA = 0.02, 1e4
FEWEST_ROWS = 10
GRID = 2001
EXACT = 20_000
STEP = 1e-4


def fit_kappa(
    predicted: Floats, counts: Floats, *, cluster: NDArray[np.intp] | None = None, level: float = 0.95
) -> Estimate:
    """kappa of the Dirichlet-multinomial with mean ``predicted`` under which the label counts are likeliest.

    People's distribution on a row is modelled as Dir(kappa q): the judge counts as kappa human votes, and
    1 / (kappa + 1) is the correlation of two people's labels that q leaves. Infinite where people differ no
    more than draws from q would. ``predicted`` must be out of fold. ``predicted`` and ``counts`` are (n, C),
    ``cluster`` (n,). Undefined below 10 rows with two labels (``no_pairable_items``). The interval is Wald's
    on 1 / (kappa + 1), with a cluster-robust variance; where kappa is infinite its lower end is that of the
    likelihood ratio.

    >>> q = np.full((50, 2), 0.5)
    >>> fit_kappa(q, np.tile([[1.0, 0.0]], (50, 1))).undefined
    'no_pairable_items'
    """
    used = counts.sum(axis=1) > 1
    n = int(used.sum())
    if n < FEWEST_ROWS:
        return undefined("no_pairable_items" if n == 0 else "insufficient_items", n_items=n)
    q, labels = predicted[used], counts[used]
    groups = np.arange(n) if cluster is None else np.unique(cluster[used], return_inverse=True)[1]
    bounds = (1 / (1 + LARGEST_KAPPA), 1 / (1 + SMALLEST_KAPPA))
    found = minimize_scalar(
        lambda rho: -_likelihood(q, labels, float(rho)).sum(),
        bounds=bounds,
        method="bounded",
        options={"xatol": 1e-7},
    )
    rho = float(found.x)
    least, most = _rho_bounds(q, labels, rho, groups, level)
    return Estimate(
        math.inf if rho < 2 * bounds[0] else 1 / rho - 1,
        1 / most - 1,
        1 / least - 1 if least > 0 else math.inf,
        level,
        n_items=n,
        n_ratings=int(labels.sum()),
        method="Dirichlet-multinomial likelihood",
        target=THESE_RATERS,
        n_pairable_items=n,
        n_clusters=len(np.unique(groups)),
    )


def fused_alpha(predicted: Floats, counts: Floats, kappa: float) -> Floats:
    """Parameters kappa q + n (n, C) of the Dirichlet posterior of each row's label shares."""
    alpha: Floats = min(kappa, LARGEST_KAPPA) * predicted
    alpha += counts
    return alpha


def fuse(predicted: Floats, counts: Floats, kappa: float) -> Floats:
    """(kappa q + n) / (kappa + k): the judge as kappa human votes beside the k that exist, (n, C).

    With kappa infinite labels add nothing; with kappa NaN, not measurable, they cannot be weighed and the
    prediction stands alone.

    >>> fuse(np.array([[0.5, 0.5]]), np.array([[2.0, 0.0]]), 2.0).tolist()
    [[0.75, 0.25]]
    """
    if not math.isfinite(kappa):
        return predicted
    fused = fused_alpha(predicted, counts, kappa)
    fused /= fused.sum(axis=1, keepdims=True)
    return fused


def share_bounds(
    predicted: Floats, counts: Floats, kappa: float, *, level: float = 0.9
) -> tuple[Floats, Floats]:
    """Credal interval of each label's share among people, lower and upper (n, C): Beta quantiles.

    The share of label c is Beta(a_c, A - a_c) under Dir(a), a = kappa q + n. NaN where kappa is not
    measurable. Beyond 20,000 rows with as many labels they are read off 2,001 exact points, within 1e-3.

    >>> low, high = share_bounds(np.array([[0.5, 0.5]]), np.zeros((1, 2)), 2.0)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([[0.05, 0.05]], [[0.95, 0.95]])
    """
    low, high = np.full(predicted.shape, np.nan), np.full(predicted.shape, np.nan)
    if math.isnan(kappa):
        return low, high
    tails = (1 - level) / 2, (1 + level) / 2
    alpha = fused_alpha(predicted, counts, kappa)
    total = min(kappa, LARGEST_KAPPA) + counts.sum(axis=1)
    exact = np.ones(len(total), dtype=np.bool_)
    mean = np.linspace(0, 1, GRID)[1:-1]
    for size, rows in _many_alike(total):
        exact[rows] = False
        quantiles = [
            np.array([0.0, *betaincinv(size * mean, size * (1 - mean), tail), 1.0]) for tail in tails
        ]
        for part in np.array_split(rows, len(rows) // EXACT):  # parts that stay in a processor's cache
            place = alpha[part] * ((GRID - 1) / size)
            left = np.minimum(place.astype(np.intp), GRID - 2)
            place -= left
            for table, points in zip((low, high), quantiles, strict=True):
                table[part] = points[left] + place * np.diff(points)[left]
    for table, tail in zip((low, high), tails, strict=True):
        table[exact] = betaincinv(alpha[exact], total[exact, None] - alpha[exact], tail)
    return low, high


def _many_alike(total: Floats) -> Iterator[tuple[float, NDArray[np.intp]]]:
    """Each value of ``total`` (n,) that more than 20,000 rows share, and those rows."""
    if len(total) > EXACT:
        for size, rows in zip(*np.unique(total, return_counts=True), strict=True):
            if rows > EXACT:
                yield float(size), np.flatnonzero(total == size)


def posterior_draws(predicted: Floats, counts: Floats, kappa: float, rng: np.random.Generator) -> Floats:
    """One draw of each row's label shares (n, C) from Dir(kappa q + n)."""
    gamma = rng.standard_gamma(fused_alpha(predicted, counts, kappa))
    total = gamma.sum(axis=1, keepdims=True)
    drawn: Floats = np.where(total > 0, gamma / np.where(total > 0, total, 1.0), predicted)
    return drawn


def _likelihood(q: Floats, counts: Floats, rho: float) -> Floats:
    """Dirichlet-multinomial log likelihood of each row (n,), without the term that rho does not move."""
    kappa = (1 - rho) / rho
    alpha = kappa * q
    within = (gammaln(counts + alpha) - gammaln(alpha)).sum(axis=1)
    each: Floats = gammaln(kappa) - gammaln(kappa + counts.sum(axis=1)) + within
    return each


def _slope(q: Floats, counts: Floats, rho: float) -> Floats:
    """Derivative of :func:`_likelihood` by rho (n,)."""
    kappa = (1 - rho) / rho
    alpha = kappa * q
    by_kappa = digamma(kappa) - digamma(kappa + counts.sum(axis=1))
    by_kappa = by_kappa + (q * (digamma(counts + alpha) - digamma(alpha))).sum(axis=1)
    slope: Floats = -by_kappa / rho**2
    return slope


def _rho_bounds(
    q: Floats, counts: Floats, rho: float, cluster: NDArray[np.intp], level: float
) -> tuple[float, float]:
    """Both ends of rho's interval, within 0 to 1; NaN where the likelihood has no peak."""
    z = normal_quantile(level)
    if rho < 2 / (1 + LARGEST_KAPPA):
        peak, largest = float(_likelihood(q, counts, rho).sum()), 1 / (1 + SMALLEST_KAPPA)

        def drop(end: float) -> float:
            return peak - float(_likelihood(q, counts, end).sum()) - z**2 / 2

        return 0.0, float(brentq(drop, rho, largest)) if drop(largest) > 0 else largest
    reach = z * _rho_error(q, counts, rho, cluster)
    return max(rho - reach, 0.0), min(rho + reach, 1.0)


def _rho_error(q: Floats, counts: Floats, rho: float, cluster: NDArray[np.intp]) -> float:
    """Cluster-robust standard error of rho: the sandwich of the likelihood's slope and curvature."""
    step = min(STEP, rho / 4)
    curvature = float((_slope(q, counts, rho + step) - _slope(q, counts, rho - step)).mean()) / (2 * step)
    slope = _slope(q, counts, rho)
    error, _ = ratio_standard_error(slope, np.ones(len(slope)), cluster)
    return error / abs(curvature) if curvature < 0 else math.nan
