"""BTL2 of the quantitative LLM judges: the winner from two responses judged one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.align.lbfgs import minimise
from voirdire.align.loglinear import PRECISIONS
from voirdire.align.winner import objective, shares, winner_shape
from voirdire.registry import register

__all__ = ["QuantitativeBTL2"]

Floats = NDArray[np.float64]


@register("calibrator", "quantitative_btl2")
@dataclass(frozen=True)
class QuantitativeBTL2(Calibrator):
    """log odds of first = theta . (embedding_1 - embedding_2) + w . margin (arXiv 2506.02945, BTL2).

    The margin is the log odds b_1 / (b_1 + b_2) of two scores, the contrasts are differences of the
    responses' embeddings; there is no intercept, so swapping the responses swaps first and second. Labels
    that name no winner get their share of the training labels.
    """

    name: ClassVar[str] = "quantitative_btl2"

    def applies(self, features: Features) -> str:
        """It needs labels first and second, a judge, and columns that tell the responses apart."""
        if not {"first", "second"} <= set(features.scale.labels):
            return "the human labels are not first and second"
        if not features.judges:
            return "no judge"
        return "" if features.contrasts.shape[1] else "no column tells the two responses apart"

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """Every ridge, chosen by cross-validation as published."""
        return tuple(Setting(precision) for precision in PRECISIONS)

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """The ridge estimate on labels that name a winner, and the shares of all labels."""
        inputs = _inputs(problem.features)
        ridge = np.full(len(inputs), setting.precision)
        first = np.zeros(len(inputs)) if start is None else start["theta"]
        scale = problem.features.scale
        theta = minimise(lambda theta: objective(theta, inputs, ridge, scale, problem.counts), first)
        return {"theta": theta, "shares": shares(problem.counts)}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> Floats:
        """Constant shares for labels without a winner, logistic shares for first and second."""
        return winner_shape(parameters["theta"] @ _inputs(features), parameters["shares"], features.scale)


def _inputs(features: Features) -> Floats:
    """Margins and contrasts (d, n)."""
    return np.vstack([np.stack([output.margin for output in features.judges]), features.contrasts.T])
