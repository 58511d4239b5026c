"""The judged rows of one metric: their systems, predictions, human labels and chances of being labelled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voirdire.align.cross_fit import CrossFitted
from voirdire.decide.rates_design import Design
from voirdire.decide.rates_rows import ALL
from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.study.metric import Metric
from voirdire.study.outcomes import passing
from voirdire.study.scale import Scale
from voirdire.study.scales import as_number
from voirdire.study.study import Study

__all__ = [
    "ALL_METRICS",
    "Layer",
    "Population",
    "Verdicts",
    "all_metrics",
    "layers",
    "population",
    "sampling_chance",
]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
ALL_METRICS = "all metrics"
PASSED = Scale("binary", ("fail", "pass"))
MOST_PAIRS = 300
"""With more pairs of systems only the systems have rows."""


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What ``judge`` said of n rows: ``code`` (n,) indexes its ``labels``, their number is no verdict."""

    judge: str
    labels: tuple[str, ...]
    code: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Population:
    """n judged rows of ``metric``: ``predicted`` (n, C), ``mean_label`` (n, C), and what places them.

    ``item``, ``cluster`` (n,) are positions, ``weight`` (n,) the inverse chance of being labelled, 0 where
    unlabelled; ``labels`` are row, rater and label of each single label. ``unjudged`` counts rows that people
    labelled and no judge was asked about: they are left out.
    """

    metric: Metric
    scale: Scale
    item: Positions
    cluster: Positions
    predicted: Floats
    mean_label: Floats
    weight: Floats
    labels: tuple[Positions, Positions, Positions]
    judges: tuple[Verdicts, ...]
    unjudged: int

    @property
    def passing(self) -> int | None:
        """The code of the label that passes, None where that is not known."""
        return passing(replace(self.metric, scale=self.scale))

    @property
    def n_labelled(self) -> int:
        """How many rows have a human label."""
        return int((self.weight > 0).sum())


@dataclass(frozen=True, eq=False)
class Layer:
    """Cells side by side: all systems together, each system, or each pair; ``swapped`` (e,) entries are seen
    from the second system.
    """

    kind: str
    names: tuple[str, ...]
    design: Design
    swapped: NDArray[np.bool_]


def population(study: Study, fitted: CrossFitted, position: int, chance: Floats | None) -> Population:
    """The judged rows of the metric at ``position``; ``chance`` (n,) is by row of what was ``fitted``."""
    observed = fitted.observed
    mine = observed.metric == position
    rows = np.flatnonzero(mine & observed.asked)
    target = observed.target.take(rows)
    k = target.labels_per_row
    labelled = k > 0
    p = np.ones(len(rows)) if chance is None else chance[rows]
    metric = study.metric(observed.encoding.metrics[position])
    bad = np.flatnonzero(labelled & ~((p > 0) & (p <= 1)))
    if len(bad):
        raise UserError(
            f"item '{study.items.ids[observed.item[rows[bad[0]]]]}' is labelled without a chance above 0 and "
            "up to 1 of having been chosen",
            expected="the probability with which each labelled item was sampled",
            fix="fill the column, or name another with --probability ''",
        )
    return Population(
        metric,
        observed.features.scale,
        observed.item[rows],
        target.cluster,
        fitted.predicted[rows],
        target.counts / np.maximum(k, 1)[:, None],
        np.where(labelled, 1 / np.where(p > 0, p, 1.0), 0.0),
        (target.row, target.rater, target.label),
        tuple(
            Verdicts(
                each.judge,
                tuple(_meant(label, metric.scale, observed.features.scale) for label in each.labels),
                each.code[rows],
            )
            for each in observed.features.judges
        ),
        int((mine & ~observed.asked).sum()),
    )


def _meant(label: str, declared: Scale, people: Scale) -> str:
    """A judge's label in people's words: where it admits one verdict only, that verdict."""
    admitted = declared.members(label)
    return next(iter(admitted)) if label not in people.labels and len(admitted) == 1 else label


def all_metrics(study: Study, parts: Sequence[Population]) -> Population:
    """The rows of several metrics, passed or failed; each metric weighs by its judged rows.

    Labelled rows of a metric stand for all its judged rows, be the metric labelled much or little.
    """
    item = np.concatenate([part.item for part in parts])
    codes = [int(part.passing or 0) for part in parts]
    cluster = item if study.items.cluster is None else study.items.cluster[item].astype(np.intp)
    starts = np.cumsum([0, *(len(part.item) for part in parts[:-1])])
    names = dict.fromkeys(judge.judge for part in parts for judge in part.judges)
    labels = [
        (part.labels[0] + start, part.labels[1], (part.labels[2] == code).astype(np.intp))
        for part, start, code in zip(parts, starts.tolist(), codes, strict=True)
    ]

    def passed(tables: Sequence[Floats]) -> Floats:
        share = np.concatenate([table[:, code] for table, code in zip(tables, codes, strict=True)])
        return np.stack([1 - share, share], axis=1)

    return Population(
        Metric(ALL_METRICS, PASSED),
        PASSED,
        item,
        np.unique(cluster, return_inverse=True)[1].astype(np.intp),
        passed([part.predicted for part in parts]),
        passed([part.mean_label for part in parts]),
        np.concatenate([part.weight * len(part.item) / part.weight.sum() for part in parts]),
        tuple(np.concatenate(each) for each in zip(*labels, strict=True)),  # type: ignore[arg-type]
        tuple(Verdicts(name, PASSED.labels, _passed(name, parts, codes)) for name in names),
        0,
    )


