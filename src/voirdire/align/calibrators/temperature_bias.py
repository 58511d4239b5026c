"""Bias-corrected temperature scaling: one slope, an intercept a label, shrunken intercepts a metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from voirdire.align.calibrator import ANY_ALPHA, Parameters, Setting
from voirdire.align.features import ALPHA, Features
from voirdire.align.loglinear import PRECISIONS, SLOPE, Design, LogLinear, intercepts
from voirdire.registry import register

__all__ = ["TemperatureBias"]


@register("calibrator", "temperature_bias")
@dataclass(frozen=True)
class TemperatureBias(LogLinear):
    """logits = a * z + b + u_metric, z the panel's log probabilities (Alexandari et al. 2020, without u).

    The ridge on u, and the smoothing of votes where rows hold several, are chosen by cross-validation.
    """

    name: ClassVar[str] = "temperature_bias"

    def applies(self, features: Features) -> str:
        """It needs a judge that answers with human labels or their probabilities."""
        return "" if features.speaks else "no judge gives human labels or their probabilities"

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """Ridges where there are several metrics, smoothings where rows hold several votes."""
        ridges = PRECISIONS if features.n_metrics > 1 else (1.0,)
        alphas = ANY_ALPHA if features.votes_vary else (ALPHA,)
        return tuple(Setting(ridge, alpha) for alpha in alphas for ridge in ridges)

    def design(self, features: Features, setting: Setting, known: Parameters) -> Design:
        """The panel's log probabilities, ones, and the metrics."""
        return Design.of(
            features,
            tied=[(features.panel(setting.alpha), 1.0, SLOPE)],
            free=intercepts(features, setting.precision),
        )
