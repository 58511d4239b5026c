"""LS of the quantitative LLM judges: ridge regression of the label's value on embedding and score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align import gaussian
from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.align.loglinear import PRECISIONS, numbers, scaled, scaling_of
from voirdire.registry import register

__all__ = ["QuantitativeLS"]

Floats = NDArray[np.float64]


@register("calibrator", "quantitative_ls")
@dataclass(frozen=True)
class QuantitativeLS(Calibrator):
    """E[Y] = theta . (embedding, score) + c by ridge regression (arXiv 2506.02945, LS judge).

    Published as a point score; here the residual spread makes it a distribution, normal between the
    midpoints of the labels. The embedding is the numeric columns given as covariates. No metric effects, as
    published.
    """

    name: ClassVar[str] = "quantitative_ls"

    def applies(self, features: Features) -> str:
        """It needs ordered human labels and a judge whose verdict is a number."""
        return gaussian.has_scores(features)

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """Every ridge, chosen by cross-validation as published."""
        return tuple(Setting(precision) for precision in PRECISIONS)

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """The ridge solution in closed form, and the residual spread."""
        features = problem.features
        scaling = scaling_of(numbers(features))
        inputs = _inputs(features, scaling)
        ridge = np.append(1e-6, np.full(len(inputs) - 1, setting.precision))
        line, sigma = gaussian.ridge_line(inputs, ridge, problem.counts, features.positions)
        return {"line": line, "sigma": np.array(sigma), "_scaling": scaling}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> Floats:
        """Normal probabilities between the midpoints."""
        mean = parameters["line"] @ _inputs(features, parameters["_scaling"])
        return gaussian.discretised(mean, float(parameters["sigma"]), features.positions)


def _inputs(features: Features, scaling: Floats) -> Floats:
    """Ones, embedding and scores (d, n)."""
    return np.vstack([np.ones((1, len(features))), scaled(numbers(features), scaling).T])
