"""A number predicted with normal errors, read as label probabilities between the labels' midpoints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from voirdire.align.features import Features
from voirdire.align.numerics import mixture_loss
from voirdire.align.ordinal import by_cut, cut_points, intervals, normal

__all__ = ["discretised", "has_scores", "objective", "ridge_line"]

Floats = NDArray[np.float64]


def has_scores(features: Features) -> str:
    """Why a numeric map cannot be used, '' where human labels are ordered and a verdict is a number."""
    if not features.scale.ordered:
        return "the human labels have no declared order"
    scored = any(bool(np.isfinite(output.score).any()) for output in features.judges)
    return "" if scored else "no judge's verdict is a number"


def discretised(mean: Floats, sigma: float, positions: Floats) -> Floats:
    """P(c) = Phi((m_c - mean) / sigma) - Phi((m_{c-1} - mean) / sigma) with midpoints m, (n, C).

    >>> discretised(np.array([2.0]), 0.5, np.array([1.0, 2.0, 3.0])).round(3).tolist()
    [[0.159, 0.683, 0.159]]
    """
    return intervals(normal((cut_points(positions) - mean[:, None]) / sigma)[0])


def objective(
    theta: Floats, inputs: Floats, ridge: Floats, positions: Floats, labels: tuple[Floats, Floats]
) -> tuple[float, Floats]:
    """Loss of the mixture plus ridge, and its gradient, for (coefficients (d,), log sigma) and inputs (d, n).

    ``labels`` are the base rates and the counts, (n, C) each.
    """
    floor, counts = labels
    sigma = np.exp(theta[-1])
    cuts = (cut_points(positions) - (theta[:-1] @ inputs)[:, None]) / sigma
    cumulative, density = normal(cuts)
    loss, slope = mixture_loss(intervals(cumulative), floor, counts)
    cut = by_cut(slope, density)
    gradient = np.append(-(inputs @ cut.sum(axis=1)) / sigma, -float((cut * cuts).sum()))
    weight = theta[:-1]
    gradient[:-1] += ridge * weight
    return loss + 0.5 * float(ridge @ weight**2), gradient


def ridge_line(inputs: Floats, ridge: Floats, counts: Floats, positions: Floats) -> tuple[Floats, float]:
    """Weighted ridge regression of the labels' values on inputs (d, n): coefficients (d,) and residual SD."""
    weight = counts.sum(axis=1)
    mean = counts @ positions / weight
    gram = (inputs * weight) @ inputs.T + np.diag(ridge)
    coefficients: Floats = np.linalg.solve(gram, inputs @ (weight * mean))
    residual = (positions - (coefficients @ inputs)[:, None]) ** 2
    sigma = float(np.sqrt((counts * residual).sum() / weight.sum()))
    return coefficients, max(sigma, 0.05 * float(np.ptp(positions)))
