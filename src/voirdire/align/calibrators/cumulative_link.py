"""The location-scale cumulative link model with metric effects, for ordered labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.align.lbfgs import minimise
from voirdire.align.loglinear import BIAS, PRECISIONS, indicators, numbers, scaled, scaling_of, unseen_effects
from voirdire.align.numerics import mixture_loss
from voirdire.align.ordinal import by_cut, intervals, logistic, thresholds, thresholds_back
from voirdire.registry import register

__all__ = ["CumulativeLink", "Line"]

Floats = NDArray[np.float64]
WIDEST = 3.0
"""The log scale s stays between -3 and 3: beyond, a row far from the training rows would be certain."""


@dataclass(frozen=True, eq=False)
class Line:
    """Inputs of n rows: ``location`` (d, n), ``scale`` (e, n), their ridges (d,) and (e,); C labels."""

    location: Floats
    location_ridge: Floats
    scale: Floats
    scale_ridge: Floats
    n_labels: int

    @property
    def start(self) -> Floats:
        """Even thresholds, no effects."""
        first = np.zeros(self.n_labels - 1 + len(self.location) + len(self.scale))
        first[0] = -0.5 * (self.n_labels - 2)
        return first

    def split(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Free thresholds (C - 1,), location (d,) and scale (e,) coefficients."""
        free, weight, spread = np.split(theta, np.cumsum([self.n_labels - 1, len(self.location)]))
        return free, weight, spread

    def log_scale(self, theta: Floats) -> Floats:
        """s (n,): a line of the scale's inputs, bent so that it stays within the limits."""
        _, _, spread = self.split(theta)
        bent: Floats = WIDEST * np.tanh(spread @ self.scale / WIDEST)
        return bent

    def cuts(self, theta: Floats, shift: float = 0.0) -> tuple[Floats, Floats]:
        """(threshold_c - eta_i - shift) * exp(-s_i), (n, C - 1), and exp(-s) (n, 1)."""
        free, weight, _ = self.split(theta)
        narrow = np.exp(-self.log_scale(theta))[:, None]
        return (thresholds(free) - (weight @ self.location)[:, None] - shift) * narrow, narrow

    def objective(self, theta: Floats, floor: Floats, counts: Floats) -> tuple[float, Floats]:
        """Loss of the mixture plus ridge, and its gradient."""
        free, _, _ = self.split(theta)
        cuts, narrow = self.cuts(theta)
        cumulative, density = logistic(cuts)
        loss, slope = mixture_loss(intervals(cumulative), floor, counts)
        cut = by_cut(slope, density)
        moved = cut * narrow
        bend = 1 - (self.log_scale(theta) / WIDEST) ** 2
        gradient = np.concatenate(
            [
                thresholds_back(free, moved.sum(axis=0)),
                -(self.location @ moved.sum(axis=1)),
                -(self.scale @ ((cut * cuts).sum(axis=1) * bend)),
            ]
        )
        ridge = np.concatenate([np.full(len(free), BIAS / 5), self.location_ridge, self.scale_ridge])
        return loss + 0.5 * float(ridge @ theta**2), gradient + ridge * theta


@register("calibrator", "cumulative_link")
@dataclass(frozen=True)
class CumulativeLink(Calibrator):
    """P(Y <= c) = logistic((theta_c - eta) * exp(-s)), ordered theta (McCullagh 1980).

    eta = sum_j w_j * score_j + a judge's reply without a verdict + covariates + u_metric + metric slope; s
    = gamma * spread + v_metric, where spread is the disagreement within and between judges. Metric effects
    and covariates share one ridge chosen by cross-validation. It cannot follow people split between both
    ends.
    """

    name: ClassVar[str] = "cumulative_link"

    def applies(self, features: Features) -> str:
        """It needs three or more ordered labels and a judge whose verdict is a number."""
        if not features.scale.ordered or features.n_labels < 3:
            return "the human labels are not three or more in a declared order"
        scored = any(bool(np.isfinite(output.score).any()) for output in features.judges)
        return "" if scored else "no judge's verdict is a number"

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """Every ridge."""
        return tuple(Setting(precision) for precision in PRECISIONS)

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """The ridge estimate of thresholds, location and scale."""
        features = problem.features
        scaling = scaling_of(np.hstack([numbers(features), features.spread[:, None]]))
        line = _line(features, setting, scaling)
        floor, counts = np.asfortranarray(problem.floor_rows), np.asfortranarray(problem.counts)
        first = line.start if start is None else start["theta"]
        theta = minimise(lambda theta: line.objective(theta, floor, counts), first)
        return {"theta": theta, "_scaling": scaling}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> Floats:
        """Interval probabilities, averaged over a metric's possible effects where it was not seen."""
        line, theta = _line(features, setting, parameters["_scaling"]), parameters["theta"]
        model = intervals(logistic(line.cuts(theta)[0])[0])
        unseen = features.metric < 0
        if unseen.any() and features.n_metrics > 1:
            new = _line(features.take(unseen), setting, parameters["_scaling"])
            draws = unseen_effects(1, setting.precision)[:, 0]
            model[unseen] = sum(intervals(logistic(new.cuts(theta, u)[0])[0]) for u in draws) / len(draws)
        return model


def _line(features: Features, setting: Setting, scaling: Floats) -> Line:
    """The rows of ``features`` as inputs, in standard units of the training rows."""
    table = scaled(np.hstack([numbers(features), features.spread[:, None]]), scaling)
    d = features.covariates.shape[1]
    covariates, scores, spread = table[:, :d].T, table[:, d:-1].T, table[:, -1:].T
    silent = np.stack([~np.isfinite(output.score) for output in features.judges]).astype(np.float64)
    several = features.n_metrics > 1
    metric = indicators(features.metric, features.n_metrics if several else 0)
    c = setting.precision
    location = [(scores, BIAS), (silent, c), (covariates, c), (metric, c), (metric * scores.mean(axis=0), c)]
    scale = [(spread, c), (metric, c)]
    return Line(
        np.vstack([block for block, _ in location]),
        np.concatenate([np.full(len(block), ridge) for block, ridge in location]),
        np.vstack([block for block, _ in scale]),
        np.concatenate([np.full(len(block), ridge) for block, ridge in scale]),
        features.n_labels,
    )
