"""Platt scaling for two labels: a slope and an intercept on the judge's log odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Parameters, Setting
from voirdire.align.features import Features
from voirdire.align.loglinear import SLOPE, Design, LogLinear, intercepts
from voirdire.registry import register

__all__ = ["Platt", "odds"]

SIDES = np.array([-0.5, 0.5])


@register("calibrator", "platt")
@dataclass(frozen=True)
class Platt(LogLinear):
    """log odds = a * log(q / (1 - q)) + b + u_metric (Platt 1999, on log odds), the metric effects shrunk."""

    name: ClassVar[str] = "platt"

    def applies(self, features: Features) -> str:
        """It needs two human labels and a judge that gives them or their probabilities."""
        if features.n_labels != 2:
            return "there are not two human labels"
        return "" if features.speaks else "no judge gives human labels or their probabilities"

    def design(self, features: Features, setting: Setting, known: Parameters) -> Design:
        """The panel's log odds, half to each side."""
        z = features.panel(setting.alpha)
        return Design.of(
            features,
            tied=[(odds(z[:, 1] - z[:, 0]), 1.0, SLOPE)],
            free=intercepts(features, setting.precision),
        )


def odds(value: NDArray[np.float64]) -> NDArray[np.float64]:
    """A term of the log odds (n,) as logits of the two labels (n, 2)."""
    logits: NDArray[np.float64] = value[:, None] * SIDES
    return logits
