"""Two runs mixed: the conversations and verdicts of one with a single cause of the other, from the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import sqlalchemy as sql
from numpy.typing import NDArray

from voirdire.bench.aggregate import AggregateOptions
from voirdire.bench.cast import Cast
from voirdire.bench.cells import ALL, Kind
from voirdire.bench.collecting import outcomes_of
from voirdire.bench.conversation import kept_conversations
from voirdire.bench.judging import judging_plan
from voirdire.bench.manifest import Run
from voirdire.bench.outcomes import LACKING, MISSING, Outcomes
from voirdire.bench.study import study_of
from voirdire.bench.suite import Bench
from voirdire.errors import UserError
from voirdire.judges.judge import Judge
from voirdire.judges.planning import Plan
from voirdire.store.bench_schema import conversations
from voirdire.store.sql import Store

__all__ = ["Headline", "Lacking", "Mixed", "Mixture", "State"]

Headline = dict[tuple[Kind, str], tuple[int, int]]
"""By kind and system how many conversations of metrics that count passed, and how many were judged."""
Booleans = NDArray[np.bool_]
SWAPPED = ("metrics", "judge", "simulator", "targets", "parameters")
"""Causes that can be taken from another run; code cannot."""
UNJUDGED = LACKING.index("not judged")
AT_A_TIME = 500


@dataclass(frozen=True)
class Lacking:
    """Why a mixture cannot be aggregated."""

    what: str
    fix: str

    def __str__(self) -> str:
        return f"{self.what}; {self.fix}"


@dataclass(frozen=True, eq=False)
class State:
    """Outcomes of a run or of a mixture."""

    outcomes: Outcomes

    @property
    def names(self) -> list[str]:
        """Its metrics."""
        return [metric.name for metric in self.outcomes.metrics]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that played."""
        return self.outcomes.systems

    def rows(self, kind: Kind, system: str) -> Booleans:
        """The conversations (n,) of metrics that count, of a kind and a system, that have a verdict."""
        told = self.outcomes
        counts = np.array([one.counts and kind in ("both", one.polarity) for one in told.metrics], np.bool_)
        rows: Booleans = counts[told.metric] & (told.present != MISSING)
        if system != ALL:
            place = told.systems.index(system) if system in told.systems else -1
            rows &= told.system == place
        return rows

    def sums(self, kind: Kind, system: str, names: Sequence[str]) -> NDArray[np.float64]:
        """Passed and judged conversations (2, G) by metric, in the order of ``names``."""
        place = {name: code for code, name in enumerate(names)}
        rows = self.rows(kind, system)
        own = np.array([place[name] for name in self.names], dtype=np.intp)[self.outcomes.metric[rows]]
        passed = self.outcomes.passed[rows] == 1
        return np.stack([np.bincount(own, one, len(names)) for one in (passed, np.ones(len(own)))])

    def paired(self, other: State, kind: Kind, system: str) -> tuple[int, int, int]:
        """Conversations with a verdict here and in ``other``, and how many pass only here and only there."""
        mine, theirs = self._passes(kind, system), other._passes(kind, system)
        both = mine.keys() & theirs.keys()
        gained = sum(mine[name] > theirs[name] for name in both)
        return len(both), gained, sum(mine[name] < theirs[name] for name in both)

    def headline(self, kinds: Sequence[Kind]) -> Headline:
        """Passed and judged, by kind and system."""
        found: Headline = {}
        for kind in kinds:
            for system in (ALL, *self.systems):
                rows = self.rows(kind, system)
                if rows.any():
                    found[kind, system] = (int((self.outcomes.passed[rows] == 1).sum()), int(rows.sum()))
        return found

    def _passes(self, kind: Kind, system: str) -> dict[str, int]:
        rows = np.flatnonzero(self.rows(kind, system))
        passed = self.outcomes.passed
        return {self.outcomes.ids[row]: int(passed[row]) for row in rows.tolist()}


@dataclass(frozen=True, eq=False)
class Mixture:
    """What a run or a mixture of two consists of; of systems that were heard elsewhere ``ids`` alone tell."""

    bench: Bench
    cast: Cast
    judge: Judge
    options: AggregateOptions
    ids: tuple[str, ...]

    def plan(self, store: Store) -> Plan:
        """Every verdict that its figures rest on."""
        study = study_of(self.bench, kept_conversations(store, self.ids))
        return judging_plan(self.bench, study, self.judge, unreviewed=self.options.unreviewed)


