"""Where do people's labels fall within their predicted distributions? The probability integral transform."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import Estimate

__all__ = ["Pit", "PitBin", "pit", "randomised_pit"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
BINS = 10
FEWEST_CLUSTERS = 10


@dataclass(frozen=True)
class PitBin:
    """The share of labels between two quantiles of their predictions, ``low`` and ``high``.

    With a calibrated prediction it is high - low, and lies within ``expected_low`` and ``expected_high`` as
    often as the level says; NaN where the bin has no spread.
    """

    low: float
    high: float
    share: Estimate
    expected_low: float
    expected_high: float


@dataclass(frozen=True)
class Pit:
    """The histogram in ``bins``, and two figures that are 0 for a calibrated prediction.

    ``location``: mean minus 1/2, above 0 where people's labels lie higher than predicted. ``spread``: 12
    times the mean squared distance from 1/2, minus 1, above 0 where people spread wider than predicted. ``p``
    tests both at once; NaN below ten clusters.
    """

    bins: tuple[PitBin, ...]
    location: Estimate
    spread: Estimate
    p: float


def pit(predicted: Floats, counts: Floats, cluster: Positions, level: float = 0.95) -> Pit:
    """The non-randomised probability integral transform of ordered labels, a row's labels averaged.

    ``predicted`` and ``counts`` are (n, C), labels in order, ``cluster`` (n,). A label c is spread evenly
    over F(c - 1) to F(c), so that no chance enters the figure. The test is Hotelling's over clusters on the
    two moments, a smooth test of order 2.

    Source: Czado, Gneiting & Held 2009, equation 2 (the transform); Neyman 1937 (the smooth test).

    >>> found = pit(np.full((40, 2), 0.5), np.tile([[1.0, 1.0]], (40, 1)), np.arange(40))
    >>> found.location.value, [round(one.share.value, 3) for one in found.bins[:2]]
    (0.0, [0.1, 0.1])
    """
    used = counts.sum(axis=1) > 0
    weight = counts[used] / counts[used].sum(axis=1, keepdims=True)
    groups = np.unique(cluster[used], return_inverse=True)[1]
    low, high = _ends(predicted[used])
    edges = np.arange(BINS + 1) / BINS
    bins = []
    for left, right in pairwise(edges.tolist()):
        inside = np.clip(np.minimum(high, right) - np.maximum(low, left), 0, None)
        share = clustered_mean((weight * inside / (high - low)).sum(axis=1), cluster=groups, level=level)
        reach = (share.high - share.low) / 2
        middle = right - left
        bins.append(PitBin(left, right, share, middle - reach, middle + reach))
    location = (weight * ((low + high - 1) / 2)).sum(axis=1)
    cubes = ((high - 0.5) ** 3 - (low - 0.5) ** 3) / (3 * (high - low))
    spread = (weight * (12 * cubes - 1)).sum(axis=1)
    return Pit(
        tuple(bins),
        clustered_mean(location, cluster=groups, level=level),
        clustered_mean(spread, cluster=groups, level=level),
        _both(np.stack([location, spread], axis=1), groups),
    )


def randomised_pit(predicted: Floats, counts: Floats, rng: np.random.Generator) -> Floats:
    """One uniform draw from F(c - 1) to F(c) for every label c, rows in order (n labels,).

    Uniform on 0 to 1 where the prediction is calibrated. For plots and tests of one's own; the figures of
    :func:`pit` are its means over draws.

    >>> float(randomised_pit(np.array([[0.0, 1.0]]), np.array([[0.0, 1.0]]), np.random.default_rng(1))[0]) < 1
    True
    """
    low, high = _ends(predicted)
    times = counts.astype(np.int64).ravel()
    left, right = np.repeat(low.ravel(), times), np.repeat(high.ravel(), times)
    drawn: Floats = left + (right - left) * rng.random(len(left))
    return drawn


def _ends(predicted: Floats) -> tuple[Floats, Floats]:
    """F(c - 1) and F(c) of each label (n, C), a hair apart where a label was given no share."""
    high = np.cumsum(predicted, axis=1) / predicted.sum(axis=1, keepdims=True)
    low = np.concatenate([np.zeros((len(high), 1)), high[:, :-1]], axis=1)
    hair = 1e-9
    return np.minimum(low, 1 - hair), np.maximum(high, np.minimum(low, 1 - hair) + hair)


def _both(values: Floats, cluster: Positions) -> float:
    """p of Hotelling's test that the means of ``values`` (n, 2) are 0, clusters drawn whole."""
    g, n = int(cluster.max(initial=-1)) + 1, len(values)
    if g < FEWEST_CLUSTERS:
        return math.nan
    mean = values.mean(axis=0)
    sums = np.zeros((g, 2))
    np.add.at(sums, cluster, values - mean)
    covariance = g / (g - 1) * sums.T @ sums / n**2
    if not np.linalg.det(covariance) > 1e-24:
        return math.nan
    square = float(mean @ np.linalg.solve(covariance, mean))
    return float(fdtrc(2, g - 2, (g - 2) / (2 * (g - 1)) * square))
