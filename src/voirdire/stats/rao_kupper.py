"""How strong is each system, and how far apart must two be to be told apart? Rao and Kupper's model."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit

from voirdire.registry import register
from voirdire.stats.abilities import Abilities, fitted_abilities
from voirdire.stats.paired_comparisons import PairedComparisons, as_paired_comparisons
from voirdire.stats.preference_model import Outcomes, PreferenceModel

__all__ = ["rao_kupper"]

Floats = NDArray[np.float64]


def _outcomes(eta: Floats, threshold: float) -> Outcomes:
    """P(first) = F(eta - t), P(second) = F(-eta - t), P(tie) = P(first) P(second) (exp(2t) - 1)."""
    if threshold <= 0:
        return Outcomes(np.full((len(eta), 3), -math.inf), np.zeros((len(eta), 3, 2)), np.zeros((0, 3, 2, 2)))
    first, second = expit(eta - threshold), expit(-eta - threshold)
    log_first, log_second = log_expit(eta - threshold), log_expit(-eta - threshold)
    log_excess = 2 * threshold + math.log(-math.expm1(-2 * threshold))
    log_p = np.stack([log_first, log_second, log_first + log_second + log_excess], axis=1)
    a, b = 1 - first, 1 - second
    slope = np.empty((len(eta), 3, 2))
    slope[:, :, 0] = np.stack([a, -b, a - b], axis=1)
    slope[:, :, 1] = np.stack([-a, -b, 2 / -math.expm1(-2 * threshold) - a - b], axis=1)
    v, w = first * a, second * b
    curvature = np.empty((len(eta), 3, 2, 2))
    curvature[:, :, 0, 0] = np.stack([-v, -w, -v - w], axis=1)
    curvature[:, :, 0, 1] = curvature[:, :, 1, 0] = np.stack([v, -w, v - w], axis=1)
    bend = 4 * math.exp(-2 * threshold) / math.expm1(-2 * threshold) ** 2
    curvature[:, :, 1, 1] = np.stack([-v, -w, -v - w - bend], axis=1)
    return Outcomes(log_p, slope, curvature)


MODEL = PreferenceModel("Rao-Kupper", _outcomes, tie_start=0.5, no_ties=1.0)


@register("statistic", "rao_kupper")
def rao_kupper(
    comparisons: PairedComparisons | ArrayLike, *, reference: int | None = None, level: float = 0.95
) -> Abilities:
    """Log abilities where i beats j with chance pi_i / (pi_i + theta pi_j), and else they tie or j wins.

    ``comparisons`` are :class:`~voirdire.stats.PairedComparisons`, or wins (n, n) without ties. ``tie`` is
    theta, at least 1: log theta is how far a difference must reach to be seen; 1 without ties, where this is
    Bradley and Terry's model. Log abilities, errors and groups are those of :func:`bradley_terry`; undefined
    where :func:`davidson` is.

    Source: Rao & Kupper 1967, equations 2.4 to 2.6.

    >>> met = PairedComparisons.from_counts([[0, 5], [2, 0]], [[0, 3], [3, 0]])
    >>> print(rao_kupper(met).difference(0, 1), round(rao_kupper(met).tie.value, 3))
    0.69 [−0.52, 1.90] 2.0
    """
    return fitted_abilities(MODEL, as_paired_comparisons(comparisons), reference=reference, level=level)
