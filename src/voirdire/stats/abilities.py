"""Abilities: what a model of pairwise preferences says of each system, and of two of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford
from scipy.special import stdtrit

from voirdire.errors import UserError
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.paired_comparisons import PairedComparisons
from voirdire.stats.position import SECOND, TIE
from voirdire.stats.preference_model import Fit, PreferenceModel, covariance, fit, logistic
from voirdire.stats.transforms import logit_interval, normal_quantile
from voirdire.stats.win_graph import WinGraph, win_graph

__all__ = ["Abilities", "fitted_abilities"]

Floats = NDArray[np.float64]
ROUNDING = 1e-12
LARGEST = 700.0


@dataclass(frozen=True, slots=True, eq=False)
class Abilities:
    """What a model says of each system, where the results determine it.

    Where no common fit exists, ``undefined`` is the reason and ``graph.said(names)`` says whose results stand
    in the way; two systems of one of its groups can still be compared, by :meth:`difference`. ``fit`` holds
    the parameters and their gradient, or is None with ``no_fit`` as the reason. ``covariance`` (p, p) of the
    parameters is the sandwich over ``n_clusters`` clusters where ``robust``, else the inverse information.
    ``note`` says how ties were counted.
    """

    model: PreferenceModel
    graph: WinGraph
    fit: Fit | None
    covariance: Floats
    n_ratings: int
    n_clusters: int
    robust: bool
    reference: int | None
    level: float
    no_fit: str | None = None
    note: str = ""

    @property
    def undefined(self) -> str | None:
        """Why the systems have no common fit; None where they have one."""
        return self.graph.undefined or self.no_fit

    @property
    def n_systems(self) -> int:
        """How many systems there are."""
        return sum(map(len, self.graph.groups))

    @property
    def log_ability(self) -> tuple[Estimate, ...]:
        """Each system's log ability: relative to the reference, or summing to 0 over all systems."""
        n = self.n_systems
        if self.reference is not None:
            return tuple(self.difference(system, self.reference) for system in range(n))
        if self.undefined is not None or self.fit is None:
            return (self._undefined(str(self.undefined)),) * n
        values, variances = self.fit.theta[:n].tolist(), np.diagonal(self.covariance)[:n].tolist()
        return tuple(self._estimate(*both) for both in zip(values, variances, strict=True))

    @property
    def tie(self) -> Estimate | None:
        """The model's tie parameter: Davidson's nu or Rao and Kupper's theta; None where it has none."""
        if self.model.tie_start is None:
            return None
        if self.fit is None:
            return self._undefined(str(self.undefined))
        least = self.model.no_ties
        if len(self.fit.theta) == self.n_systems:
            return Estimate(least, level=self.level, n_ratings=self.n_ratings, no_interval="zero_width")
        one = self._estimate(float(self.fit.theta[-1]), float(self.covariance[-1, -1]))
        return replace(one, value=_exp(one.value), low=max(_exp(one.low), least), high=_exp(one.high))

    def difference(self, i: int, j: int) -> Estimate:
        """Log ability of system ``i`` minus that of ``j``; undefined where results do not link them."""
        group = self.graph.of_system()
        if group[i] != group[j]:
            return self._undefined(str(self.graph.undefined))
        if self.fit is None:
            return self._undefined(str(self.undefined))
        c = self.covariance
        variance = float(c[i, i] + c[j, j] - 2 * c[i, j])
        return self._estimate(float(self.fit.theta[i] - self.fit.theta[j]), variance)

    def win_probability(self, i: int, j: int) -> Estimate:
        """Chance that system ``i`` beats ``j``; in a model without ties a tie is half a win."""
        gap = self.difference(i, j)
        if gap.undefined is not None or self.fit is None:
            return gap
        tie = self.fit.theta[self.n_systems :]
        outcomes = self.model.outcomes if len(tie) else logistic
        at = outcomes(np.array([gap.value]), float(tie.sum()))
        p = math.exp(at.log_p[0, 0])
        slope = np.zeros(len(self.fit.theta))
        slope[i], slope[j] = p * at.slope[0, 0, 0], -p * at.slope[0, 0, 0]
        slope[self.n_systems :] = p * at.slope[0, 0, 1]
        error = math.sqrt(max(0.0, float(slope @ self.covariance @ slope)))
        if not gap.has_interval:
            return replace(gap, value=p)
        low, high = logit_interval(p, error * self._reach() / normal_quantile(self.level), self.level)
        return replace(gap, value=p, low=low, high=high)

    def _estimate(self, value: float, variance: float) -> Estimate:
        error = math.sqrt(variance) if variance > 0 else 0.0
        bare = Estimate(value, level=self.level, n_ratings=self.n_ratings, n_clusters=self.n_clusters)
        if self.robust and self.n_clusters < 2:
            return replace(bare, no_interval="insufficient_items")
        if error < ROUNDING:
            return replace(bare, no_interval="zero_width")
        reach = self._reach() * error
        method = "sandwich over clusters, t" if self.robust else "information, normal"
        return replace(bare, low=value - reach, high=value + reach, method=method, target=THESE_RATERS)

    def _undefined(self, reason: str) -> Estimate:
        return undefined(reason, n_ratings=self.n_ratings)

    def _reach(self) -> float:
        if not self.robust:
            return normal_quantile(self.level)
        return float(stdtrit(max(1, self.n_clusters - 1), (1 + self.level) / 2))