@dataclass(frozen=True, eq=False)
class Mixed:
    """Runs ``first`` and ``second`` of one store."""

    store: Store
    first: Run
    second: Run
    known: dict[tuple[str, ...], State | Lacking] = field(default_factory=dict)

    def whole(self, run: Run) -> State:
        """The outcomes of ``run``; one that is not whole is a user's error."""
        found = self._state(dict.fromkeys(SWAPPED, run))
        if isinstance(found, Lacking):
            raise UserError(f"{run.label} is not whole: {found.what}", fix=found.fix)
        return found

    def with_one(self, cause: str) -> State | Lacking:
        """The first run with ``cause`` taken from the second."""
        return self._state(self._source(cause))

    def mixture(self, cause: str) -> Mixture:
        """What the first run with ``cause`` taken from the second consists of; see :class:`Mixture`."""
        return self._mixture(self._source(cause))

    def _source(self, cause: str) -> dict[str, Run]:
        return {**dict.fromkeys(SWAPPED, self.first), cause: self.second}

    def _state(self, source: dict[str, Run]) -> State | Lacking:
        key = tuple(source[cause].parts[cause] for cause in source)
        if key not in self.known:
            self.known[key] = self._aggregated(source)
        return self.known[key]

    def _mixture(self, source: dict[str, Run]) -> Mixture:
        config = source["parameters"].bench.config
        bench = Bench(source["metrics"].bench.folder, config, source["metrics"].metrics)
        options = source["parameters"].options
        user, targets = source["simulator"].cast.user, source["targets"].cast.targets
        cast = Cast(user, tuple(target for target in targets if not target.transcripts), {})
        ids = [part.id for part in cast.parts(bench, unreviewed=options.unreviewed)] if cast.targets else []
        elsewhere = {target.system for target in targets if target.transcripts}
        if elsewhere:
            # what was held elsewhere depends on nothing that can be swapped, but for its case
            cases = {case.hash for case in bench.cases(unreviewed=options.unreviewed)}
            rows = self._rows(source["targets"].ids)
            ids += [name for name, system, case in rows if system in elsewhere and case in cases]
        return Mixture(bench, cast, source["judge"].judges[0], options, tuple(ids))

    def _aggregated(self, source: dict[str, Run]) -> State | Lacking:
        try:
            mixture = self._mixture(source)
        except UserError as problem:
            return Lacking(f"it cannot be played: {problem}", "no run can tell")
        lacking, n = len(mixture.ids) - self._kept(mixture.ids), len(mixture.ids)
        what = _named(source, self.second)
        if lacking:
            return Lacking(f"{lacking:,} of {n:,} conversations were never held{what}", _fix(what))
        plan = mixture.plan(self.store)
        outcomes = outcomes_of(mixture.bench, plan, self.store)
        unjudged = int((outcomes.lacking == UNJUDGED).sum())
        if unjudged:
            judge = f"{mixture.judge.name} ({mixture.judge.version})"
            return Lacking(
                f"{unjudged:,} of {n:,} conversations were never judged by {judge}{what}", _fix(what)
            )
        return State(outcomes)

    def _kept(self, ids: Sequence[str]) -> int:
        return len({name for name, _, _ in self._rows(ids)})

    def _rows(self, ids: Sequence[str]) -> list[tuple[str, str, str]]:
        """Name, system and case of the conversations of ``ids`` that are kept."""
        columns = conversations.c.conversation, conversations.c.system, conversations.c.case_hash
        found = []
        for start in range(0, len(ids), AT_A_TIME):
            query = sql.select(*columns).where(columns[0].in_(ids[start : start + AT_A_TIME])).distinct()
            found += [
                (row["conversation"], row["system"], row["case_hash"]) for row in self.store.rows(query)
            ]
        return found


def _named(source: dict[str, Run], second: Run) -> str:
    """The mixture in words, empty where it is a run of its own."""
    other = [cause for cause, run in source.items() if run is second]
    return "" if len(other) in (0, len(source)) else f" with the {other[0]} of {second.label}"


def _fix(what: str) -> str:
    return "voirdire bench diff --run asks for them" if what else "voirdire bench run goes on with it"
