"""Every label equally likely: the floor that needs no label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.registry import register

__all__ = ["Uniform"]


@register("calibrator", "uniform")
@dataclass(frozen=True)
class Uniform(Calibrator):
    """1 / C for every label, but for the 1 % of base rates that every prediction holds."""

    name: ClassVar[str] = "uniform"
    judge_free: ClassVar[bool] = True

    def applies(self, features: Features) -> str:
        """Always."""
        return ""

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """Nothing to learn."""
        return {}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> NDArray[np.float64]:
        """1 / C in every cell."""
        return np.full((len(features), features.n_labels), 1 / features.n_labels)
