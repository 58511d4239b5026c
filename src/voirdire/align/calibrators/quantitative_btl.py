"""BTL of the quantitative LLM judges: logistic regression of the winner on the judge's preference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.align.lbfgs import minimise
from voirdire.align.loglinear import BIAS, PRECISIONS, scaled, scaling_of
from voirdire.align.winner import objective, shares, winner_shape
from voirdire.registry import register

__all__ = ["QuantitativeBTL"]

Floats = NDArray[np.float64]


@register("calibrator", "quantitative_btl")
@dataclass(frozen=True)
class QuantitativeBTL(Calibrator):
    """log odds of first over second = theta . embedding + w . margin + c (arXiv 2506.02945, BTL judge).

    Published for two labels. Labels that name no winner get their share of the training labels, the rest is
    divided by the logistic model. The embedding is the numeric columns given as covariates.
    """

    name: ClassVar[str] = "quantitative_btl"

    def applies(self, features: Features) -> str:
        """It needs pairwise labels first and second, and a judge."""
        if not {"first", "second"} <= set(features.scale.labels):
            return "the human labels are not first and second"
        return "" if features.judges else "no judge"

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """Every ridge, chosen by cross-validation as published."""
        return tuple(Setting(precision) for precision in PRECISIONS)

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """The ridge estimate on labels that name a winner, and the shares of all labels."""
        features = problem.features
        scaling = scaling_of(features.covariates)
        inputs = _inputs(features, scaling)
        ridge = np.append(np.full(len(inputs) - 1, setting.precision), BIAS)
        first = np.zeros(len(inputs)) if start is None else start["theta"]
        theta = minimise(lambda theta: objective(theta, inputs, ridge, features.scale, problem.counts), first)
        return {"theta": theta, "shares": shares(problem.counts), "_scaling": scaling}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> Floats:
        """Constant shares for labels without a winner, logistic shares for first and second."""
        eta = parameters["theta"] @ _inputs(features, parameters["_scaling"])
        return winner_shape(eta, parameters["shares"], features.scale)


def _inputs(features: Features, scaling: Floats) -> Floats:
    """Margins, embedding and ones (d, n)."""
    margins = np.stack([output.margin for output in features.judges])
    return np.vstack([margins, scaled(features.covariates, scaling).T, np.ones((1, len(features)))])