def _passed(judge: str, parts: Sequence[Population], codes: Sequence[int]) -> NDArray[np.int32]:
    """Whether ``judge`` passed each row: 0, 1, or 2 where it gave no verdict or one on another scale."""
    found = []
    for part, code in zip(parts, codes, strict=True):
        own = next((each for each in part.judges if each.judge == judge), None)
        if own is None:
            found.append(np.full(len(part.item), 2))
            continue
        good, known = part.scale.labels[code], part.scale.labels
        table = [2 if label not in known else int(label == good) for label in own.labels]
        found.append(np.array([*table, 2])[own.code])
    return np.concatenate(found).astype(np.int32)


def sampling_chance(study: Study, fitted: CrossFitted, column: str) -> Floats | None:
    """Each row's chance of being labelled (n,), NaN where not recorded; None without such a column."""
    if not column:
        return None
    observed = fitted.observed
    if column in study.items.attributes:
        return _numbers(study.items.attributes[column])[observed.item]
    if column not in study.ratings.attributes:
        return None
    stated = _numbers(study.ratings.attributes[column])
    chance = np.full(len(observed), np.nan)
    place = {metric: k for k, metric in enumerate(observed.encoding.metrics)}
    for name, position in place.items():
        ratings = study.rows(name, kind="human")
        of_item = np.full(len(study.items), np.nan)
        of_item[study.ratings.item[ratings]] = stated[ratings]
        mine = observed.metric == position
        chance[mine] = of_item[observed.item[mine]]
    return chance


def _numbers(column: Column) -> Floats:
    values = [as_number(value) for value in column.values]
    return np.array([*(np.nan if value is None else value for value in values), np.nan])[column.codes]


def layers(study: Study, rows: Population) -> Iterator[Layer]:
    """All rows as one cell; each system; each pair of systems where items are pairs."""
    every = np.arange(len(rows.item))
    none = np.zeros(len(every), dtype=np.bool_)
    yield _layer("all", (ALL,), (every, np.zeros_like(every)), none, rows)
    attributes = study.items.attributes
    if rows.scale.kind == "pairwise":
        if {"system_a", "system_b"} <= set(attributes):
            yield from _pairs(attributes["system_a"], attributes["system_b"], rows)
    elif "system" in attributes:
        code = attributes["system"].codes[rows.item].astype(np.intp)
        names, cell = _named(code, attributes["system"].values)
        at = np.flatnonzero(code >= 0)
        if len(names):
            yield _layer("system", names, (at, cell), none[at], rows)


def _pairs(a: Column, b: Column, rows: Population) -> Iterator[Layer]:
    """Every row counts towards both of its systems; and towards their pair, first name first."""
    both = Column.concatenate([a, b])
    n = len(a)
    first, second = both.codes[:n][rows.item].astype(np.intp), both.codes[n:][rows.item].astype(np.intp)
    known = np.flatnonzero((first >= 0) & (second >= 0) & (first != second))
    if not len(known):
        return
    row = np.concatenate([known, known])
    names, cell = _named(np.concatenate([first[known], second[known]]), both.values)
    swapped = np.arange(len(row)) >= len(known)
    yield _layer("system", names, (row, cell), swapped, rows)
    one, two = cell[: len(known)], cell[len(known) :]
    low, high = np.minimum(one, two), np.maximum(one, two)
    used, pair = np.unique(low * len(names) + high, return_inverse=True)
    if 1 < len(used) <= MOST_PAIRS:
        words = tuple(f"{names[key // len(names)]} over {names[key % len(names)]}" for key in used.tolist())
        yield _layer("pair", words, (known, pair.astype(np.intp)), one > two, rows)


def _named(code: Positions, values: tuple[str, ...]) -> tuple[tuple[str, ...], Positions]:
    """The names that occur, in the order of natural text, and each code's place among them; -1 dropped."""
    used = sorted(np.unique(code[code >= 0]).tolist(), key=lambda one: values[one])
    place = np.full(len(values) + 1, -1, dtype=np.intp)
    place[used] = np.arange(len(used))
    return tuple(values[one] for one in used), place[code[code >= 0]]


def _layer(
    kind: str,
    names: tuple[str, ...],
    entries: tuple[Positions, Positions],
    swapped: NDArray[np.bool_],
    rows: Population,
) -> Layer:
    order = np.argsort(entries[1].astype(np.min_scalar_type(len(names))), kind="stable")
    row, cell = (each[order] for each in entries)  # a cell's entries side by side: sums read memory in order
    design = Design.of(row, cell, len(names), cluster=rows.cluster, weight=rows.weight, labels=rows.labels)
    return Layer(kind, names, design, swapped[order])
