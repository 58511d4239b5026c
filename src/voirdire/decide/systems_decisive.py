"""How decisive a judge of pairs is, and each system's bias beyond what that explains."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.decide.systems_means import pairs_of
from voirdire.decide.systems_scores import SystemScores
from voirdire.stats.decisiveness import decided_win_rate, decisiveness
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.transforms import normal_quantile

__all__ = ["Decisive", "pair_decisiveness"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
RESAMPLES = 400
FEWEST_CLUSTERS = 10


@dataclass(frozen=True)
class Decisive:
    """``exponent`` of the beta fit; ``beyond`` (S,): judge minus fitted win rate, mean over opponents."""

    exponent: Estimate
    beyond: tuple[Estimate, ...]


def pair_decisiveness(
    scores: SystemScores, judge: int, *, level: float, rng: np.random.Generator
) -> Decisive:
    """The beta fit of source ``judge`` on people over the pairs of systems that met.

    A win rate is the share of verdicts that a random person, or the judge, gives the first system, a tie as
    half. Clusters are resampled; intervals are normal, that of the exponent on the log scale. A judge that is
    more decisive than people lifts strong systems and lowers weak ones, whoever they are: ``beyond`` is the
    bias that is left. Undefined where items are no pairs (``insufficient_systems``).

    Source: Gera et al. 2025 (JuStRank): decisiveness and system-specific bias.
    """
    size = len(scores.systems)
    if not scores.paired:
        nothing = undefined("insufficient_systems")
        return Decisive(nothing, (nothing,) * size)
    pairs = _Pairs.of(scores, judge)
    groups = int(scores.cluster.max()) + 1
    whole, residual = pairs.fitted(np.ones(groups, dtype=np.int64))
    if whole.undefined:
        return Decisive(whole, (undefined(whole.undefined),) * size)
    drawn = []
    if groups >= FEWEST_CLUSTERS:
        drawn = [pairs.fitted(rng.multinomial(groups, np.full(groups, 1 / groups))) for _ in range(RESAMPLES)]
    used = [(math.log(one.value), each) for one, each in drawn if not one.undefined]
    if len(used) < 0.9 * RESAMPLES:
        bare = [Estimate(float(one), no_interval="too_few_resamples") for one in (whole.value, *residual)]
        return Decisive(bare[0], tuple(bare[1:]))
    z, counts = normal_quantile(level), (len(scores.item), groups)
    factor = math.exp(z * float(np.std([one for one, _ in used], ddof=1)))
    reach = z * np.std([each for _, each in used], axis=0, ddof=1)
    exponent = _estimate(whole.value, (whole.value / factor, whole.value * factor), level, counts)
    beyond = [
        _estimate(one, (one - far, one + far), level, counts)
        for one, far in zip(residual.tolist(), reach.tolist(), strict=True)
    ]
    return Decisive(exponent, tuple(beyond))


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Rows with the first-named system's score by people and judge (2, n), and which pair met (n,)."""

    n_systems: int
    pair: Positions
    cluster: Positions
    won: Floats

    @classmethod
    def of(cls, scores: SystemScores, judge: int) -> _Pairs:
        size = len(scores.systems)
        first, second = pairs_of(size)
        place = np.zeros((size, size), dtype=np.intp)
        place[first, second] = np.arange(len(first))
        low, high = np.minimum(scores.first, scores.second), np.maximum(scores.first, scores.second)
        won = np.where(scores.first > scores.second, 1 - scores.score, scores.score)[[0, judge]]
        return cls(size, place[low, high], scores.cluster, won)

    def fitted(self, times: NDArray[np.int64]) -> tuple[Estimate, Floats]:
        """The fit where each cluster counts ``times`` (G,), and what it leaves of each system (S,)."""
        first, second = pairs_of(self.n_systems)
        w = times[self.cluster].astype(np.float64)
        n = np.bincount(self.pair, w, minlength=len(first))
        met = n > 0
        sums = [np.bincount(self.pair, w * one, minlength=len(first))[met] for one in self.won]
        human, machine = (np.clip(one / n[met], 0, 1) for one in sums)
        fit = decisiveness(human, machine, weights=n[met])
        if fit.undefined:
            return fit, np.full(self.n_systems, np.nan)
        left = machine - decided_win_rate(human, fit.value)
        return fit, _by_system((first[met], second[met]), left, self.n_systems)


def _by_system(sides: tuple[Positions, Positions], left: Floats, n_systems: int) -> Floats:
    """Mean over opponents of what the fit leaves, seen from each system (S,)."""
    total = np.bincount(sides[0], left, minlength=n_systems) - np.bincount(
        sides[1], left, minlength=n_systems
    )
    mean: Floats = total / np.maximum(np.bincount(np.concatenate(sides), minlength=n_systems), 1)
    return mean


def _estimate(value: float, bounds: tuple[float, float], level: float, counts: tuple[int, int]) -> Estimate:
    return Estimate(
        value,
        bounds[0],
        bounds[1],
        level,
        counts[0],
        method="cluster bootstrap, normal",
        target=THESE_RATERS,
        resamples=RESAMPLES,
        n_clusters=counts[1],
    )
