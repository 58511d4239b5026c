"""Which judge is chosen when people's labels are forced to one verdict, and when they are kept as sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.align.plain import plain
from voirdire.align.resampling import cluster_sums
from voirdire.align.response_sets import even_split, forcings, membership
from voirdire.align.set_figures import JudgeUnderTargets, Losses, figures, losses_of, misses
from voirdire.align.set_table import SetTable
from voirdire.errors import UserError, check_share
from voirdire.stats import intervals
from voirdire.stats.estimate import THESE_RATERS, Estimate

__all__ = ["FORCED", "SETS", "JudgeChoice", "judge_choice"]

Floats = NDArray[np.float64]
FORCED, SETS = "forced choice", "response sets"
ALIKE = 1e-12
"""Mean losses this near are the same."""


@dataclass(frozen=True)
class JudgeChoice:
    """Judges ranked on the same ``n_rows`` rows under both targets.

    ``chosen`` is the best judge under each target: by hit rate where labels are forced, by the squared error
    of the shares that accept each verdict where they are sets. ``by_shares`` is the best by the squared error
    of the shares that name each verdict, ``by_forcing`` the best by hit rate under every way to force labels.
    ``stable`` is the share of resamples in which the chosen judge stays the best. ``cost`` is what choosing
    by forced choice costs in response-set error, ``decision_cost`` in decision errors: the judge chosen by
    forced choice minus the one chosen by sets.
    """

    metrics: tuple[str, ...]
    n_rows: int
    n_several: int
    tau: float
    judges: tuple[JudgeUnderTargets, ...]
    chosen: Mapping[str, str]
    by_shares: str
    by_forcing: Mapping[str, str]
    stable: Mapping[str, float]
    cost: Estimate
    decision_cost: Estimate
    left_out: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether both targets choose one judge."""
        return self.chosen[FORCED] == self.chosen[SETS]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: NaN is null."""
        document: dict[str, Any] = plain(self)
        return document

    def __str__(self) -> str:
        if len(self.judges) == 1:
            return f"{self.judges[0].judge} is the only judge, so there is nothing to choose."
        forced, sets = self.chosen[FORCED], self.chosen[SETS]
        if self.same:
            return f"Both targets choose {sets}."
        cost = f"{self.cost.value:.3f} [{self.cost.low:.3f}, {self.cost.high:.3f}]"
        told = "" if self.cost.has_interval and self.cost.low > 0 else ", which these rows cannot tell from 0"
        return (
            f"No: forced choices choose {forced}, response sets {sets}; in response-set error the former is "
            f"worse by {cost}{told}."
        )


def judge_choice(
    table: SetTable,
    *,
    tau: float = 0.5,
    forced: Floats | None = None,
    accepted: Floats | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    rng: np.random.Generator,
) -> JudgeChoice:
    """Rank the judges of ``table`` on the rows that all of them judged, under both targets.

    ``forced`` (O, V) reads one verdict out of a person's label, by default an even split of a set; a forward
    matrix estimated from pairs can stand there (:class:`~voirdire.align.set_matrices.SetMatrices`).
    ``accepted`` (O, V) reads the verdicts that a person accepts, by default the set itself. A verdict counts
    as accepted downstream where more than ``tau`` of the people accept it. Intervals are of these raters on
    new items; of the judges' differences by a paired bootstrap of whole clusters. The two judges compared
    were chosen on the same rows, which makes the cost look larger than it is.

    Source: Guerdan et al. 2025, "Validating LLM-as-a-Judge Systems under Rating Indeterminacy"
    (arXiv 2503.05965).
    """
    check_share("tau", tau, 0)
    both = table.common()
    if not len(both):
        raise UserError("no judge gave a verdict where people did", fix="run a judge on the labelled items")
    members = membership(both.scale)
    readouts = (
        even_split(members) if forced is None else forced,
        members if accepted is None else accepted,
    )
    losses = losses_of(both, readouts, tau)
    ranks = _rank(losses.forced.mean(axis=1)), _rank(losses.sets.mean(axis=1))
    judged = figures(both, readouts, losses, ranks, level=level, resamples=resamples, rng=rng)
    best = _best(losses)
    drawn_forced, drawn_sets, drawn_decisions = _drawn_means(losses, both.cluster, resamples, rng)
    return JudgeChoice(
        metrics=both.metrics,
        n_rows=len(both),
        n_several=int((both.counts.sum(axis=1) > 1).sum()),
        tau=tau,
        judges=judged,
        chosen={FORCED: both.judges[best[0]], SETS: both.judges[best[1]]},
        by_shares=both.judges[int(losses.shares.mean(axis=1).argmin())],
        by_forcing=_by_forcing(both),
        stable={FORCED: _stays(drawn_forced, best[0]), SETS: _stays(drawn_sets, best[1])},
        cost=_difference(losses.sets, best, drawn_sets, both, level=level),
        decision_cost=_difference(losses.decisions, best, drawn_decisions, both, level=level),
        left_out=tuple(name for name in table.judges if name not in both.judges),
    )


def _rank(loss: Floats) -> tuple[int, ...]:
    """1 for the smallest mean loss; equal losses share the better rank."""
    return tuple(1 + int((loss < one - ALIKE).sum()) for one in loss.tolist())


def _best(losses: Losses) -> tuple[int, int]:
    """The best judge under each target; a tie goes to the one that is better under the other."""
    forced, sets = losses.forced.mean(axis=1), losses.sets.mean(axis=1)
    first = np.flatnonzero(forced <= forced.min() + ALIKE)
    second = np.flatnonzero(sets <= sets.min() + ALIKE)
    return int(first[sets[first].argmin()]), int(second[forced[second].argmin()])


def _by_forcing(table: SetTable) -> dict[str, str]:
    """The best judge by hit rate under every way to force labels; '' where it removes every label."""
    found = {}
    for name, readout in forcings(table.scale).items():
        missed = misses(table, readout, readout)
        rows = np.isfinite(missed).all(axis=0)
        found[name] = table.judges[int(missed[:, rows].mean(axis=1).argmin())] if rows.any() else ""
    return found


def _drawn_means(
    losses: Losses, cluster: NDArray[np.intp], resamples: int, rng: np.random.Generator
) -> list[Floats]:
    """Every judge's mean loss (B, J) on resampled clusters: forced, sets, decisions; from the same draws."""
    columns = np.concatenate([losses.forced, losses.sets, losses.decisions])
    sums = cluster_sums(np.vstack([np.ones(columns.shape[1]), columns]).T, cluster, resamples, rng)
    return np.split(sums[:, 1:] / sums[:, :1], 3, axis=1)


def _stays(means: Floats, best: int) -> float:
    """The share of resamples (B, J) in which no judge loses less than the best one."""
    return float((means[:, best] <= means.min(axis=1) + ALIKE).mean())


def _difference(
    losses: Floats, best: tuple[int, int], drawn: Floats, table: SetTable, *, level: float
) -> Estimate:
    """Mean loss of the judge chosen by forced choice minus that of the one chosen by sets.

    ``losses`` (J, n), and their means ``drawn`` (B, J) on resampled clusters. 0 without an interval where one
    judge is both.
    """
    first, second = best
    bounds = intervals.percentile(drawn[:, first] - drawn[:, second], level)
    return Estimate(
        float((losses[first] - losses[second]).mean()),
        bounds.low,
        bounds.high,
        level,
        n_items=len(table),
        method="paired percentile",
        target=THESE_RATERS,
        no_interval=bounds.none,
        resamples=len(drawn),
        n_clusters=len(np.unique(table.cluster)),
    )
