"""The label shares of each system on each metric: what is known when one knows who wrote the item."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.align.priors import BaseRates, base_rates, concentration, label_prior, totals
from voirdire.registry import register

__all__ = ["SystemPrior"]


@register("calibrator", "system_prior")
@dataclass(frozen=True)
class SystemPrior(Calibrator):
    """Shares of system s on metric m, shrunk toward prior_m * prior_s / prior, with both kappas fitted.

    A judge that does not beat it adds nothing beyond knowing which system wrote the item.
    """

    name: ClassVar[str] = "system_prior"
    judge_free: ClassVar[bool] = True

    def applies(self, features: Features) -> str:
        """It needs items that carry systems."""
        return "" if len(features.systems) > 1 else "items carry fewer than two systems"

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """A table (metrics + 1) * (systems + 1), the last row and column for what was never seen."""
        features, counts = problem.features, problem.counts
        systems = base_rates(counts, features.system, len(features.systems)).table
        metrics = problem.floor.table
        centre = metrics[:, None, :] * systems[None] / label_prior(counts)
        centre = (centre / centre.sum(axis=2, keepdims=True)).reshape(-1, counts.shape[1])
        cells = totals(counts, _cell(features), len(centre))
        kappa = concentration(cells, centre)
        if not math.isinf(kappa):
            centre = (cells + kappa * centre) / (cells.sum(axis=1, keepdims=True) + kappa)
        return {"table": centre}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> NDArray[np.float64]:
        """The cell of system and metric."""
        return BaseRates(parameters["table"], math.nan).table[_cell(features)]


def _cell(features: Features) -> NDArray[np.int32]:
    """Metric and system as one code (n,), what was never seen counted last."""
    metrics, systems = features.n_metrics, len(features.systems)
    metric = np.where(features.metric < 0, metrics, features.metric)
    system = np.where(features.system < 0, systems, features.system)
    return (metric * (systems + 1) + system).astype(np.int32)
