"""The best possible score, and skill: how much of the way from a floor to it was won."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from voirdire.align.fusion import fused_alpha
from voirdire.align.resampling import ratio_of_sums
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.intervals import percentile

__all__ = ["entropy_optimum", "skill"]

Floats = NDArray[np.float64]


def entropy_optimum(predicted: Floats, counts: Floats, kappa: float) -> Floats:
    """Expected entropy of each row's label shares under Dir(kappa q + n), nats (n,): the best log score.

    psi(A + 1) - sum_c (a_c / A) psi(a_c + 1). It rests on the model: no estimate of entropy is unbiased with
    few labels. NaN where kappa is NaN.

    Source: Wolpert & Wolf 1995, equation 11 of section III, for the Dirichlet posterior.

    >>> float(entropy_optimum(np.array([[0.5, 0.5]]), np.zeros((1, 2)), 2.0)[0])
    0.5
    """
    alpha = fused_alpha(predicted, counts, kappa)
    total = alpha.sum(axis=1)
    entropy: Floats = digamma(total + 1) - (alpha / total[:, None] * digamma(alpha + 1)).sum(axis=1)
    return entropy


def skill(
    floor: Floats,
    loss: Floats,
    optimum: Floats,
    *,
    cluster: NDArray[np.intp],
    level: float = 0.95,
    resamples: int = 2000,
    rng: np.random.Generator,
) -> Estimate:
    """(floor - loss) / (floor - optimum) of mean log scores: 0 at the floor, 1 at the best possible.

    ``floor``, ``loss`` and ``optimum`` are (n,). Whole clusters are resampled. Undefined where the optimum is
    unknown or leaves no room below the floor (``not_identifiable``).
    """
    n = len(loss)
    room = float((floor - optimum).mean()) if n else math.nan
    if not room > 0:
        return undefined("not_identifiable", n_items=n)
    columns = np.stack([floor - loss, floor - optimum], axis=1)
    drawn = ratio_of_sums(columns, cluster, resamples, rng)
    bounds = percentile(drawn, level)
    return Estimate(
        float((floor - loss).mean()) / room,
        bounds.low,
        bounds.high,
        level,
        n_items=n,
        method="percentile over clusters",
        target=THESE_RATERS,
        no_interval=bounds.none,
        resamples=bounds.resamples,
        undefined_resamples=bounds.undefined,
        n_clusters=len(np.unique(cluster)),
    )
