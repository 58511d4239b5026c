"""The judges' own distribution as it is: the floor that shows what aligning adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.registry import register

__all__ = ["RawJudge"]


@register("calibrator", "raw_judge")
@dataclass(frozen=True)
class RawJudge(Calibrator):
    """The panel's mean probabilities, nothing fitted; a vote is smoothed by ``alpha`` spread over the labels.

    The loss of a judge that gives one label depends on ``alpha``: at 0.02 a label it gave has about 0.98.
    """

    alpha: float = 0.02
    name: ClassVar[str] = "raw_judge"

    def applies(self, features: Features) -> str:
        """It needs a judge that answers with human labels or their probabilities."""
        return "" if features.speaks else "no judge gives human labels or their probabilities"

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """Nothing to learn."""
        return {}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> NDArray[np.float64]:
        """The mean over judges."""
        return np.exp(features.panel(self.alpha))
