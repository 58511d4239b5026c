"""One small network from the judge's distribution to people's: NAPHA without its routing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.align.network import fit_network, forward
from voirdire.registry import register

__all__ = ["DECAYS", "MLP"]

DECAYS = (0.01, 0.003, 0.001, 0.0003)


@register("calibrator", "mlp")
@dataclass(frozen=True)
class MLP(Calibrator):
    """C -> 2C rectified units -> softmax C, KL loss, weight decay (arXiv 2609.01073, table 11).

    The setting's precision is the weight decay on the mean loss. ``seed`` draws the starting weights.
    """

    seed: int = 0
    name: ClassVar[str] = "mlp"

    def applies(self, features: Features) -> str:
        """It needs a judge that answers with human labels or their probabilities."""
        return "" if features.speaks else "no judge gives human labels or their probabilities"

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """The weight decays."""
        return tuple(Setting(decay) for decay in DECAYS)

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """The network's coefficients, from the same start for every setting."""
        given = np.exp(problem.features.panel(setting.alpha))
        shares = problem.target.counts / problem.target.labels_per_row[:, None]
        rng = np.random.default_rng(self.seed)
        return {"theta": fit_network(given, problem.floor_rows, shares, setting.precision, rng)}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> NDArray[np.float64]:
        """The network's output."""
        return forward(parameters["theta"], np.exp(features.panel(setting.alpha)))[0]
