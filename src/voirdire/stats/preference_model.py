"""What Bradley-Terry, Davidson and Rao-Kupper share: the best fit by Newton's method, and its errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit, log_expit

from voirdire.stats.paired_comparisons import PairedComparisons

__all__ = ["Fit", "Outcomes", "PreferenceModel", "covariance", "fit", "logistic"]

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

ITERATIONS = 200
HALVINGS = 60
ARMIJO = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Log probabilities (p, 3) of first wins, second wins and tie, with their derivatives.

    ``slope`` (p, 3, 2) and ``curvature`` (p, 3, 2, 2) are by eta, the log ability of the first minus that of
    the second, and by the model's tie parameter.
    """

    log_p: Floats
    slope: Floats
    curvature: Floats


@dataclass(frozen=True, slots=True)
class PreferenceModel:
    """A model by its ``outcomes`` at eta (p,) and a tie parameter, the log of what ``Abilities.tie`` is.

    ``tie_start`` is where the search starts, None for a model without one; ``no_ties`` is the parameter's
    value, not its log, at which nothing ever ties.
    """

    name: str
    outcomes: Callable[[Floats, float], Outcomes]
    tie_start: float | None = None
    no_ties: float = 0.0


def logistic(eta: Floats, tie: float = 0.0) -> Outcomes:
    """P(first wins) = 1 / (1 + exp(-eta)); a tie is half a win of each."""
    log_p = np.stack([log_expit(eta), log_expit(-eta), (log_expit(eta) + log_expit(-eta)) / 2], axis=1)
    p = expit(eta)
    slope, curvature = np.zeros((len(eta), 3, 2)), np.zeros((len(eta), 3, 2, 2))
    slope[:, :, 0] = np.stack([1 - p, -p, 0.5 - p], axis=1)
    curvature[:, :, 0, 0] = -(p * (1 - p))[:, None]
    return Outcomes(log_p, slope, curvature)


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The best fit: ``theta`` holds log abilities that sum to 0 within each group, then the tie parameter.

    ``gradient`` is the largest component of the log likelihood's gradient there, ``hessian`` minus its second
    derivatives; ``converged`` says whether the gradient vanished up to rounding.
    """

    theta: Floats
    log_likelihood: float
    gradient: float
    hessian: Floats
    converged: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Verdicts by ordered pair: ``counts`` (p, 3) of each outcome between ``first`` and ``second`` (p,)."""

    first: Codes
    second: Codes
    counts: Floats
    n_systems: int

    @classmethod
    def of(cls, met: PairedComparisons) -> _Pairs:
        keys, pair = np.unique(met.first * met.n_systems + met.second, return_inverse=True)
        counts = np.bincount(pair * 3 + met.outcome, minlength=3 * len(keys)).reshape(-1, 3)
        return cls(keys // met.n_systems, keys % met.n_systems, counts.astype(np.float64), met.n_systems)

    def eta(self, theta: Floats) -> Floats:
        return theta[self.first] - theta[self.second]

    def gradient(self, at: Outcomes, size: int) -> Floats:
        slope = np.einsum("pk,pka->pa", self.counts, at.slope)
        total = np.zeros(size)
        total[: self.n_systems] = np.bincount(self.first, slope[:, 0], minlength=self.n_systems)
        total[: self.n_systems] -= np.bincount(self.second, slope[:, 0], minlength=self.n_systems)
        total[self.n_systems :] = slope[:, 1].sum()
        return total

    def hessian(self, at: Outcomes, size: int) -> Floats:
        """Minus the second derivatives of the log likelihood (size, size)."""
        bent = -np.einsum("pk,pkab->pab", self.counts, at.curvature)
        a, b, n = self.first, self.second, self.n_systems
        total = np.zeros((size, size))
        np.add.at(total, (np.r_[a, b], np.r_[a, b]), np.r_[bent[:, 0, 0], bent[:, 0, 0]])
        np.add.at(total, (np.r_[a, b], np.r_[b, a]), -np.r_[bent[:, 0, 0], bent[:, 0, 0]])
        if size > n:
            cross = np.bincount(a, bent[:, 0, 1], minlength=n) - np.bincount(b, bent[:, 0, 1], minlength=n)
            total[:n, n] = total[n, :n] = cross
            total[n, n] = bent[:, 1, 1].sum()
        return total


def fit(model: PreferenceModel, met: PairedComparisons, group: Codes) -> Fit:
    """The parameters at which ``met`` is most likely, all verdicts being within groups.

    ``group`` (n_systems,) numbers the strongly connected groups. The log likelihood is concave, so Newton's
    steps, halved until they gain, lead to its one maximum.
    """
    pairs = _Pairs.of(met)
    start = [] if model.tie_start is None else [model.tie_start]
    theta = np.concatenate([np.zeros(met.n_systems), start])
    flat = _level(group, len(theta))
    tolerance = 1e-10 + 1e-12 * len(met)
    for _ in range(ITERATIONS):
        at = model.outcomes(pairs.eta(theta), _tie(theta, met.n_systems))
        gradient, hessian = pairs.gradient(at, len(theta)), pairs.hessian(at, len(theta))
        if np.abs(gradient).max() <= tolerance:
            break
        step = np.asarray(np.linalg.solve(hessian + flat, gradient), dtype=np.float64)
        moved = _ahead(model, pairs, theta, step, float(gradient @ step))
        if moved is None:
            break
        theta = moved
    largest = float(np.abs(gradient).max())
    return Fit(theta, _log_likelihood(model, pairs, theta), largest, hessian, largest <= tolerance)


def covariance(
    model: PreferenceModel, met: PairedComparisons, group: Codes, fitted: Fit, *, robust: bool
) -> tuple[Floats, int]:
    """Covariance of the parameters (size, size), and the number of clusters it rests on.

    From the information, or ``robust``: the sandwich over clusters, G / (G - 1) times H⁻¹ B H⁻¹ with B the
    sum over clusters of the outer product of their scores.
    """
    size = len(fitted.theta)
    flat = _level(group, size)
    inverse = np.linalg.inv(fitted.hessian + flat) - flat  # it is its own inverse along those shifts
    cluster = np.arange(len(met)) if met.cluster is None else np.unique(met.cluster, return_inverse=True)[1]
    g = int(cluster.max(initial=-1)) + 1
    if not robust:
        return inverse, g
    scores = _scores(model, met, fitted.theta, cluster, g)
    meat = (scores.T @ scores).toarray()
    return inverse @ meat @ inverse * (g / (g - 1) if g > 1 else math.nan), g


def _scores(
    model: PreferenceModel, met: PairedComparisons, theta: Floats, cluster: Codes, g: int
) -> csr_array:
    """Each cluster's derivative of the log likelihood (g, size)."""
    at = model.outcomes(theta[met.first] - theta[met.second], _tie(theta, met.n_systems))
    slope = at.slope[np.arange(len(met)), met.outcome]
    values, columns = [slope[:, 0], -slope[:, 0]], [met.first, met.second]
    if len(theta) > met.n_systems:
        values.append(slope[:, 1])
        columns.append(np.full(len(met), met.n_systems))
    rows = np.tile(cluster, len(values))
    return csr_array((np.concatenate(values), (rows, np.concatenate(columns))), shape=(g, len(theta)))


def _ahead(
    model: PreferenceModel, pairs: _Pairs, theta: Floats, step: Floats, promised: float
) -> Floats | None:
    """The furthest of the halved steps that gains, or None where none does."""
    here = _log_likelihood(model, pairs, theta)
    slack = 1e-13 * abs(here)
    for halving in range(HALVINGS):
        share = 0.5**halving
        moved = theta + share * step
        if _log_likelihood(model, pairs, moved) >= here + ARMIJO * share * promised - slack:
            return moved
    return None


def _log_likelihood(model: PreferenceModel, pairs: _Pairs, theta: Floats) -> float:
    log_p = model.outcomes(pairs.eta(theta), _tie(theta, pairs.n_systems)).log_p
    seen = pairs.counts > 0  # 0 log 0 is 0
    return float((pairs.counts[seen] * log_p[seen]).sum())


def _tie(theta: Floats, n_systems: int) -> float:
    return float(theta[n_systems]) if len(theta) > n_systems else 0.0


def _level(group: Codes, size: int) -> Floats:
    """Adds curvature along the shift of a whole group, which changes no probability."""
    table = np.zeros((size, size))
    n = np.bincount(group)[group]
    table[: len(group), : len(group)] = (group[:, None] == group) / n
    return table