def _exp(log: float) -> float:
    """The exponential, as large as a number can be where a bound lies beyond; NaN stays NaN."""
    return math.exp(min(log, LARGEST))


def fitted_abilities(
    model: PreferenceModel,
    met: PairedComparisons,
    *,
    reference: int | None,
    level: float,
    note: str = "",
) -> Abilities:
    """Fit ``model`` to what the results determine: every group of systems linked by wins both ways.

    Verdicts between two groups are left out: the likelihood is largest where the one is infinitely better,
    and they then say nothing about systems of one group.
    """
    normal_quantile(level)
    if reference is not None and not 0 <= reference < met.n_systems:
        raise UserError(f"reference {reference}", expected=f"a system code from 0 to {met.n_systems - 1}")
    graph = win_graph(met)
    group = graph.of_system()
    inside = met.take(group[met.first] == group[met.second])
    # without ties every model of ties is the logistic one, at the edge of its tie parameter
    ties = bool((inside.outcome == TIE).any())
    form = model if ties else replace(model, outcomes=logistic, tie_start=None)
    fitted, no_fit = _fitted(form, inside, group)
    robust = met.cluster is not None or (ties and form.tie_start is None)
    errors, g = np.full((met.n_systems, met.n_systems), math.nan), 0
    if fitted is not None:
        errors, g = covariance(form, inside, group, fitted, robust=robust)
    return Abilities(model, graph, fitted, errors, len(met), g, robust, reference, level, no_fit, note)


def _fitted(
    model: PreferenceModel, inside: PairedComparisons, group: NDArray[np.int64]
) -> tuple[Fit | None, str | None]:
    """The fit, or why there is none."""
    if not len(inside):
        return None, "no_labels"
    if model.tie_start is not None and not _upset(inside):
        return None, "no_upsets"
    found = fit(model, inside, group)
    return (found, None) if found.converged else (None, "not_converged")


def _upset(met: PairedComparisons) -> bool:
    """Whether some circle of systems holds more wins, each over the next, than ties.

    Without one, systems can be set on a line so that every win is over one at least a unit below and every
    tie within a unit; stretching that line, ties and abilities together, makes the results ever likelier.
    """
    n = met.n_systems
    tied = met.outcome == TIE
    lost = met.outcome == SECOND
    winner, loser = np.where(lost, met.second, met.first)[~tied], np.where(lost, met.first, met.second)[~tied]
    weights = np.full((n, n), np.inf)
    weights[met.first[tied], met.second[tied]] = weights[met.second[tied], met.first[tied]] = 1.0
    weights[winner, loser] = -1.0
    rows, columns = np.nonzero(np.isfinite(weights))
    edges = coo_array((weights[rows, columns], (rows, columns)), shape=(n, n)).tocsr()
    try:
        bellman_ford(edges)
    except NegativeCycleError:
        return True
    return False
