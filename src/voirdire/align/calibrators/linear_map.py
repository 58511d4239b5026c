"""A linear map of the judges' scores onto the human scale, with errors of one size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align import gaussian
from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.align.lbfgs import minimise
from voirdire.align.loglinear import PRECISIONS, indicators, numbers, scaled, scaling_of
from voirdire.registry import register

__all__ = ["LinearMap"]

Floats = NDArray[np.float64]


@register("calibrator", "linear_map")
@dataclass(frozen=True)
class LinearMap(Calibrator):
    """Y* = b0 + sum_j b_j * score_j + u_metric + N(0, sigma^2), the label being the value nearest to Y*.

    Fitted by the likelihood of the labels, so sigma is the spread of people's labels and not of their mean.
    Judges may score on any scale. The slopes, the metric effects and covariates are shrunk by one ridge.
    """

    name: ClassVar[str] = "linear_map"

    def applies(self, features: Features) -> str:
        """It needs ordered human labels and a judge whose verdict is a number."""
        return gaussian.has_scores(features)

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """Every ridge."""
        return tuple(Setting(precision) for precision in PRECISIONS)

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """Coefficients and log sigma, from the least-squares line on."""
        features = problem.features
        scaling = scaling_of(numbers(features))
        inputs, ridge = _inputs(features, setting, scaling)
        labels = np.asfortranarray(problem.floor_rows), np.asfortranarray(problem.counts)
        if start is None:
            line, sigma = gaussian.ridge_line(inputs, ridge + 1e-6, problem.counts, features.positions)
            first = np.append(line, np.log(sigma))
        else:
            first = start["theta"]
        return {
            "theta": minimise(
                lambda theta: gaussian.objective(theta, inputs, ridge, features.positions, labels), first
            ),
            "_scaling": scaling,
        }

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> Floats:
        """Normal probabilities between the midpoints; wider where the metric was not seen."""
        theta = parameters["theta"]
        inputs, _ = _inputs(features, setting, parameters["_scaling"])
        mean, sigma = theta[:-1] @ inputs, float(np.exp(theta[-1]))
        model = gaussian.discretised(mean, sigma, features.positions)
        unseen = features.metric < 0
        if unseen.any() and features.n_metrics > 1:
            wider = float(np.hypot(sigma, 1 / np.sqrt(setting.precision)))
            model[unseen] = gaussian.discretised(mean[unseen], wider, features.positions)
        return model


def _inputs(features: Features, setting: Setting, scaling: Floats) -> tuple[Floats, Floats]:
    """Ones, standardised covariates and scores, missing verdicts, metrics (d, n), and ridges (d,)."""
    table = scaled(numbers(features), scaling).T
    silent = np.stack([~np.isfinite(output.score) for output in features.judges]).astype(np.float64)
    metric = indicators(features.metric, features.n_metrics if features.n_metrics > 1 else 0)
    inputs = np.vstack([np.ones((1, len(features))), table, silent, metric])
    return inputs, np.append(0.0, np.full(len(inputs) - 1, setting.precision))
