"""Log-linear maps: logits = tied features * a + dense features * B + categories * E, fitted with a ridge.

Temperature, vector and Dirichlet scaling, Platt, beta and the stack are all of this form; each is a design.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.align.numerics import minimise, mixture_loss, softmax, through_softmax

__all__ = [
    "BIAS",
    "PRECISIONS",
    "SLOPE",
    "Column",
    "Design",
    "LogLinear",
    "categories",
    "intercept",
    "metric_effects",
    "numbers",
    "scaled",
    "scaling_of",
    "unseen_metric",
]

Floats = NDArray[np.float64]
Column = tuple[NDArray[np.int32], int, float]
PRECISIONS = (30.0, 10.0, 3.0, 1.0, 0.3)
"""Ridges to choose among, on the sum of the losses, so that they fade as labels come in."""
BIAS = 0.05
SLOPE = 0.05
"""Small fixed ridges on intercepts and on the slope of the judge's own log probabilities (toward 1)."""
DRAWS = 64


@dataclass(frozen=True, eq=False)
class Design:
    """The inputs of n rows: ``tied`` (n, C, p) with one coefficient for all labels, ``dense`` (n, d) with one a label.

    ``sparse`` (n, g) holds categories, one coefficient a category and label. ``tied_ridge`` (p,), ``dense_ridge``
    (d,) and ``sparse_ridge`` (g,) are the precisions, ``tied_centre`` (p,) what the tied ones shrink toward.
    """

    tied: Floats
    tied_centre: Floats
    tied_ridge: Floats
    dense: Floats
    dense_ridge: Floats
    sparse: Any
    sparse_ridge: Floats

    @classmethod
    def of(
        cls,
        features: Features,
        *,
        tied: Sequence[tuple[Floats, float, float]] = (),
        dense: Sequence[tuple[Floats, float]] = (),
        sparse: Sequence[tuple[Column, float]] = (),
    ) -> Design:
        """Blocks side by side: tied (n, C) with centre and ridge, dense (n, d) and categories with their ridge."""
        n, c = len(features), features.n_labels
        return cls(
            np.stack([block for block, _, _ in tied], axis=2) if tied else np.zeros((n, c, 0)),
            np.array([centre for _, centre, _ in tied]),
            np.array([ridge for _, _, ridge in tied]),
            np.hstack([block for block, _ in dense]) if dense else np.zeros((n, 0)),
            np.concatenate([np.full(block.shape[1], ridge) for block, ridge in dense]) if dense else np.zeros(0),
            categories(n, [column for column, _ in sparse]),
            np.concatenate([np.full(column[1], ridge) for column, ridge in sparse]) if sparse else np.zeros(0),
        )

    @property
    def n_labels(self) -> int:
        """C, the number of human labels."""
        return self.tied.shape[1]

    @cached_property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers of tied, dense and categorical coefficients."""
        c = self.n_labels
        return self.tied.shape[2], self.dense.shape[1] * c, self.sparse.shape[1] * c

    def split(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """a (p,), B (d, C) and E (g, C) out of one vector."""
        p, d, _ = self.sizes
        c = self.n_labels
        return theta[:p], theta[p : p + d].reshape(-1, c), theta[p + d :].reshape(-1, c)

    @cached_property
    def centre(self) -> Floats:
        """What each coefficient shrinks toward: ``tied_centre``, else 0."""
        return np.concatenate([self.tied_centre, np.zeros(sum(self.sizes[1:]))])

    @cached_property
    def ridge(self) -> Floats:
        """Each coefficient's precision."""
        c = self.n_labels
        return np.concatenate([self.tied_ridge, np.repeat(self.dense_ridge, c), np.repeat(self.sparse_ridge, c)])

    def logits(self, theta: Floats) -> Floats:
        """(n, C) for coefficients ``theta``."""
        a, b, e = self.split(theta)
        return np.asarray(self.tied @ a + self.dense @ b + self.sparse @ e, dtype=np.float64)

    def objective(self, theta: Floats, floor: Floats, counts: Floats) -> tuple[float, Floats]:
        """Loss of the mixture plus ridge, and its gradient."""
        model = softmax(self.logits(theta))
        loss, slope = mixture_loss(model, floor, counts)
        by_logit = through_softmax(model, slope)
        gradient = np.concatenate(
            [
                np.tensordot(by_logit, self.tied, axes=([0, 1], [0, 1])),
                (self.dense.T @ by_logit).ravel(),
                np.asarray(self.sparse.T @ by_logit).ravel(),
            ]
        )
        away, ridge = theta - self.centre, self.ridge
        return loss + 0.5 * float(ridge @ away**2), gradient + ridge * away


