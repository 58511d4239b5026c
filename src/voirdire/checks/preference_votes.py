"""Verdicts on pairs of systems, as the models of preference take them: people's and each judge's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.stats import Abilities, PairedComparisons, bradley_terry, davidson
from voirdire.stats.position import FIRST, SECOND, TIE
from voirdire.study import Metric, Scale

__all__ = ["PEOPLE", "Votes", "system_names", "votes"]

PEOPLE = "people"


@dataclass(frozen=True, eq=False)
class Votes:
    """Verdicts of ``who`` on one metric: what each said of two systems, and on which item (m,)."""

    metric: Metric
    who: str
    raters: tuple[str, ...]
    systems: tuple[str, ...]
    met: PairedComparisons
    item: NDArray[np.intp]

    @property
    def ties(self) -> int:
        """How many verdicts name no winner."""
        return int((self.met.outcome == TIE).sum())

    def fitted(self, level: float) -> Abilities:
        """Davidson's model where any verdict is a tie, else Bradley and Terry's."""
        return (davidson if self.ties else bradley_terry)(self.met, level=level)

    def decided(self) -> Votes:
        """Only the verdicts that name a winner."""
        return self.take(self.met.outcome != TIE)

    def take(self, rows: NDArray[np.bool_]) -> Votes:
        """Only the verdicts in ``rows`` (m,)."""
        return replace(self, met=self.met.take(rows), item=self.item[rows])

    def first_share(self, n_items: int) -> NDArray[np.float64]:
        """Share of each item's verdicts that the first system won, a tie as half; NaN without one."""
        score = np.where(self.met.outcome == TIE, 0.5, self.met.outcome == FIRST)
        n = np.bincount(self.item, minlength=n_items)
        with np.errstate(invalid="ignore"):
            share: NDArray[np.float64] = np.bincount(self.item, score, minlength=n_items) / n
        return share


def system_names(context: Context) -> tuple[str, ...]:
    """All systems that stand in a pair, in order of name; empty where pairs name no systems."""
    attributes = context.study.items.attributes
    if not {"system_a", "system_b"} <= set(attributes):
        return ()
    return tuple(sorted({*attributes["system_a"].values, *attributes["system_b"].values}))


def votes(context: Context, metric: Metric) -> Iterator[Votes]:
    """People's verdicts, then each judge's on the items that people rated, or on all if they rated none."""
    study = context.study
    panel = context.people(metric.name)
    people = tuple(study.raters[code].id for code in panel.raters)
    found = _votes(context, panel.items[panel.coded.item], panel.coded.label, panel.scale)
    if len(found[1]):
        yield Votes(metric, PEOPLE, people, system_names(context), *found)
    items = panel.items if len(panel.items) else np.arange(len(study.items), dtype=np.intp)
    for judge in study.judges_of(metric.name):
        given = study.verdicts(metric.name, judge, items)
        found = _votes(context, items[given.item], given.label, given.scale)
        if len(found[1]):
            name = study.raters[judge].id
            yield Votes(metric, name, (name,), system_names(context), *found)


def _votes(
    context: Context, item: NDArray[np.intp], label: NDArray[np.integer], scale: Scale
) -> tuple[PairedComparisons, NDArray[np.intp]]:
    """The comparisons, and each one's item; a label that names no winner is a tie."""
    names = system_names(context)
    first, second = (_systems(context, side, names)[item] for side in ("system_a", "system_b"))
    outcomes = {"first": FIRST, "second": SECOND}
    outcome = np.array([outcomes.get(one, TIE) for one in scale.labels], dtype=np.int64)[label]
    known = (first >= 0) & (second >= 0) & (first != second)
    met = PairedComparisons(
        first[known], second[known], outcome[known], len(names), context.study.items.units(item[known])
    )
    return met, item[known]


def _systems(context: Context, side: str, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Each item's system on one side, -1 where it is not named."""
    column = context.study.items.attributes[side]
    place = np.array([*map(names.index, column.values), -1], dtype=np.int64)
    return place[column.codes]
