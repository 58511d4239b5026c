"""The share of each human label over all rows: what is known before judge or metric are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align import priors
from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.registry import register

__all__ = ["LabelPrior"]


@register("calibrator", "label_prior")
@dataclass(frozen=True)
class LabelPrior(Calibrator):
    """One distribution for every row, (N_c + 1/C) / (N + 1) of the training labels."""

    name: ClassVar[str] = "label_prior"
    judge_free: ClassVar[bool] = True

    def applies(self, features: Features) -> str:
        """Always."""
        return ""

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """The label shares."""
        return {"prior": priors.label_prior(problem.counts)}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> NDArray[np.float64]:
        """The same distribution in every row."""
        return np.tile(parameters["prior"], (len(features), 1))
