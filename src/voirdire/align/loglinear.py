"""Log-linear maps: logits = tied features * a + free features * B, fitted with a ridge.

Temperature, vector and Dirichlet scaling, Platt, beta and the stack are all of this form; each is a design.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.align.lbfgs import minimise
from voirdire.align.numerics import mixture_loss, softmax, through_softmax

__all__ = [
    "BIAS",
    "PRECISIONS",
    "SLOPE",
    "Block",
    "Design",
    "LogLinear",
    "indicators",
    "intercepts",
    "known_of",
    "numbers",
    "scaled",
    "scaling_of",
    "unseen_effects",
    "unseen_metric",
]

Floats = NDArray[np.float64]
Block = tuple[Floats, float]
PRECISIONS = (30.0, 10.0, 3.0, 1.0, 0.3, 0.1)
"""Ridges to choose among, on the sum of the losses, so that they fade as labels come in."""
BIAS = 0.05
SLOPE = 0.05
"""Small fixed ridges on intercepts and on the slope of the judge's own log probabilities (toward 1)."""
DRAWS = 64
FARTHEST = 10.0
"""Standard deviations from the mean beyond which a number counts no further: a map is not extrapolated."""
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Design:
    """Inputs of n rows: ``tied`` (p, C, n) with one coefficient for all labels, ``free`` (d, n) one a label.

    ``tied_ridge`` (p,) and ``free_ridge`` (d,) are the precisions; the tied coefficients shrink toward
    ``tied_centre`` (p,), the free ones toward 0. Rows come last, since sums over a handful of labels are
    then quick.
    """

    tied: Floats
    tied_centre: Floats
    tied_ridge: Floats
    free: Floats
    free_ridge: Floats

    @classmethod
    def of(
        cls,
        features: Features,
        *,
        tied: Sequence[tuple[Floats, float, float]] = (),
        free: Sequence[Block] = (),
    ) -> Design:
        """Blocks one after another: tied (n, C) with centre and ridge, free (d, n) with their ridge."""
        n, c = len(features), features.n_labels
        return cls(
            np.stack([block.T for block, _, _ in tied]) if tied else np.zeros((0, c, n)),
            np.array([centre for _, centre, _ in tied]),
            np.array([ridge for _, _, ridge in tied]),
            np.vstack([block for block, _ in free]) if free else np.zeros((0, n)),
            np.concatenate([np.full(len(block), ridge) for block, ridge in free]) if free else np.zeros(0),
        )

    @cached_property
    def centre(self) -> Floats:
        """What each coefficient shrinks toward: ``tied_centre``, else 0."""
        return np.concatenate([self.tied_centre, np.zeros(len(self.free) * self.tied.shape[1])])

    @cached_property
    def ridge(self) -> Floats:
        """Each coefficient's precision."""
        return np.concatenate([self.tied_ridge, np.tile(self.free_ridge, self.tied.shape[1])])

    def logits(self, theta: Floats) -> Floats:
        """(n, C) for coefficients ``theta``: the tied ones, then those of each label in turn."""
        p, c, n = self.tied.shape
        by_label = theta[p:].reshape(c, -1) @ self.free
        if p:
            by_label += (theta[:p] @ self.tied.reshape(p, -1)).reshape(c, n)
        return by_label.T

    def objective(self, theta: Floats, floor: Floats, counts: Floats) -> tuple[float, Floats]:
        """Loss of the mixture plus ridge, and its gradient."""
        model = softmax(self.logits(theta))
        loss, slope = mixture_loss(model, floor, counts)
        by_label = through_softmax(model, slope).T
        tied = self.tied.reshape(len(self.tied), -1) @ by_label.ravel()
        gradient = np.concatenate([tied, (by_label @ self.free.T).ravel()])
        away = theta - self.centre
        return loss + 0.5 * float(self.ridge @ away**2), gradient + self.ridge * away


