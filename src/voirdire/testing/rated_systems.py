"""A made study of systems whose human-judgment rates are known, with a judge that errs by system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.opening import open as open_study
from voirdire.study import Study

__all__ = ["RatedSystems", "rated_systems"]

SYSTEMS = ("alpha", "beta", "gamma", "delta")
PASS = (0.3, 0.45, 0.55, 0.7)
PEOPLE = 12
COLUMNS = ("item_id", "rater_id", "rater_kind", "label", "system", "cluster", "sampling_probability")


@dataclass(frozen=True)
class RatedSystems:
    """A ``study`` with the ``truth`` of each system: how often a new person passes a new item.

    ``judge`` is how often the judge passes the items of each system.
    """

    study: Study
    truth: dict[str, float]
    judge: dict[str, float]


def rated_systems(
    rng: np.random.Generator,
    *,
    prompts: int = 400,
    labelled: float = 0.3,
    unequal: bool = False,
    raters: int = 3,
    severity: float = 0.0,
) -> RatedSystems:
    """Every system answers every prompt; prompts are clusters, labelled as a whole with a recorded chance.

    ``unequal`` chances go with how easy a prompt is; each labelled item has ``raters`` of 12 people. An item
    passes with a chance of 0.9 or 0.15, drawn by system and prompt; the judge sees which, with errors, and
    is too kind to some systems. ``severity`` is the spread of people's own bars.

    >>> made = rated_systems(np.random.default_rng(1), prompts=50)
    >>> made.study
    <Study data frame: 368 ratings of 200 items on 1 metric by 12 people and 1 judge>
    >>> round(made.truth["delta"] - made.truth["alpha"], 2)
    0.27
    """
    size = len(SYSTEMS)
    hard = rng.normal(size=prompts)
    good = rng.random((prompts, size)) < _shifted(np.array(PASS), 0.8 * hard[:, None])
    chance = np.where(good, 0.9, 0.15)
    verdict = rng.random((prompts, size)) < np.where(good, 0.85, np.linspace(0.2, 0.5, size))
    p_label = np.clip(labelled * np.exp(0.6 * hard), 0.05, 1.0) if unequal else np.full(prompts, labelled)
    chosen = np.flatnonzero(rng.random(prompts) < p_label)
    bar = severity * rng.normal(size=PEOPLE)
    rows = _Rows(p_label)
    for prompt, system in np.ndindex(prompts, size):
        rows.add(prompt, system, "judge", bool(verdict[prompt, system]))
    for prompt, system in ((prompt, system) for prompt in chosen.tolist() for system in range(size)):
        for person in rng.choice(PEOPLE, raters, replace=False).tolist():
            passes = rng.random() < _shifted(chance[prompt, system], bar[person])
            rows.add(prompt, system, f"person{person:02d}", bool(passes))
    judge = {system: float(share) for system, share in zip(SYSTEMS, verdict.mean(axis=0), strict=True)}
    return RatedSystems(open_study(rows.columns), _truth(severity), judge)


class _Rows:
    """The columns of a table of ratings, filled row by row."""

    def __init__(self, chance: NDArray[np.float64]) -> None:
        self.chance = chance
        self.columns: dict[str, list[str]] = {name: [] for name in COLUMNS}

    def add(self, prompt: int, system: int, rater: str, passes: bool) -> None:
        """One rating; the judge is called judge, everybody else is a person."""
        kind = "judge" if rater == "judge" else "human"
        label = "pass" if passes else "fail"
        cells = (f"{prompt}-{system}", rater, kind, label, SYSTEMS[system], f"prompt{prompt}")
        for name, cell in zip(COLUMNS, (*cells, f"{self.chance[prompt]:.6f}"), strict=True):
            self.columns[name].append(cell)


def _shifted(p: NDArray[np.float64] | float, by: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """A chance moved on the logit scale."""
    p = np.asarray(p)
    moved: NDArray[np.float64] = 1 / (1 + (1 - p) / p * np.exp(-np.asarray(by)))
    return moved


def _truth(severity: float) -> dict[str, float]:
    """The pass rate over prompts and people, by quadrature over both normal distributions."""
    points, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    good = [float(weights @ _shifted(p, 0.8 * points)) for p in PASS]
    high, low = (float(weights @ _shifted(p, severity * points)) for p in (0.9, 0.15))
    return {system: share * high + (1 - share) * low for system, share in zip(SYSTEMS, good, strict=True)}
