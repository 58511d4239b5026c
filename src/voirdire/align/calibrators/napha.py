"""NAPHA as published: three small networks, one a tercile of the entropy of the judge's distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.calibrators.mlp import DECAYS
from voirdire.align.features import Features
from voirdire.align.network import fit_network, forward
from voirdire.registry import register

__all__ = ["Napha"]

Floats = NDArray[np.float64]
FEWEST = 2


@register("calibrator", "napha")
@dataclass(frozen=True)
class Napha(Calibrator):
    """Entropy-aware post-hoc alignment (Steindl et al. 2026, arXiv 2609.01073), the baseline to beat.

    Rows are routed by the terciles of the judge's entropy in training, each to a network C -> 2C rectified
    units -> softmax C with KL loss and weight decay. The paper does not report the decay; it is chosen by
    cross-validation, and the fit is L-BFGS from seeded weights. A tercile with fewer than two rows uses a
    network fitted on all.
    """

    seed: int = 0
    name: ClassVar[str] = "napha"

    def applies(self, features: Features) -> str:
        """It needs a judge that answers with human labels or their probabilities."""
        return "" if features.speaks else "no judge gives human labels or their probabilities"

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """The weight decays."""
        return tuple(Setting(decay) for decay in DECAYS)

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """Tercile bounds and three networks (3, 4 C^2 + 3 C)."""
        given = np.exp(problem.features.panel(setting.alpha))
        shares = problem.target.counts / problem.target.labels_per_row[:, None]
        floor = problem.floor_rows
        bounds = np.quantile(entropy(given), [1 / 3, 2 / 3])
        route = np.searchsorted(bounds, entropy(given))
        rng = np.random.default_rng(self.seed)
        networks = []
        for k in range(3):
            rows = np.flatnonzero(route == k)
            rows = rows if len(rows) >= FEWEST else np.arange(len(given))
            networks.append(fit_network(given[rows], floor[rows], shares[rows], setting.precision, rng))
        return {"networks": np.stack(networks), "bounds": bounds}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> Floats:
        """Each row by the network of its tercile."""
        given = np.exp(features.panel(setting.alpha))
        route = np.searchsorted(parameters["bounds"], entropy(given))
        model = np.empty_like(given)
        for k, theta in enumerate(parameters["networks"]):
            model[route == k] = forward(theta, given[route == k])[0]
        return model


def entropy(distribution: Floats) -> Floats:
    """Shannon entropy (n,) in nats, rounded so that equal distributions have equal entropy.

    >>> entropy(np.array([[0.5, 0.5]])).tolist()
    [0.6931471806]
    """
    terms = distribution * np.log(np.where(distribution > 0, distribution, 1.0))
    rounded: Floats = np.round(-terms.sum(axis=1), 10)
    return rounded
