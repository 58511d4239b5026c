"""Temperature scaling: one slope on the judge's log probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from voirdire.align.calibrator import ANY_ALPHA, Parameters, Setting
from voirdire.align.features import ALPHA, Features
from voirdire.align.loglinear import SLOPE, Design, LogLinear
from voirdire.registry import register

__all__ = ["Temperature"]


@register("calibrator", "temperature")
@dataclass(frozen=True)
class Temperature(LogLinear):
    """logits = a * z with z the panel's log probabilities and a = 1 / T (Guo et al. 2017).

    It cannot move base rates, so it may be worse than the label prior. Where rows hold several votes, their
    smoothing is chosen with it.
    """

    name: ClassVar[str] = "temperature"

    def applies(self, features: Features) -> str:
        """It needs a judge that answers with human labels or their probabilities."""
        return "" if features.speaks else "no judge gives human labels or their probabilities"

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """The smoothing of votes where it matters."""
        return tuple(Setting(1.0, alpha) for alpha in (ANY_ALPHA if features.votes_vary else (ALPHA,)))

    def design(self, features: Features, setting: Setting, known: Parameters) -> Design:
        """The panel's log probabilities alone."""
        return Design.of(features, tied=[(features.panel(setting.alpha), 1.0, SLOPE)])
