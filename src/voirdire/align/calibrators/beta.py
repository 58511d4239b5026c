"""Beta calibration for two labels: the judge's log probabilities of both labels have slopes of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from voirdire.align.calibrator import Parameters, Setting
from voirdire.align.calibrators.platt import odds
from voirdire.align.features import Features
from voirdire.align.loglinear import SLOPE, Design, LogLinear, intercepts
from voirdire.registry import register

__all__ = ["Beta"]


@register("calibrator", "beta")
@dataclass(frozen=True)
class Beta(LogLinear):
    """log odds = a * log q - b * log(1 - q) + c + u_metric (Kull et al. 2017); a = b is Platt scaling."""

    name: ClassVar[str] = "beta"

    def applies(self, features: Features) -> str:
        """It needs two human labels and a judge that gives them or their probabilities."""
        if features.n_labels != 2:
            return "there are not two human labels"
        return "" if features.speaks else "no judge gives human labels or their probabilities"

    def design(self, features: Features, setting: Setting, known: Parameters) -> Design:
        """Both log probabilities, each with its slope."""
        z = features.panel(setting.alpha)
        return Design.of(
            features,
            tied=[(odds(z[:, 1]), 1.0, SLOPE), (odds(-z[:, 0]), 1.0, SLOPE)],
            free=intercepts(features, setting.precision),
        )
