"""The stack: each judge's verdict, probabilities and score, shrunken metric intercepts and covariates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voirdire.align.calibrator import Parameters, Setting
from voirdire.align.features import ALPHA, Features
from voirdire.align.loglinear import SLOPE, Block, Design, LogLinear, indicators, intercepts, numbers, scaled
from voirdire.registry import register

__all__ = ["Stack"]

CATEGORY = 0.5
"""Indicator of a judge's label: at 0.5 its effect is shrunk four times as much as one of 1."""


@register("calibrator", "stack")
@dataclass(frozen=True)
class Stack(LogLinear):
    """logits = a * z + b + u_metric + W x + each judge's effect of its label and log probabilities.

    z is the panel's log probability; a judge's label may be one of its own scale, and a reply without a
    verdict is a label too. x are covariates and the judges' scores in standard units. All but a and b share
    one ridge.
    """

    name: ClassVar[str] = "stack"

    def applies(self, features: Features) -> str:
        """It needs a judge."""
        return "" if features.judges else "no judge"

    def design(self, features: Features, setting: Setting, known: Parameters) -> Design:
        """Panel, intercept, metrics, every judge's codes and probabilities, covariates and scores."""
        ridge = setting.precision
        verdicts: list[Block] = [
            (indicators(output.code, output.n_codes, CATEGORY), ridge) for output in features.judges
        ]
        own = [
            (np.where(output.speaks, z.T + np.log(features.n_labels), 0.0), ridge)
            for output, stating in zip(features.judges, known["_stating"], strict=True)
            if stating
            for z in [output.logits(ALPHA)]
        ]
        measured = (scaled(numbers(features), known["_scaling"]).T, ridge)
        return Design.of(
            features,
            tied=[(features.panel(setting.alpha), 1.0, SLOPE)],
            free=[*intercepts(features, ridge), measured, *verdicts, *own],
        )
