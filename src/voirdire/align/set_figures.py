"""One judge's figures under the forced-choice and the response-set target, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.align.response_sets import EVENLY, even_split, forcings, membership, read_out, squared_errors
from voirdire.align.scores import kernel_score, set_kernel
from voirdire.align.set_kappa import shares_kappas
from voirdire.align.set_table import SetTable
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import Estimate, undefined
from voirdire.stats.sets import set_distance

__all__ = ["JudgeUnderTargets", "Losses", "UnderForced", "UnderSets", "figures", "losses_of", "misses"]

Floats = NDArray[np.float64]
SETS = "sets kept"
Readouts = tuple[Floats, Floats]
"""What a person's label says of the one verdict (O, V) and of the accepted verdicts (O, V)."""


@dataclass(frozen=True)
class UnderForced:
    """Against one verdict a person. ``rank`` is by ``hit``.

    ``hit`` is the mean chance that a person, forced to one verdict, names the judge's. ``kappa`` is agreement
    beyond chance under every way to force labels. ``error`` is the unbiased squared error of the shares of
    people that name each verdict, a mean over verdicts, on rows with two labels. ``decision_error`` is the
    share of rows and verdicts where judge and people fall on different sides of tau.
    """

    hit: Estimate
    kappa: Mapping[str, Estimate]
    error: Estimate
    decision_error: Estimate
    rank: int


@dataclass(frozen=True)
class UnderSets:
    """Against the verdicts that people accept. ``rank`` is by ``error`` on all rows.

    ``covered`` is the mean share of people who accept the judge's verdict. ``kappa`` is agreement beyond
    chance with partial credit by the MASI distance. ``error`` and ``decision_error`` are as in
    :class:`UnderForced` for the shares that accept each verdict (the response-set MSE), ``distance`` is the
    unbiased kernel score of whole labels with the overlap of sets as kernel.
    """

    covered: Estimate
    kappa: Estimate
    error: Estimate
    distance: Estimate
    decision_error: Estimate
    rank: int


@dataclass(frozen=True)
class JudgeUnderTargets:
    """One judge under both targets; ``sets_given`` is the share of its verdicts that admit several."""

    judge: str
    sets_given: float
    forced: UnderForced
    sets: UnderSets


@dataclass(frozen=True, eq=False)
class Losses:
    """What each judge loses on each row (J, n): ``forced`` misses, ``shares`` and ``sets`` squared errors.

    ``shares`` is against the shares of people who name each verdict, ``sets`` against those who accept it.
    Both are of observed shares: the noise of few labels adds the same to every judge, so differences are
    unbiased, and rows with one label count. ``decisions`` and ``forced_decisions`` are the shares of verdicts
    on the wrong side of tau.
    """

    forced: Floats
    shares: Floats
    sets: Floats
    decisions: Floats
    forced_decisions: Floats


def losses_of(table: SetTable, readouts: Readouts, tau: float) -> Losses:
    """Every judge's losses on every row of ``table``."""
    of_people = [read_out(table.counts, readout) for readout in readouts]
    members = membership(table.scale)
    accepts = np.stack([read_out(one, members) for one in table.verdicts])
    names = np.stack([read_out(one, even_split(members)) for one in table.verdicts])
    return Losses(
        misses(table, readouts[0], even_split(members)),
        ((names - of_people[0]) ** 2).mean(axis=2),
        ((accepts - of_people[1]) ** 2).mean(axis=2),
        ((accepts > tau) != (of_people[1] > tau)).mean(axis=2),
        ((names > tau) != (of_people[0] > tau)).mean(axis=2),
    )


def misses(table: SetTable, people: Floats, own: Floats) -> Floats:
    """The chance (J, n) that a person forced by ``people`` (O, V) does not name the judge's verdict.

    ``own`` (O, V) forces the judge's label. NaN where either removes the label.
    """
    named = read_out(table.counts, people)
    missed: Floats = 1 - np.stack([(read_out(one, own) * named).sum(axis=1) for one in table.verdicts])
    return missed


def figures(
    table: SetTable,
    readouts: Readouts,
    losses: Losses,
    ranks: tuple[tuple[int, ...], tuple[int, ...]],
    *,
    level: float,
    resamples: int,
    rng: np.random.Generator,
) -> tuple[JudgeUnderTargets, ...]:
    """Every judge's figures; ``ranks`` under both targets come from the comparison."""
    kappas = _kappas(table, readouts[0], level=level, resamples=resamples, rng=rng)
    members = membership(table.scale)
    found = []
    for k, judge in enumerate(table.judges):
        one = _One(table, k, level)
        of_sets = kappas[k].pop(SETS)
        found.append(
            JudgeUnderTargets(
                judge,
                float(table.verdicts[k][:, table.indeterminate].sum() / len(table)),
                UnderForced(
                    one.mean(1 - losses.forced[k]),
                    kappas[k],
                    one.error(readouts[0], even_split(members)),
                    one.mean(losses.forced_decisions[k]),
                    ranks[0][k],
                ),
                UnderSets(
                    one.covered(readouts[1]),
                    of_sets,
                    one.error(readouts[1], members),
                    one.distance(),
                    one.mean(losses.decisions[k]),
                    ranks[1][k],
                ),
            )
        )
    return tuple(found)


def _kappas(
    table: SetTable, main: Floats, *, level: float, resamples: int, rng: np.random.Generator
) -> list[dict[str, Estimate]]:
    """Each judge's agreement beyond chance under every way to force labels, and with sets kept."""
    ways = {name: (way, way) for name, way in forcings(table.scale).items()}
    if not np.array_equal(main, ways[EVENLY][0]):
        ways["as people choose"] = (main, ways[EVENLY][1])
    sets = [table.scale.members(label) for label in table.scale.labels]
    alike = 1 - np.array([[set_distance(a, b) for b in sets] for a in sets])
    whole = np.eye(len(sets))
    ways[SETS] = (whole, whole)
    weights = {name: alike if name == SETS else np.eye(len(main)) for name in ways}
    compared = [
        (read_out(verdicts, own), read_out(table.counts, people), weights[name])
        for verdicts in table.verdicts
        for name, (people, own) in ways.items()
    ]
    found = iter(shares_kappas(compared, table.cluster, level=level, resamples=resamples, rng=rng))
    return [{name: next(found) for name in ways} for _ in table.judges]


@dataclass(frozen=True, eq=False)
class _One:
    """Mean figures of the judge at position ``k`` of a table."""

    table: SetTable
    k: int
    level: float

    @property
    def verdicts(self) -> Floats:
        shares: Floats = self.table.verdicts[self.k]
        return shares

    def mean(self, values: Floats) -> Estimate:
        """Mean over the rows that have a value, with whole clusters as units."""
        kept = np.isfinite(values)
        if not kept.any():
            return undefined("insufficient_raters" if len(values) else "no_labels")
        groups = np.unique(self.table.cluster[kept], return_inverse=True)[1]
        return clustered_mean(values[kept], cluster=groups, level=self.level)

    def error(self, readout: Floats, own: Floats) -> Estimate:
        errors = squared_errors(read_out(self.verdicts, own), self.table.counts, readout)
        # rounding errors are no spread: where all rows are equal there is no interval
        return self.mean(errors.mean(axis=1).round(12))

    def covered(self, accepted: Floats) -> Estimate:
        names = read_out(self.verdicts, even_split(membership(self.table.scale)))
        return self.mean((names * read_out(self.table.counts, accepted)).sum(axis=1))

    def distance(self) -> Estimate:
        scores = kernel_score(self.verdicts, self.table.counts, set_kernel(self.table.scale))
        return self.mean(scores.round(12))
