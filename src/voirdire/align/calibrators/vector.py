"""Vector scaling: a slope and an intercept a label, the slopes shrunk toward a common one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voirdire.align.calibrator import Parameters, Setting
from voirdire.align.features import Features
from voirdire.align.loglinear import SLOPE, Design, LogLinear, intercepts
from voirdire.registry import register

__all__ = ["Vector"]


@register("calibrator", "vector")
@dataclass(frozen=True)
class Vector(LogLinear):
    """logits_c = (a + w_c) * z_c + b_c + u_metric,c with w shrunk toward 0, temperature scaling with bias.

    Without shrinkage it is vector scaling (Guo et al. 2017).
    """

    name: ClassVar[str] = "vector"

    def applies(self, features: Features) -> str:
        """It needs a judge that answers with human labels or their probabilities."""
        return "" if features.speaks else "no judge gives human labels or their probabilities"

    def design(self, features: Features, setting: Setting, known: Parameters) -> Design:
        """The common slope, and each label's own deviation from it."""
        z = features.panel(setting.alpha)
        own = [(z * np.eye(features.n_labels)[c], 0.0, setting.precision) for c in range(features.n_labels)]
        return Design.of(
            features,
            tied=[(z, 1.0, SLOPE), *own],
            free=intercepts(features, setting.precision),
        )
