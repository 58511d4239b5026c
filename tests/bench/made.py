"""Outcomes made for tests: a full design of metrics, scenarios, variants, systems and repeats."""

from __future__ import annotations

from typing import Any

import numpy as np

from voirdire.bench.outcomes import LACKING, MISSING, Outcomes, Rated

AGES = ({"age": "teen"}, {"age": "adult"})


def rated(name: str, polarity: str = "positive", **more: Any) -> Rated:
    """A metric that counts, in area A, subarea S and benchmark B unless said otherwise."""
    place = {"benchmark": "B", "subarea": "S", "area": "A", "version": "v1", "counts": True, **more}
    return Rated(name, f"Title of {name}", polarity, **place)  # type: ignore[arg-type]


def made(present: Any, metrics: tuple[Rated, ...], **more: Any) -> Outcomes:
    """Outcomes whose verdicts ``present`` are by metric, scenario, variant, system and repeat (5 axes).

    1, 0, or -1 for none; a sixth axis holds repeats of the verdict.
    """
    table = np.asarray(present, dtype=np.int8)
    table = table[..., None] if table.ndim == 5 else table
    shape = table.shape[:5]
    metric, scenario, variant, system, repeat = (axis.ravel().astype(np.int32) for axis in np.indices(shape))
    n = metric.size
    runs = table.reshape(n, -1)
    axes = more.pop("axes", AGES[: shape[2]])
    told = {
        "opportunity": np.full(n, MISSING, dtype=np.int8),
        "faulty": np.zeros(n, dtype=np.bool_),
        "lacking": np.where(runs[:, 0] == MISSING, LACKING.index("unparsed"), 0).astype(np.int8),
        "scenarios": tuple(f"s{code}" for code in range(shape[1])),
        "variants": tuple(",".join(f"{k}={v}" for k, v in one.items()) for one in axes),
        "systems": tuple(f"sys{code}" for code in range(shape[3])),
        "ids": tuple(f"c{code}" for code in range(n)),
        **more,
    }
    return Outcomes(
        metric=metric,
        scenario=scenario,
        variant=variant,
        system=system,
        repeat=repeat,
        present=runs[:, 0].copy(),
        runs=runs,
        metrics=metrics,
        axes=axes,
        **told,
    )


def drawn(
    rng: np.random.Generator, metrics: tuple[Rated, ...], *shape: int, missing: float = 0.0
) -> Outcomes:
    """Random outcomes: scenarios, variants, systems and repeats are ``shape``, some verdicts missing."""
    size = (len(metrics), *shape)
    present = (rng.random(size) < rng.random((size[0], 1, 1, size[3], 1))).astype(np.int8)
    return made(np.where(rng.random(size) < missing, MISSING, present), metrics)
