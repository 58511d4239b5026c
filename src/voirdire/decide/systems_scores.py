"""What people and judges say of each system on the same items: one score an item, system and source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.decide.rates_quantities import Quantity, quantities
from voirdire.study.column import Column
from voirdire.study.metric import Metric
from voirdire.study.panel import Panel
from voirdire.study.scale import Scale
from voirdire.study.study import Study

__all__ = ["PEOPLE", "SystemScores", "alike_metrics", "comparable", "errors_of", "scores_of"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
PEOPLE = "people"
FOREIGN = 0.05
"""A judge with a larger share of verdicts outside people's labels answers on another scale."""
MOST_SYSTEMS = 60
"""Of more systems those with the most rows are compared: pairs grow with their square."""


@dataclass(frozen=True, eq=False)
class SystemScores:
    """n rows, one an item and metric that every source scored: ``score`` (K, n) of K ``sources``.

    On pairs of answers the score is the first system's: 1 for a win, 0.5 for a tie; ``second`` (n,) is the
    other system, -1 where items are no pairs. ``first`` and ``second`` index ``systems``, ``cluster`` (n,)
    the resampled unit, ``item`` (n,) the study's items. ``span`` is how far labels lie apart.
    ``same_scale`` says for each source whether its scores may be subtracted from people's.
    """

    metrics: tuple[str, ...]
    quantity: str
    span: float
    sources: tuple[str, ...]
    same_scale: tuple[bool, ...]
    systems: tuple[str, ...]
    item: Positions
    first: Positions
    second: Positions
    cluster: Positions
    score: Floats

    @property
    def paired(self) -> bool:
        """Whether items are pairs of answers."""
        return bool((self.second >= 0).any())

    def entries(self) -> tuple[Positions, Positions, Floats]:
        """System (e,), cluster (e,) and score (K, e): a pair counts once for each of its systems."""
        if not self.paired:
            return self.first, self.cluster, self.score
        return (
            np.concatenate([self.first, self.second]),
            np.concatenate([self.cluster, self.cluster]),
            np.concatenate([self.score, 1 - self.score], axis=1),
        )

    def take(self, rows: NDArray[np.bool_]) -> SystemScores:
        """Only the rows in ``rows`` (n,)."""
        parts = {name: getattr(self, name)[rows] for name in ("item", "first", "second", "cluster")}
        return replace(self, **parts, score=self.score[:, rows])

    def of(self, systems: Sequence[int]) -> SystemScores:
        """Only rows whose systems are all among ``systems`` (S,), which are numbered anew."""
        place = np.full(len(self.systems) + 1, -1, dtype=np.intp)
        place[list(systems)] = np.arange(len(systems))
        kept = self.take((place[self.first] >= 0) & ((self.second < 0) | (place[self.second] >= 0)))
        names = tuple(self.systems[one] for one in systems)
        return replace(kept, systems=names, first=place[kept.first], second=place[kept.second])

    def enough(self, fewest: int) -> SystemScores | None:
        """Only systems with ``fewest`` rows or more, at most 60, the fullest; None below two.

        On pairs, leaving a system out takes its pairs along, so others may follow.
        """
        used = self
        while True:
            n = used.rows_by_system()
            kept = np.sort(np.argsort(-n, kind="stable")[:MOST_SYSTEMS])
            kept = kept[n[kept] >= fewest]
            if len(kept) < 2:
                return None
            if len(kept) == len(n):
                return used
            used = used.of(kept.tolist())

    def rows_by_system(self) -> NDArray[np.int64]:
        """How many rows each system stands in, (S,)."""
        return np.bincount(self.entries()[0], minlength=len(self.systems))


def alike_metrics(study: Study, metrics: Sequence[str]) -> list[tuple[str, ...]]:
    """Each metric alone, after those that a pass rate is reported of together, where they are several."""
    rated = [name for name in metrics if (one := _main(study.metric(name))) and one.name == "pass rate"]
    return [*([tuple(rated)] if len(rated) > 1 else []), *((name,) for name in metrics)]


