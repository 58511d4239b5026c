"""Study: items, metrics, raters and every rating, with the selections that statistics need."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire import registry
from voirdire.errors import UserError
from voirdire.stats.coded import Coded
from voirdire.study.items import Items
from voirdire.study.metric import Metric
from voirdire.study.panel import Panel, Verdicts
from voirdire.study.policy import Policy
from voirdire.study.rater import RATER_KINDS, Rater, RaterKind
from voirdire.study.ratings import OK, Ratings, Source
from voirdire.study.review import Review
from voirdire.study.slicing import Slice

__all__ = ["Study"]

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Study:
    """One audit's input: what was rated, on which metrics, by whom, and every rating.

    ``assumptions`` are the sentences that say how the files were read, ``counts`` what was merged or missing
    by name (``missing_labels``, ``merged_duplicates``, ...). ``population`` holds declared totals (metrics,
    items, ...) of what the study was sampled from, ``design`` how; ``demo`` marks made data. ``slice_by`` are
    the attributes to slice by. ``reported`` holds published figures to check, by metric (agreement, kappa,
    n).

    >>> from voirdire.opening import open
    >>> labels = {"item": ["a", "a", "b"], "rater": ["Ann", "Bo", "Ann"], "label": ["warm", "cold", "warm"]}
    >>> study = open(labels)
    >>> study.metric("label").scale.labels, [rater.id for rater in study.raters]
    (('cold', 'warm'), ['Ann', 'Bo'])
    >>> study.panel("label").coded.counts().tolist()
    [[1, 1], [0, 1]]
    """

    name: str
    items: Items
    metrics: tuple[Metric, ...]
    raters: tuple[Rater, ...]
    ratings: Ratings
    sources: tuple[Source, ...] = ()
    assumptions: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    reviews: tuple[Review, ...] = ()
    population: dict[str, int] = field(default_factory=dict)
    design: str = ""
    slice_by: tuple[str, ...] = ()
    demo: str = ""
    reported: dict[str, dict[str, float]] = field(default_factory=dict)

    def metric(self, name: str) -> Metric:
        """The metric called ``name``."""
        return self.metrics[self.metric_index(name)]

    def metric_index(self, name: str) -> int:
        """Position of the metric called ``name``; an unknown name is a user's error."""
        if name not in self._metric_codes:
            raise UserError(f"no metric named '{name}'", expected=f"one of {', '.join(self._metric_codes)}")
        return self._metric_codes[name]

    def raters_of(self, kind: RaterKind) -> tuple[int, ...]:
        """Positions of the raters of one kind."""
        return tuple(np.flatnonzero(self.is_kind(kind)).tolist())

    def is_kind(self, kind: RaterKind) -> NDArray[np.bool_]:
        """Which raters are of one kind, (n_raters,); a kind that there is not is a user's error."""
        if kind not in RATER_KINDS:
            raise UserError(f"no kind of rater is called '{kind}'", expected=", ".join(RATER_KINDS))
        return self._masks[kind]

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """Ratings that count in unbiased figures, (n,): labelled, not anchored, no example for the judge."""
        usable: NDArray[np.bool_] = (self.ratings.label >= 0) & (self.ratings.status == OK)
        for flag in ("anchored", "used_as_example"):
            if flag in self.ratings.attributes:
                column = self.ratings.attributes[flag]
                for value in column.values:
                    if value.strip().lower() in ("true", "1", "yes"):
                        usable &= ~column.equals(value)
        return usable

    def rows(
        self, metric: str, *, kind: RaterKind | None = None, where: Slice | None = None, usable: bool = True
    ) -> Rows:
        """Positions of the ratings of ``metric``: of one rater kind, one slice, by default usable ones."""
        order, start = self._by_metric
        code = self.metric_index(metric)
        rows = order[start[code] : start[code + 1]]
        if usable:
            rows = rows[self.usable[rows]]
        if kind is not None:
            rows = rows[self.is_kind(kind)[self.ratings.rater[rows]]]
        if where is not None:
            rows = rows[where.mask[self.ratings.item[rows]]]
        return rows

    def replies(self, metric: str, rater: int) -> Rows:
        """Positions of every rating of ``metric`` by the rater at position ``rater``, usable or not."""
        order, start = self._by_rater
        cell = rater * len(self.metrics) + self.metric_index(metric)
        return order[start[cell] : start[cell + 1]]

    def panel(
        self,
        metric: str,
        *,
        kind: RaterKind = "human",
        policy: Policy | str | None = None,
        where: Slice | None = None,
    ) -> Panel:
        """Every label that raters of ``kind`` gave on ``metric``, coded for the statistics.

        ``policy`` maps indeterminate labels, by its name too (the metric's declared one by default).
        Where one rater rated an item in several runs the first run counts. Items and raters without a label
        are left out.
        """
        declared = self.metric(metric)
        scale, new = _policy(policy, declared).apply(declared.scale)
        rows = self.rows(metric, kind=kind, where=where)
        rows = self._first_run(rows)
        label = new[self.ratings.label[rows]]
        rows, label = rows[label >= 0], label[label >= 0]
        items, item = np.unique(self.ratings.item[rows].astype(np.intp), return_inverse=True)
        raters, rater = np.unique(self.ratings.rater[rows].astype(np.intp), return_inverse=True)
        coded = Coded(
            item=item.astype(np.int32),
            rater=rater.astype(np.int32),
            label=label.astype(np.int32),
            n_items=len(items),
            n_raters=len(raters),
            q=len(scale.labels),
            values=None if scale.values is None else np.asarray(scale.values, dtype=np.float64),
            cluster=self._cluster(items),
            ordered=scale.ordered,
        )
        return Panel(self.metric(metric), scale, coded, items, raters, rows)

    def verdicts(
        self, metric: str, judge: int, items: NDArray[np.intp], *, policy: Policy | str | None = None
    ) -> Verdicts:
        """The verdicts of the rater at position ``judge`` on ``items`` (n,), every run of it.

        An item without a verdict, or whose verdicts the policy removes, has only zeros.
        """
        declared = self.metric(metric)
        scale, new = _policy(policy, declared).apply(declared.scale)
        rows = self.rows(metric)
        rows = rows[self.ratings.rater[rows] == judge]
        position = np.full(len(self.items), -1, dtype=np.intp)
        position[items] = np.arange(len(items))
        at, label = position[self.ratings.item[rows]], new[self.ratings.label[rows]]
        keep = (at >= 0) & (label >= 0)
        return Verdicts(judge, scale, at[keep], label[keep].astype(np.intp), len(items))

    def judges_of(self, metric: str) -> tuple[int, ...]:
        """Positions of the judges with at least one usable verdict on ``metric``."""
        return self._judges_by_metric[self.metric_index(metric)]

    def slices(self) -> tuple[Slice, ...]:
        """Every slice to report by: each value of each attribute named in ``slice_by``."""
        return tuple(
            Slice(name, value, column.codes == code)
            for name in self.slice_by
            if (column := self.items.attributes.get(name)) is not None
            for code, value in enumerate(column.values)
        )

    def export(self, path: str | PathLike[str]) -> None:
        """Write every rating of every rater as it came in; the format follows the suffix of ``path``."""
        registry.get("writer", "ratings")(self, path)

    def __repr__(self) -> str:
        people, judges = len(self.raters_of("human")), len(self.raters_of("judge"))
        return (
            f"<Study {self.name}: {_count(len(self.ratings), 'rating')} of {_count(len(self.items), 'item')} "
            f"on {_count(len(self.metrics), 'metric')} by {_count(people, 'person', 'people')} and "
            f"{_count(judges, 'judge')}>"
        )

    @cached_property
    def _metric_codes(self) -> dict[str, int]:
        return {metric.name: code for code, metric in enumerate(self.metrics)}

    @cached_property
    def _masks(self) -> dict[RaterKind, NDArray[np.bool_]]:
        kinds = [rater.kind for rater in self.raters]
        return {kind: np.array([one == kind for one in kinds], dtype=bool) for kind in RATER_KINDS}

    @cached_property
    def _judges_by_metric(self) -> tuple[tuple[int, ...], ...]:
        judges = np.array(self.raters_of("judge"), dtype=np.intp)
        place = np.full(len(self.raters), -1, dtype=np.intp)
        place[judges] = np.arange(len(judges))
        rows = np.flatnonzero(self.usable & (place[self.ratings.rater] >= 0))
        cell = self.ratings.metric[rows] * len(judges) + place[self.ratings.rater[rows]]
        shape = (len(self.metrics), len(judges))
        given = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape) > 0
        return tuple(tuple(judges[row].tolist()) for row in given)

    @cached_property
    def _by_metric(self) -> tuple[Rows, Rows]:
        return _grouped(self.ratings.metric, len(self.metrics))

    @cached_property
    def _by_rater(self) -> tuple[Rows, Rows]:
        cell = self.ratings.rater.astype(np.int64) * len(self.metrics) + self.ratings.metric
        return _grouped(cell, len(self.raters) * len(self.metrics))

    def _cluster(self, items: NDArray[np.intp]) -> NDArray[np.int32] | None:
        if self.items.cluster is None:
            return None
        _, cluster = np.unique(self.items.cluster[items], return_inverse=True)
        return cluster.astype(np.int32)

    def _first_run(self, rows: Rows) -> Rows:
        if len(self.ratings.run.values) <= 1:
            return rows
        key = self.ratings.item[rows].astype(np.int64) * len(self.raters) + self.ratings.rater[rows]
        order = np.lexsort((self.ratings.run.codes[rows], key))
        first = np.ones(len(order), dtype=bool)
        first[1:] = key[order][1:] != key[order][:-1]
        return np.sort(rows[order[first]])


def _grouped(cell: NDArray[np.integer[Any]], n_cells: int) -> tuple[Rows, Rows]:
    """Positions (n,) ordered by ``cell``, and where each cell starts among them (n_cells + 1,)."""
    small = np.int16 if n_cells < 2**15 else np.int64  # NumPy sorts 16 bits by radix, ten times as fast
    start = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=n_cells))])
    return np.argsort(cell.astype(small), kind="stable"), start


def _count(n: int, noun: str, plural: str = "") -> str:
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def _policy(policy: Policy | str | None, metric: Metric) -> Policy:
    return Policy(policy) if isinstance(policy, str) else policy or metric.policy
