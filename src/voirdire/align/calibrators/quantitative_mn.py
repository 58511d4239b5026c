"""MN of the quantitative LLM judges: multinomial regression on embedding and the label's log probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voirdire.align.calibrator import Parameters, Setting
from voirdire.align.features import Features
from voirdire.align.loglinear import BIAS, Design, LogLinear, scaled
from voirdire.registry import register

__all__ = ["QuantitativeMN"]


@register("calibrator", "quantitative_mn")
@dataclass(frozen=True)
class QuantitativeMN(LogLinear):
    """logits_s = theta_s . embedding + w_s * log p_s + c_s, all shrunk toward 0 (arXiv 2506.02945, MN judge).

    The embedding is the numeric columns given as covariates. No metric effects, as published.
    """

    name: ClassVar[str] = "quantitative_mn"

    def applies(self, features: Features) -> str:
        """It needs a judge that answers with human labels or their probabilities."""
        return "" if features.speaks else "no judge gives human labels or their probabilities"

    def design(self, features: Features, setting: Setting, known: Parameters) -> Design:
        """A slope a label on its own log probability, the embedding, and ones."""
        z, d = features.panel(setting.alpha), features.covariates.shape[1]
        own = [(z * np.eye(features.n_labels)[c], 0.0, setting.precision) for c in range(features.n_labels)]
        embedding = scaled(features.covariates, known["_scaling"][:, :d]).T
        ones = np.ones((1, len(features)))
        return Design.of(features, tied=own, free=[(ones, BIAS), (embedding, setting.precision)])