@dataclass(frozen=True)
class LogLinear(Calibrator):
    """A calibrator given by its design."""

    @abstractmethod
    def design(self, features: Features, setting: Setting, known: Parameters) -> Design:
        """The design of ``features``; ``known`` is what :func:`known_of` found in the training rows."""

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """Every ridge of :data:`PRECISIONS`."""
        return tuple(Setting(precision) for precision in PRECISIONS)

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """The ridge estimate of theta."""
        known = known_of(problem.features)
        design = self.design(problem.features, setting, known)
        floor, counts = np.asfortranarray(problem.floor_rows), np.asfortranarray(problem.counts)
        first = design.centre if start is None else start["theta"]
        theta = minimise(lambda theta: design.objective(theta, floor, counts), first)
        return {"theta": theta, **known}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> Floats:
        """softmax of the logits, averaged over a metric's possible effects where it was not seen."""
        design = self.design(features, setting, parameters)
        logits = design.logits(parameters["theta"])
        unseen = features.metric < 0
        model = softmax(logits)
        if unseen.any() and features.n_metrics > 1:
            model[unseen] = unseen_metric(logits[unseen], setting.precision)
        return model


def known_of(features: Features) -> dict[str, Floats]:
    """What a design must take from the training rows, so that it has the same columns for any others.

    ``_scaling`` (2, d + J) are means and spreads of covariates and scores, ``_stating`` (J,) is 1 for judges
    that state probabilities.
    """
    stating = np.array([float(output.states) for output in features.judges])
    return {"_scaling": scaling_of(numbers(features)), "_stating": stating}


def numbers(features: Features) -> Floats:
    """Covariates and judges' scores side by side (n, d + J), NaN where a judge gave none."""
    return np.hstack([features.covariates, features.scores]) if features.judges else features.covariates


def scaling_of(table: Floats) -> Floats:
    """Means and standard deviations (2, d) of what each column holds, 1 where only rounding varies."""
    present = np.isfinite(table)
    count = np.maximum(present.sum(axis=0), 1)
    mean = np.where(present, table, 0.0).sum(axis=0) / count
    spread = np.sqrt((np.where(present, table - mean, 0.0) ** 2).sum(axis=0) / count)
    return np.stack([mean, np.where(spread > ROUNDING * np.abs(mean), spread, 1.0)])


def scaled(table: Floats, scaling: Floats) -> Floats:
    """Each column centred and divided by its spread, at most 10 from 0; 0, the mean, where missing.

    >>> scaled(np.array([[3.0], [np.nan], [99.0]]), np.array([[1.0], [2.0]])).ravel().tolist()
    [1.0, 0.0, 10.0]
    """
    standard: Floats = np.clip(np.nan_to_num((table - scaling[0]) / scaling[1]), -FARTHEST, FARTHEST)
    return standard


def indicators(codes: NDArray[np.int32], n_codes: int, value: float = 1.0) -> Floats:
    """``value`` in the row of each code (n_codes, n), 0 elsewhere; a code below 0 has no row.

    >>> indicators(np.array([1, 0, -1], dtype=np.int32), 2).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    """
    return np.where(codes == np.arange(n_codes)[:, None], value, 0.0)


def intercepts(features: Features, precision: float) -> list[Block]:
    """Ones with the small ridge of intercepts, and the metrics' effects where there are several."""
    ones = (np.ones((1, len(features))), BIAS)
    if features.n_metrics == 1:
        return [ones]
    return [ones, (indicators(features.metric, features.n_metrics), precision)]


def unseen_effects(size: int, precision: float) -> Floats:
    """Draws (64, size) of effects u ~ N(0, 1 / precision) of a metric without labels, symmetric about 0."""
    half = np.random.default_rng(0).standard_normal((DRAWS // 2, size)) / math.sqrt(precision)
    return np.vstack([half, -half])


def unseen_metric(logits: Floats, precision: float) -> Floats:
    """softmax(logits + u) averaged over the possible effects u of a metric never seen (n, C)."""
    total = np.zeros_like(logits)
    for effect in unseen_effects(logits.shape[1], precision):
        total += softmax(logits + effect)
    return total / DRAWS
