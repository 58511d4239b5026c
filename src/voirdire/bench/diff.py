"""What moved the headline: two runs aggregated again with one cause at a time taken from the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from voirdire.align.plain import plain
from voirdire.bench.causes import Headline, Lacking, Mixed, State
from voirdire.bench.cells import ALL, KINDS, METRICS, Kind
from voirdire.bench.changed import changes
from voirdire.bench.manifest import CAUSES, Run, run_called, scoring_version
from voirdire.bench.running import recorded
from voirdire.decide.lines import aligned, folded
from voirdire.errors import UserError
from voirdire.stats.estimate import Estimate
from voirdire.stats.ratio_contrast import ratio_contrast
from voirdire.store.sql import Store

__all__ = ["SCORING", "TOGETHER", "TOTAL", "Diff", "Effect", "diff_runs"]

SCORING, TOGETHER, TOTAL = "scoring", "together", "total"
"""The cause that is code; what several causes do together and none alone; and all of it."""


@dataclass(frozen=True, slots=True)
class Effect:
    """By how much ``cause`` alone moves the share of ``system`` on metrics of ``kind``.

    ``change`` is in shares. Of ``paired`` conversations with a verdict on both sides ``gained`` pass only
    with the second run's cause, ``lost`` only with the first's.
    """

    cause: str
    kind: Kind
    system: str
    change: Estimate
    paired: int = 0
    gained: int = 0
    lost: int = 0


@dataclass(frozen=True)
class Diff:
    """What moved from run ``first`` to run ``second``, by kind and system.

    ``changed`` says of each cause that differs what is different; ``lacking`` of each one that cannot be
    swapped why, and what to run. ``before`` and ``after`` are passed and judged conversations; ``effects``
    are each cause alone, what they do ``together`` beyond that, and the ``total``, the sum of the others.
    """

    first: str
    second: str
    changed: Mapping[str, tuple[str, ...]]
    lacking: Mapping[str, str]
    before: Headline
    after: Headline
    effects: tuple[Effect, ...]
    notes: tuple[str, ...] = ()

    def effect(self, cause: str, kind: Kind = "both", *, system: str = ALL) -> Effect | None:
        """One cause's effect, None where it did not change or cannot be said."""
        found = (one for one in self.effects if (one.cause, one.kind, one.system) == (cause, kind, system))
        return next(found, None)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: every effect with its interval."""
        names = ("first", "second", "changed", "lacking", "notes")
        sides = {
            name: [
                {"kind": kind, "system": system, "passed": n[0], "judged": n[1]} for (kind, system), n in of
            ]
            for name, of in (("before", self.before.items()), ("after", self.after.items()))
        }
        told = {name: plain(getattr(self, name)) for name in names}
        return {**told, **sides, "effects": [plain(effect) for effect in self.effects]}

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def diff_runs(store: Store, first: str, second: str, *, level: float = 0.95) -> Diff:
    """What moved the shares from the run called ``first`` to the one called ``second``, by cause.

    Causes are metrics, judge, simulator, targets, parameters and scoring code. Each that differs is swapped
    alone: the first run is aggregated again with it taken from the second. What remains of the whole change
    is what causes do together. Intervals are over metrics and paired by them, and so by conversation where
    both sides hold the same ones. Nothing is played and nobody is asked: a cause whose swap needs
    conversations or verdicts that are not there is left open, with what to run. A run that is not whole is a
    user's error.
    """
    runs = run_called(store, first), run_called(store, second)
    if runs[0].name == runs[1].name:
        raise UserError("a run and itself", where=runs[0].label, expected="two different runs")
    mixed = Mixed(store, *runs)
    sides = mixed.whole(runs[0]), mixed.whole(runs[1])
    causes = [cause for cause in CAUSES if runs[0].parts[cause] != runs[1].parts[cause]]
    swapped = {cause: mixed.with_one(cause) for cause in causes if cause != SCORING}
    states = {cause: found for cause, found in swapped.items() if isinstance(found, State)}
    today = [side.headline(KINDS) for side in sides]
    then = [_as_counted(run, store) or now for run, now in zip(runs, today, strict=True)]
    work = _Work(sides, states, len(states) == len(swapped), _moved(today, then), level)
    return Diff(
        runs[0].label,
        runs[1].label,
        {cause: changes(cause, *runs) for cause in causes},
        {cause: str(found) for cause, found in swapped.items() if isinstance(found, Lacking)},
        then[0],
        then[1],
        tuple(work.every()),
        tuple(_notes(runs, store)),
    )


def _as_counted(run: Run, store: Store) -> Headline | None:
    """The headline of ``run`` as other code than that of today counted it, None where it is the same."""
    kept = recorded(run, store) if run.document["scoring"] != scoring_version() else None
    if kept is None:
        return None
    return {_cell(name): (int(passed), int(judged)) for name, (passed, judged) in kept.items()}


def _cell(name: str) -> tuple[Kind, str]:
    kind, _, system = name.partition("|")
    return next(one for one in KINDS if one == kind), system


def _moved(today: Sequence[Headline], then: Sequence[Headline]) -> dict[tuple[Kind, str], float]:
    """What the code does to the change of each share: on the first side it comes, on the second it goes."""
    if list(today) == list(then):
        return {}
    cells = set.intersection(*(set(one) for one in (*today, *then)))
    return {
        cell: (_share(today[0][cell]) - _share(then[0][cell]))
        + (_share(then[1][cell]) - _share(today[1][cell]))
        for cell in cells
    }


def _share(of: tuple[int, int]) -> float:
    return of[0] / of[1]


@dataclass(frozen=True, eq=False)
class _Work:
    """All states to contrast; ``complete`` where no cause is left open, ``moved`` by another code."""

    sides: tuple[State, State]
    states: Mapping[str, State]
    complete: bool
    moved: Mapping[tuple[Kind, str], float]
    level: float

    def every(self) -> Iterator[Effect]:
        first, second = self.sides
        for kind in KINDS:
            for system in dict.fromkeys((ALL, *first.systems, *second.systems)):
                yield from (one for one in self._effects(kind, system) if one.change.undefined is None)

    def _effects(self, kind: Kind, system: str) -> Iterator[Effect]:
        first, second = self.sides
        for cause, state in self.states.items():
            change = self._contrast(kind, system, [(state, 1), (first, -1)])
            yield Effect(cause, kind, system, change, *state.paired(first, kind, system))
        if self.complete and len(self.states) > 1:
            rest = [(second, 1), (first, len(self.states) - 1), *((one, -1) for one in self.states.values())]
            yield Effect(TOGETHER, kind, system, self._contrast(kind, system, rest))
        total = self._contrast(kind, system, [(second, 1), (first, -1)])
        by_code = self.moved.get((kind, system), 0.0)
        if by_code:
            yield Effect(SCORING, kind, system, self._number(by_code, total))
            total = self._number(total.value + by_code, total)
        yield Effect(TOTAL, kind, system, total, *second.paired(first, kind, system))

    def _contrast(self, kind: Kind, system: str, weighted: Sequence[tuple[State, float]]) -> Estimate:
        names = sorted({name for state, _ in weighted for name in state.names})
        sums = np.array([state.sums(kind, system, names) for state, _ in weighted])
        weights = [weight for _, weight in weighted]
        return ratio_contrast(weights, sums[:, 0], sums[:, 1], level=self.level, target=METRICS)

    def _number(self, value: float, beside: Estimate) -> Estimate:
        """A change in which another code has a part: its conversations are counted, but not told apart."""
        told: dict[str, Any] = {"level": self.level, "n_items": beside.n_items, "target": METRICS}
        return Estimate(value, no_interval="no_interval_method", **told)


def _notes(runs: Sequence[Run], store: Store) -> Iterator[str]:
    for run in runs:
        if run.document["scoring"] != scoring_version() and recorded(run, store) is None:
            yield f"{run.label} has no figures by its own scoring code: they are those of today's."


def _lines(diff: Diff) -> Iterator[str]:
    kinds = [kind for kind in KINDS if (kind, ALL) in diff.before and (kind, ALL) in diff.after]
    yield f"From {diff.first} to {diff.second}, in percentage points of conversations that pass."
    rows = [["cause", *kinds, "gained", "lost"]]
    causes = dict.fromkeys(one.cause for one in diff.effects)
    for cause in causes:
        found = [diff.effect(cause, kind) for kind in kinds]
        last = diff.effect(cause, kinds[-1]) if kinds else None
        moved = ["", ""] if last is None or not last.paired else [f"{last.gained:,}", f"{last.lost:,}"]
        rows.append([cause, *("" if one is None else _points(one.change) for one in found), *moved])
    for run, headline in ((diff.first, diff.before), (diff.second, diff.after)):
        yield from folded(f"{run}: {', '.join(_level(kind, headline[kind, ALL]) for kind in kinds)}.")
    yield from aligned(rows, numbers=range(1, len(rows[0])))
    if not diff.changed:
        yield "Nothing that a figure follows from differs."
    for cause, said in diff.changed.items():
        yield from folded(f"{cause}: {'; '.join(said)}.")
    for cause, why in diff.lacking.items():
        yield from folded(f"{cause} cannot be said: {why}.")
    for note in diff.notes:
        yield from folded(note)


def _level(kind: Kind, of: tuple[int, int]) -> str:
    return f"{kind} {100 * _share(of):.1f} % of {of[1]:,}"


def _points(change: Estimate) -> str:
    value = _signed(change.value)
    return f"{value} [{_signed(change.low)}, {_signed(change.high)}]" if change.has_interval else value


def _signed(share: float) -> str:
    """In points; what rounds to nothing has no sign of its own."""
    return f"{round(100 * share, 1) + 0.0:+.1f}"
