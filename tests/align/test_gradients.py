"""Every analytic gradient against central differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from align.planted import PAIRWISE, of_pairs, of_panel
from voirdire.align import gaussian, network, winner
from voirdire.align.calibrator import Setting
from voirdire.align.calibrators.cumulative_link import _line
from voirdire.align.calibrators.davidson import _pairs
from voirdire.align.calibrators.stack import Stack
from voirdire.align.loglinear import known_of, numbers, scaling_of

Floats = NDArray[np.float64]
Objective = Callable[[Floats], tuple[float, Floats]]


def worst(objective: Objective, theta: Floats) -> float:
    """Largest difference between the gradient and central differences, as a share of the gradient's size."""
    step = 1e-6
    numeric = np.array(
        [
            (objective(theta + step * unit)[0] - objective(theta - step * unit)[0]) / (2 * step)
            for unit in np.eye(len(theta))
        ]
    )
    given = objective(theta)[1]
    return float(np.abs(given - numeric).max() / np.abs(numeric).max())


def objectives() -> dict[str, tuple[Objective, int]]:
    rng = np.random.default_rng(5)
    panel, pairs = of_panel(rng, 60), of_pairs(rng, 60)
    counts, floor = panel.target.effective, np.full((60, 4), 0.25)
    setting = Setting(0.7)
    design = Stack().design(panel.features, setting, known_of(panel.features))
    wide = scaling_of(np.hstack([numbers(panel.features), panel.features.spread[:, None]]))
    line = _line(panel.features, setting, wide)
    two = _pairs(pairs.features, setting, np.ones(1))
    inputs = rng.normal(size=(3, 60))
    labels = floor, counts
    given = rng.dirichlet(np.ones(3), size=60)
    third = np.full((60, 3), 1 / 3)
    won = pairs.target.effective
    return {
        "log-linear": (lambda t: design.objective(t, floor, counts), len(design.centre)),
        "cumulative link": (lambda t: line.objective(t, floor, counts), len(line.start)),
        "davidson": (lambda t: two.objective(t, third, won), two.size),
        "gaussian": (lambda t: gaussian.objective(t, inputs, np.ones(3), np.arange(4.0), labels), 4),
        "network": (lambda t: network.objective(t, given, third, won, 0.3), network.size(3)),
        "winner": (lambda t: winner.objective(t, inputs, np.ones(3), PAIRWISE, won), 3),
    }


@pytest.mark.parametrize(
    "name", ["log-linear", "cumulative link", "davidson", "gaussian", "network", "winner"]
)
def test_gradient_is_that_of_the_loss(name: str, rng: np.random.Generator) -> None:
    objective, size = objectives()[name]
    assert worst(objective, 0.5 * rng.normal(size=size)) < 1e-6
