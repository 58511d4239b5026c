"""Dirichlet calibration: each label's probability may move every other, shrunk toward temperature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voirdire.align.calibrator import Parameters, Setting
from voirdire.align.features import Features
from voirdire.align.loglinear import SLOPE, Design, LogLinear, intercepts
from voirdire.registry import register

__all__ = ["Dirichlet"]


@register("calibrator", "dirichlet")
@dataclass(frozen=True)
class Dirichlet(LogLinear):
    """logits = (a * I + W) z + b + u_metric with a ridge on W, so it shrinks toward a * z + b, not toward 0.

    Without shrinkage it is Dirichlet calibration (Kull et al. 2019). Shrinking toward
    temperature scaling with bias keeps its (C - 1)(C + 1) numbers safe from about 75 items.
    """

    name: ClassVar[str] = "dirichlet"

    def applies(self, features: Features) -> str:
        """It needs a judge that answers with human labels or their probabilities."""
        return "" if features.speaks else "no judge gives human labels or their probabilities"

    def design(self, features: Features, setting: Setting, known: Parameters) -> Design:
        """The common slope, and a free matrix."""
        z = features.panel(setting.alpha)
        return Design.of(
            features,
            tied=[(z, 1.0, SLOPE)],
            free=[
                *intercepts(features, setting.precision),
                (z.T + np.log(features.n_labels), setting.precision),
            ],
        )