def scores_of(
    study: Study, metrics: Sequence[str], judges: Sequence[int], *, people: bool = True
) -> SystemScores | None:
    """The rows of ``metrics`` that all ``judges`` (positions of raters) scored, and people where asked.

    A person's and a judge's score of an item is the mean of their labels' values: of people over raters, of a
    judge over runs. None where no system is named, nothing is to rank by, or no item has every score.
    """
    parts = [part for name in metrics if (part := _of_metric(study, name, judges, people)) is not None]
    if not parts:
        return None
    names, sides = _sides(study)
    item = np.concatenate([one.item for one in parts])
    first, second = (side[item] for side in sides)
    pairs = len(sides) == 2 and parts[0].paired
    known = (first >= 0) & ((second >= 0) & (first != second) if pairs else np.ones_like(first, dtype=bool))
    if not known.any():
        return None
    used = np.unique(np.concatenate([first[known], second[known]]) if pairs else first[known])
    place = np.zeros(len(names), dtype=np.intp)
    place[used] = np.arange(len(used))
    return SystemScores(
        tuple(one.metric for one in parts),
        parts[0].quantity.name,
        parts[0].quantity.span,
        (*((PEOPLE,) if people else ()), *(study.raters[code].id for code in judges)),
        tuple(np.all([one.same_scale for one in parts], axis=0).tolist()),
        tuple(names[one] for one in used),
        item[known],
        place[first[known]],
        place[second[known]] if pairs else np.full(int(known.sum()), -1, dtype=np.intp),
        study.items.units(item[known]),
        np.concatenate([one.score for one in parts], axis=1)[:, known],
    )


def errors_of(study: Study, metrics: Sequence[str], judge: int) -> tuple[Floats, float]:
    """The judge's score minus people's on every item that both scored (n,), named system or not; the span."""
    parts = [part for name in metrics if (part := _of_metric(study, name, [judge], True)) is not None]
    alike = [part for part in parts if part.same_scale[1]]
    errors = [part.score[1] - part.score[0] for part in alike]
    return np.concatenate([np.zeros(0), *errors]), max((part.quantity.span for part in alike), default=1.0)


@dataclass(frozen=True, eq=False)
class _Part:
    """The scored items of one metric."""

    metric: str
    quantity: Quantity
    paired: bool
    item: Positions
    score: Floats
    same_scale: tuple[bool, ...]


def _of_metric(study: Study, name: str, judges: Sequence[int], people: bool) -> _Part | None:
    metric = study.metric(name)
    quantity = _main(metric)
    if quantity is None:
        return None
    panel = study.panel(name)
    items = panel.items if people else np.arange(len(study.items), dtype=np.intp)
    rows, same = [], []
    if people:
        rows.append(_means(panel.coded.item, quantity.value[panel.coded.label], len(items)))
        same.append(True)
    for judge in judges:
        given = study.verdicts(name, judge, items)
        rows.append(_means(given.item, quantity.value[given.label], len(items)))
        same.append(comparable(panel, given.label))
    score = np.stack(rows)
    known = ~np.isnan(score).any(axis=0)
    if not known.any():
        return None
    pairs = panel.scale.kind == "pairwise"
    return _Part(name, quantity, pairs, items[known], score[:, known], tuple(same))


def comparable(panel: Panel, label: Positions) -> bool:
    """Whether a judge's verdicts (m,) lie on people's scale, so that scores may be subtracted.

    Always on pairs; else nearly all must be labels that a person gave, or numbers between two of them.
    """
    scale: Scale = panel.scale
    if scale.kind == "pairwise" or not len(label):
        return True
    given = np.bincount(panel.coded.label, minlength=len(scale.labels)) > 0
    if scale.values is not None and given.any():
        value = np.asarray(scale.values, dtype=np.float64)
        given = (value >= value[given].min()) & (value <= value[given].max())
    return bool((~given[label]).mean() <= FOREIGN) or len(scale.verdicts) == 2


def _main(metric: Metric) -> Quantity | None:
    scale, _ = metric.policy.apply(metric.scale)
    return next((one for one in quantities(metric, scale) if one.main), None)


def _means(item: NDArray[np.integer[Any]], value: Floats, n: int) -> Floats:
    """Mean of ``value`` on each of ``n`` items, NaN without one."""
    times = np.bincount(item, minlength=n)
    with np.errstate(invalid="ignore"):
        mean: Floats = np.bincount(item, value, minlength=n) / times
    return mean


def _sides(study: Study) -> tuple[tuple[str, ...], list[Positions]]:
    """Names of systems and each item's system (n_items,) on either side; twice the one where no pairs."""
    known = study.items.attributes
    names = ("system_a", "system_b") if {"system_a", "system_b"} <= set(known) else ("system", "system")
    if names[0] not in known:
        none = np.full(len(study.items), -1, dtype=np.intp)
        return (), [none, none]
    both = Column.concatenate([known[name] for name in names])
    order = sorted(range(len(both.values)), key=lambda code: both.values[code])
    place = np.full(len(order) + 1, -1, dtype=np.intp)
    place[order] = np.arange(len(order))
    code = place[both.codes]
    n = len(study.items)
    return tuple(both.values[one] for one in order), [code[:n], code[n:]]
