"""Ordered labels as intervals of a line: P(Y <= c) = F(a_c) for cut points a_c."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

__all__ = ["by_cut", "cut_points", "intervals", "logistic", "normal", "thresholds", "thresholds_back"]

Floats = NDArray[np.float64]


def logistic(a: Floats) -> tuple[Floats, Floats]:
    """The logistic distribution function and its density."""
    f = expit(a)
    return f, f * (1 - f)


def normal(a: Floats) -> tuple[Floats, Floats]:
    """The normal distribution function and its density."""
    return ndtr(a), np.exp(-0.5 * a**2) / np.sqrt(2 * np.pi)


def intervals(cumulative: Floats) -> Floats:
    """Label probabilities (n, C) from P(Y <= c) at the C - 1 cut points (n, C - 1).

    >>> intervals(np.array([[0.2, 0.7]])).round(2).tolist()
    [[0.2, 0.5, 0.3]]
    """
    n = len(cumulative)
    edges = np.hstack([np.zeros((n, 1)), cumulative, np.ones((n, 1))])
    return np.asfortranarray(np.maximum(np.diff(edges, axis=1), 0.0))


def by_cut(slope: Floats, density: Floats) -> Floats:
    """The derivative by the cut points (n, C - 1), from that by the label probabilities (n, C)."""
    return (slope[:, :-1] - slope[:, 1:]) * density


def cut_points(positions: Floats) -> Floats:
    """Midpoints (C - 1,) between neighbouring label values (C,)."""
    middle: Floats = (positions[1:] + positions[:-1]) / 2
    return middle


def thresholds(free: Floats) -> Floats:
    """Increasing thresholds (C - 1,) from a first one and logs of the steps.

    >>> thresholds(np.array([-1.0, 0.0, 0.0])).tolist()
    [-1.0, 0.0, 1.0]
    """
    ordered: Floats = free[0] + np.append(0.0, np.cumsum(np.exp(free[1:])))
    return ordered


def thresholds_back(free: Floats, slope: Floats) -> Floats:
    """The derivative by the free numbers, from that by the thresholds, both (C - 1,)."""
    above = np.cumsum(slope[::-1])[::-1]
    return np.append(above[0], above[1:] * np.exp(free[1:]))