@dataclass(frozen=True)
class LogLinear(Calibrator):
    """A calibrator given by its design."""

    @abstractmethod
    def design(self, features: Features, setting: Setting, scaling: Floats) -> Design:
        """The design of ``features``; ``scaling`` (2, d + J) are the training rows' means and spreads of covariates and scores."""

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """Every ridge of :data:`PRECISIONS`."""
        return tuple(Setting(precision) for precision in PRECISIONS)

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """The ridge estimate of theta."""
        scaling = scaling_of(numbers(problem.features))
        design = self.design(problem.features, setting, scaling)
        floor, counts = problem.floor_rows, problem.counts
        first = design.centre if start is None else start["theta"]
        theta = minimise(lambda theta: design.objective(theta, floor, counts), first)
        return {"theta": theta, "_scaling": scaling}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> Floats:
        """softmax of the logits, averaged over the metric's possible effects where the metric was not seen."""
        design = self.design(features, setting, parameters["_scaling"])
        logits = design.logits(parameters["theta"])
        unseen = features.metric < 0
        model = softmax(logits)
        if unseen.any() and features.n_metrics > 1:
            model[unseen] = unseen_metric(logits[unseen], setting.precision)
        return model


def numbers(features: Features) -> Floats:
    """Covariates and judges' scores side by side (n, d + J), NaN where a judge gave none."""
    return np.hstack([features.covariates, features.scores]) if features.judges else features.covariates


def scaling_of(table: Floats) -> Floats:
    """Means and standard deviations (2, d) of what is present in each column, 0 and 1 where nothing varies."""
    present = np.isfinite(table)
    count = np.maximum(present.sum(axis=0), 1)
    mean = np.where(present, table, 0.0).sum(axis=0) / count
    spread = np.sqrt((np.where(present, table - mean, 0.0) ** 2).sum(axis=0) / count)
    return np.stack([mean, np.where(spread > 0, spread, 1.0)])


def scaled(table: Floats, scaling: Floats) -> Floats:
    """Each column centred and divided by its spread; 0, the mean, where a value is missing."""
    return np.nan_to_num((table - scaling[0]) / scaling[1])


def categories(n: int, columns: Sequence[Column]) -> Any:
    """Codes side by side as one sparse indicator matrix; each column is (codes, how many, value). Below 0 is none."""
    base, where, values = 0, [], []
    for codes, size, value in columns:
        where.append(np.where(codes >= 0, codes + base, 0))
        values.append(np.where(codes >= 0, value, 0.0))
        base += size
    if not columns:
        return sparse.csr_array((n, 0), dtype=np.float64)
    index = np.stack(where, axis=1).ravel()
    data = np.stack(values, axis=1).ravel()
    return sparse.csr_array((data, index, np.arange(0, len(index) + 1, len(columns))), shape=(n, base))


def intercept(features: Features) -> tuple[Floats, float]:
    """A column of ones with the small ridge of intercepts."""
    return np.ones((len(features), 1)), BIAS


def metric_effects(features: Features, precision: float) -> list[tuple[Column, float]]:
    """The metrics as categories, none where there is one metric."""
    return [((features.metric, features.n_metrics, 1.0), precision)] if features.n_metrics > 1 else []


def unseen_metric(logits: Floats, precision: float) -> Floats:
    """Probabilities (n, C) averaged over metric effects u ~ N(0, 1 / precision) that no label has told yet."""
    half = np.random.default_rng(0).standard_normal((DRAWS // 2, logits.shape[1])) / math.sqrt(precision)
    total = np.zeros_like(logits)
    for effect in (*half, *-half):
        total += softmax(logits + effect)
    return total / DRAWS
