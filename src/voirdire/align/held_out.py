"""Out-of-fold predictions of every candidate and floor, and the scores that an evaluation is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.align.ceilings import entropy_optimum
from voirdire.align.features import Features, Target
from voirdire.align.folds import FOLDS
from voirdire.align.fusion import fit_kappa
from voirdire.align.scores import kernel_of, kernel_score, log_score
from voirdire.align.selection import POOLED, Nested, applicable, nested
from voirdire.errors import UserError
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import Estimate, undefined

__all__ = ["COMPARED", "FEWEST_CLUSTERS", "FLOORS", "RAW", "HeldOut", "Protocol", "enough", "repeated"]

Floats = NDArray[np.float64]
FLOORS = ("uniform", "label_prior", "metric_prior", "system_prior")
RAW = "raw_judge"
COMPARED = (*FLOORS, RAW)
"""Evaluated beside the members of the pool."""
FEWEST_CLUSTERS = 20
BETTER = 60


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """How to evaluate: ``select`` is what is chosen, ``calibrators`` the candidates beside floors and judge.

    The candidates are the pool's members where none is named; ``("all",)`` is every calibrator that applies.

    Whole clusters are dealt to ``folds`` outer parts, ``repeats`` times. ``run`` maps the parts, for example
    a process pool's ``map``.
    """

    select: str = "pool"
    calibrators: tuple[str, ...] = ()
    folds: int = FOLDS
    repeats: int = 3
    level: float = 0.95
    resamples: int = 2000
    run: Callable[..., Iterable[Any]] = map


def enough(target: Target) -> None:
    """Refuse fewer than 20 clusters with labels, naming the number needed."""
    n = len(np.unique(target.cluster))
    if n < FEWEST_CLUSTERS:
        raise UserError(
            f"{n} items (clusters) with human labels are too few to say how well the judge predicts people",
            expected=f"at least {FEWEST_CLUSTERS}, better {BETTER} to 100",
            fix=f"label {FEWEST_CLUSTERS - n} more",
        )


def repeated(
    features: Features, target: Target, how: Protocol, rng: np.random.Generator
) -> tuple[Nested, ...]:
    """Nested cross-validation of the candidates and floors, once a repeat."""
    candidates = how.calibrators or POOLED
    wanted = None if candidates == ("all",) else dict.fromkeys((*COMPARED, *candidates))
    chosen = applicable(features, wanted)
    if how.select not in ("pool", "one_se", *(one.name for one in chosen)):
        chosen += applicable(features, [how.select])
        if chosen[-1].name != how.select:
            raise UserError(f"calibrator '{how.select}' does not apply to this study")
    return tuple(
        nested(features, target, calibrators=chosen, folds=how.folds, rng=each, run=how.run)
        for each in rng.spawn(how.repeats)
    )


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Out-of-fold predictions and what is computed from them more than once."""

    features: Features
    target: Target
    runs: tuple[Nested, ...]
    how: Protocol
    rng: np.random.Generator

    @property
    def names(self) -> list[str]:
        """Every prediction evaluated."""
        return [name for name in self.runs[0].predictions if name != "one_se" or self.how.select == "one_se"]

    @property
    def chosen(self) -> Floats:
        """The chosen prediction of the first repeat (n, C)."""
        return self.runs[0].predictions[self.how.select]

    @property
    def floor(self) -> Floats:
        """The metric prior's of the first repeat (n, C)."""
        return self.runs[0].predictions["metric_prior"]

    @property
    def raw(self) -> Floats | None:
        """The judge's own of the first repeat (n, C), None where it has no labels of the scale."""
        return self.runs[0].predictions.get(RAW)

    @cached_property
    def losses(self) -> dict[str, Floats]:
        """Each one's log score by row (n,), averaged over repeats."""
        return {name: self.mean(name, log_score) for name in self.names}

    @cached_property
    def kernel(self) -> Floats:
        """The kernel of the human scale (C, C)."""
        return kernel_of(self.features.scale)

    @cached_property
    def distances(self) -> dict[str, Floats]:
        """Each one's kernel score by row (n,), averaged over repeats."""
        return {name: self.mean(name, lambda q, n: kernel_score(q, n, self.kernel)) for name in self.names}

    @cached_property
    def kappa(self) -> Estimate:
        """Of the chosen prediction."""
        return fit_kappa(self.chosen, self.target.counts, cluster=self.target.cluster, level=self.how.level)

    @cached_property
    def optimum(self) -> Floats:
        """The model's best log score by row (n,)."""
        return entropy_optimum(self.chosen, self.target.counts, self.kappa.value)

    def mean(self, name: str, score: Callable[[Floats, Floats], Floats]) -> Floats:
        """A score by row (n,), averaged over repeats."""
        each = [score(run.predictions[name], self.target.counts) for run in self.runs]
        found: Floats = np.mean(each, axis=0)
        return found

    def over(self, values: Floats, rows: NDArray[np.bool_] | None = None) -> Estimate:
        """Mean of ``values`` (n,) with its interval over clusters, NaN left out."""
        used = np.isfinite(values) if rows is None else rows & np.isfinite(values)
        if not used.any():
            return undefined("no_pairable_items", n_items=int(0 if rows is None else rows.sum()))
        codes = np.unique(self.target.cluster[used], return_inverse=True)[1]
        return clustered_mean(values[used], cluster=codes, level=self.how.level)
