"""The human labels seen beside each judge label, shrunk toward the metric's base rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.align.priors import BaseRates, totals
from voirdire.registry import register

__all__ = ["ConfusionRow"]

KAPPAS = (30.0, 10.0, 5.0, 2.0)


@register("calibrator", "confusion_row")
@dataclass(frozen=True)
class ConfusionRow(Calibrator):
    """P(h | judge label g, metric m) = (N_gh + kappa * prior_mh) / (N_g + kappa), averaged over judges.

    A reply without a verdict is a judge label of its own. The setting's precision is kappa, the number of
    labels that the base rates count as.
    """

    name: ClassVar[str] = "confusion_row"

    def applies(self, features: Features) -> str:
        """It needs a judge."""
        return "" if features.judges else "no judge"

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """kappa from 30 down to 2."""
        return tuple(Setting(kappa) for kappa in KAPPAS)

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """One table of label counts a judge, under each other."""
        tables = [totals(problem.counts, out.code, out.n_codes) for out in problem.features.judges]
        return {"counts": np.vstack(tables), "_prior": problem.floor.table}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> NDArray[np.float64]:
        """The mean over judges of the row of its label."""
        prior = BaseRates(parameters["_prior"], setting.precision).rows(features.metric)
        total, base = np.zeros_like(prior), 0
        for output in features.judges:
            seen = parameters["counts"][base + output.code]
            total += (seen + setting.precision * prior) / (
                seen.sum(axis=1, keepdims=True) + setting.precision
            )
            base += output.n_codes
        return total / len(features.judges)
