"""Temperature and bias that change smoothly with the judge's entropy: NAPHA's idea with few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voirdire.align.calibrator import Parameters, Setting
from voirdire.align.features import Features
from voirdire.align.loglinear import SLOPE, Design, LogLinear, intercepts
from voirdire.registry import register

__all__ = ["EntropyTemperature"]


@register("calibrator", "entropy_temperature")
@dataclass(frozen=True)
class EntropyTemperature(LogLinear):
    """logits = (a + a_1 h + a_2 h^2) * z + b + b_1 h + b_2 h^2 + u_metric, h the judge's entropy over log C.

    h is centred to run from -1 to 1. All terms in h shrink toward 0, temperature scaling with bias.
    """

    name: ClassVar[str] = "entropy_temperature"

    def applies(self, features: Features) -> str:
        """It needs a judge that answers with human labels or their probabilities."""
        return "" if features.speaks else "no judge gives human labels or their probabilities"

    def design(self, features: Features, setting: Setting, known: Parameters) -> Design:
        """The panel's log probabilities and ones, each by itself, by h and by h squared."""
        z = features.panel(setting.alpha)
        h = 2 * -(np.exp(z) * z).sum(axis=1) / np.log(features.n_labels) - 1
        powers = np.stack([h, h**2])
        return Design.of(
            features,
            tied=[(z, 1.0, SLOPE), *((power[:, None] * z, 0.0, setting.precision) for power in powers)],
            free=[*intercepts(features, setting.precision), (powers, setting.precision)],
        )
