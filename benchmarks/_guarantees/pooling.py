"""How often partial pooling's 95 % intervals cover, and how much nearer a shrunken effect is to the truth."""

from __future__ import annotations

import numpy as np

from voirdire.stats import random_effects

MEAN = 0.05


def run(runs: int) -> None:
    """Effects with errors that differ fourfold and go together, as metrics on shared items do."""
    rng = np.random.default_rng(11)
    print("effects  between  mean  shrunken  between   error alone  error shrunken")
    for m in (3, 5, 9, 18):
        deviation = np.linspace(0.02, 0.08, m)
        error = np.outer(deviation, deviation) * (0.3 + 0.7 * np.eye(m))
        for between in (0.0, 0.03, 0.1):
            found = np.array([one(rng, error, between) for _ in range(runs)])
            mean, shrunken, spread = found[:, :3].mean(axis=0)
            alone, drawn = np.sqrt(found[:, 3:].mean(axis=0))
            print(
                f"{m:7d} {between:8.2f} {mean:5.3f} {shrunken:9.3f} {spread:8.3f} {alone:13.4f} {drawn:15.4f}"
            )


def one(rng: np.random.Generator, error: np.ndarray, between: float) -> tuple[float, ...]:
    """Whether the three kinds of interval cover, and squared errors alone and shrunken, in one study."""
    truth = MEAN + between * rng.normal(size=len(error))
    effects = rng.multivariate_normal(truth, error)
    found = random_effects(effects, error)
    inside = [each.low <= t <= each.high for each, t in zip(found.shrunken, truth, strict=True)]
    spread = found.between
    return (
        float(found.mean.low <= MEAN <= found.mean.high),
        float(np.mean(inside)),
        float(spread.low <= between <= spread.high if spread.has_interval else between == 0),
        float(np.mean((effects - truth) ** 2)),
        float(np.mean([(each.value - t) ** 2 for each, t in zip(found.shrunken, truth, strict=True)])),
    )
