"""The label shares of each metric, shrunk toward the overall shares: the floor a judge must beat."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.align.priors import BaseRates
from voirdire.registry import register

__all__ = ["MetricPrior"]


@register("calibrator", "metric_prior")
@dataclass(frozen=True)
class MetricPrior(Calibrator):
    """(N_mc + kappa * prior_c) / (N_m + kappa), kappa fitted by Dirichlet-multinomial likelihood."""

    name: ClassVar[str] = "metric_prior"
    judge_free: ClassVar[bool] = True

    def applies(self, features: Features) -> str:
        """Always; with one metric it is the label prior."""
        return ""

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """The shrunken table, one row a metric and one for a metric never seen."""
        return {"table": problem.floor.table}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> NDArray[np.float64]:
        """The row of the metric."""
        return BaseRates(parameters["table"], math.nan).rows(features.metric)
