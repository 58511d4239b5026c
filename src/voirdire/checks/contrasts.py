"""Matched slices: items that differ in one attribute alone, such as age, compared pair by pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Row, Table
from voirdire.checks.verdict_rows import VerdictRows
from voirdire.checks.words import count
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.mcnemar import paired_difference
from voirdire.stats.multiplicity import adjusted_p_values

__all__ = ["Matched", "contrast_tables", "contrast_values", "matched"]

LARGEST = 10
"""Metrics listed at each end."""
FEWEST = 5
"""Pairs of a metric below which its contrast is not ranked."""


@dataclass(frozen=True, eq=False)
class Matched:
    """Verdicts in pairs that differ in ``attribute`` alone: ``first``, ``second``, ``metric`` are (n,)."""

    attribute: str
    values: tuple[str, str]
    first: NDArray[np.bool_]
    second: NDArray[np.bool_]
    metric: NDArray[np.intp]

    @property
    def name(self) -> str:
        """The contrast in words: the first value minus the second."""
        return f"{self.values[0]} minus {self.values[1]}"


def contrast_tables(context: Context, rows: VerdictRows, who: str) -> Iterator[Table]:
    """For every attribute that items are matched on: over all metrics, and the largest contrasts."""
    found = [one for name in context.study.slice_by if (one := matched(context, rows, name)) is not None]
    overall = tuple(_overall(context, one) for one in found)
    columns = (
        Column("contrast", "Contrast"),
        Column("pairs", "Pairs", "count"),
        Column("difference", "Difference of pass rates", "points"),
    )
    yield Table(
        f"contrasts_{who}", "Matched pairs of items, over all metrics", columns, overall, ("difference",)
    )
    for one in found:
        yield _largest(context, one, who)


def contrast_values(context: Context, rows: VerdictRows) -> dict[str, dict[str, float]]:
    """Every matched attribute's difference of pass rates on each metric, by name."""
    found = {}
    for name in context.study.slice_by:
        one = matched(context, rows, name)
        if one is not None:
            n = np.bincount(one.metric, minlength=len(context.study.metrics))
            gap = np.bincount(one.metric, one.first.astype(np.float64) - one.second, minlength=len(n))
            values = {
                context.study.metrics[code].name: float(gap[code] / n[code]) for code in np.flatnonzero(n)
            }
            found[f"{name}: {one.name}"] = values
    return found


def matched(context: Context, rows: VerdictRows, attribute: str) -> Matched | None:
    """Verdicts paired on metric, rater and all other attributes, or None where few have a partner."""
    column = context.study.items.attributes.get(attribute)
    if column is None or len(column.values) != 2:
        return None
    key = _same_but(context, rows, attribute)
    side = column.codes[rows.item]
    unit = (key[rows.item] * len(context.study.metrics) + rows.metric) * len(
        context.study.raters
    ) + rows.rater
    halves = [np.flatnonzero(side == code) for code in (0, 1)]
    uniques = [np.unique(unit[half], return_index=True) for half in halves]
    # two items of one value with the same key are no pair: the key does not tell them apart
    if any(len(ids) < len(half) for (ids, _), half in zip(uniques, halves, strict=True)):
        return None
    _, one, two = np.intersect1d(uniques[0][0], uniques[1][0], assume_unique=True, return_indices=True)
    if len(one) < max(FEWEST, 0.5 * min(len(half) for half in halves)):
        return None
    first, second = halves[0][uniques[0][1][one]], halves[1][uniques[1][1][two]]
    values = (column.values[0], column.values[1])
    return Matched(attribute, values, rows.passed[first], rows.passed[second], rows.metric[first])


def _same_but(context: Context, rows: VerdictRows, attribute: str) -> NDArray[np.int64]:
    """A number an item (n_items,), the same for items that share every attribute but ``attribute``.

    A column that repeats the verdict is left out: items matched on their outcome would never differ.
    """
    items = context.study.items
    key = np.zeros(len(items), dtype=np.int64)
    for name, column in items.attributes.items():
        usable = name != attribute and len(column.values) < len(items)
        if usable and not _repeats_verdict(rows, column.codes[rows.item]):
            key = np.unique(key * (len(column.values) + 1) + column.codes + 1, return_inverse=True)[1].astype(
                np.int64
            )
    return key


def _repeats_verdict(rows: VerdictRows, code: NDArray[np.int32]) -> bool:
    """Whether within every metric the attribute settles the outcome, though outcomes vary."""
    known = code >= 0
    metric, passed = rows.metric[known], rows.passed[known]
    cells = np.unique((metric * (int(code.max(initial=0)) + 1) + code[known]) * 2 + passed)
    settled = len(np.unique(cells // 2)) == len(cells)
    outcomes = np.unique(metric * 2 + passed)
    return settled and len(outcomes) > len(np.unique(metric))


def _overall(context: Context, one: Matched) -> Row:
    gap = one.first.astype(np.float64) - one.second
    several = len(np.unique(one.metric)) > 1
    cells: dict[str, Cell] = {
        "contrast": f"{one.attribute}: {one.name}",
        "pairs": len(gap),
        "difference": clustered_mean(
            gap, cluster=one.metric if several else None, level=context.options.level
        ),
    }
    return Row(cells, Evidence())


def _largest(context: Context, one: Matched, who: str) -> Table:
    width = len(context.study.metrics)
    n = np.bincount(one.metric, minlength=width)
    only_first = np.bincount(one.metric, one.first & ~one.second, minlength=width).astype(np.int64)
    only_second = np.bincount(one.metric, one.second & ~one.first, minlength=width).astype(np.int64)
    ranked = np.flatnonzero(n >= FEWEST)
    gap = (only_first - only_second)[ranked] / n[ranked]
    apart = only_first[ranked] + only_second[ranked]
    fewer = np.minimum(only_first[ranked], only_second[ranked])
    exact = np.minimum(1.0, 2 * bdtr(fewer, apart, 0.5))
    adjusted = adjusted_p_values(exact) if len(exact) else exact
    rows = []
    order = np.argsort(-gap, kind="stable")
    shown = order if len(order) <= 2 * LARGEST else np.concatenate([order[:LARGEST], order[::-1][:LARGEST]])
    for place in shown.tolist():
        code = int(ranked[place])
        metric = context.study.metrics[code]
        table = np.array([[0, only_first[code]], [only_second[code], n[code] - apart[place]]])
        mine = one.metric == code
        cells: dict[str, Cell] = {
            "metric": metric.label,
            "pairs": int(n[code]),
            "first": f"{int(one.first[mine].sum()):,} of {int(n[code]):,}",
            "second": f"{int(one.second[mine].sum()):,} of {int(n[code]):,}",
            "difference": paired_difference(table, level=context.options.level),
            "p": float(adjusted[place]),
        }
        rows.append(Row(cells, Evidence(metric=metric.name)))
    columns = (
        Column("metric", "Metric"),
        Column("pairs", "Pairs", "count"),
        Column("first", f"{one.values[0].capitalize()} pass"),
        Column("second", f"{one.values[1].capitalize()} pass"),
        Column("difference", "Difference", "points"),
        Column("p", "p, corrected for all metrics", "p"),
    )
    caption = (
        f"{one.attribute}, {one.name}: the ends of {count(len(ranked), 'metric')}, picked for their size, "
        "so read the corrected p"
    )
    return Table(
        f"contrast_{one.attribute}_{who}", caption, columns, tuple(rows), ("difference",), folded=True
    )
