"""First against second as a logistic regression, labels without a winner set aside."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from voirdire.align.priors import label_prior
from voirdire.study.scale import Scale

__all__ = ["objective", "shares", "winner_shape"]

Floats = NDArray[np.float64]


def shares(counts: Floats) -> Floats:
    """Share of each label (C,) in training."""
    return label_prior(counts)


def objective(
    theta: Floats, inputs: Floats, ridge: Floats, scale: Scale, counts: Floats
) -> tuple[float, Floats]:
    """Logistic loss of first and second with log odds theta . inputs (d, n), plus ridge; and its gradient."""
    won = counts[:, scale.code("first")]
    lost = counts[:, scale.code("second")]
    eta = theta @ inputs
    loss = float((won * np.logaddexp(0, -eta) + lost * np.logaddexp(0, eta)).sum())
    residual = (won + lost) * expit(eta) - won
    return loss + 0.5 * float(ridge @ theta**2), inputs @ residual + ridge * theta


def winner_shape(eta: Floats, share: Floats, scale: Scale) -> Floats:
    """Label probabilities (n, C): ``share`` (C,) for labels without a winner, the rest by log odds (n,)."""
    first, second = scale.code("first"), scale.code("second")
    model = np.tile(share, (len(eta), 1))
    decided = share[first] + share[second]
    model[:, first] = decided * expit(eta)
    model[:, second] = decided * expit(-eta)
    return model
