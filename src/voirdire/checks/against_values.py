"""Scores that are numbers: does the judge's value follow the people's mean, in order, line and sign?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Row, Table
from voirdire.checks.panels import item_means, values_of
from voirdire.checks.stand_in_cases import Case
from voirdire.checks.words import count
from voirdire.stats.concordance import concordance_correlation
from voirdire.stats.correlation import pearson, spearman
from voirdire.stats.proportion import proportion

__all__ = ["judge_values", "value_table"]


def value_table(context: Context, every: Sequence[Case]) -> Table:
    """One row a metric and judge, and one for the mean of several judges, against the mean person."""
    metrics: dict[str, list[int]] = {}
    for one in every:
        scale = context.study.metric(one.metric).scale
        if scale.kind in ("ordinal", "numeric") and values_of(scale) is not None:
            metrics.setdefault(one.metric, []).append(one.judge)
    rows = tuple(row for metric, judges in metrics.items() for row in _rows(context, metric, judges))
    columns = [
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("items", "Items", "count"),
        Column("spearman", "Spearman", "coefficient"),
        Column("pearson", "Pearson", "coefficient"),
        Column("ccc", "Lin's CCC", "coefficient"),
    ]
    if any("direction" in row.cells for row in rows):
        columns += [
            Column("same_sign", "Same sign"),
            Column("direction", "Share with the same sign", "share"),
        ]
    caption = "The judge's value against the mean of the people's values, item by item"
    return Table("values", caption, tuple(columns), rows, ("spearman",))


def judge_values(context: Context, metric: str, judge: int) -> NDArray[np.float64]:
    """The judge's mean value over runs on each item of the people's panel (n_items,), NaN without one."""
    verdicts = context.verdicts(metric, judge)
    values = values_of(verdicts.scale)
    assert values is not None, "asked of scales with numbers only"
    return verdicts.means(values)


def _rows(context: Context, metric: str, judges: Sequence[int]) -> Iterator[Row]:
    panel = context.people(metric)
    values = values_of(panel.scale)
    assert values is not None, "asked of scales with numbers only"
    people = item_means(panel.coded, values)
    each = [judge_values(context, metric, judge) for judge in judges]
    names = [context.study.raters[judge].id for judge in judges]
    if len(each) > 1:
        # a panel's mean over those judges that answered would compare items unlike each other
        each.append(np.mean(each, axis=0))
        names.append(f"mean of {count(len(judges), 'judge')}")
    signed = bool((values < 0).any() and (values > 0).any())
    for name, judge in zip(names, each, strict=True):
        yield _row(context, metric, name, judge, people, signed)


def _row(
    context: Context,
    metric: str,
    name: str,
    judge: NDArray[np.float64],
    people: NDArray[np.float64],
    signed: bool,
) -> Row:
    level, both = context.options.level, ~np.isnan(judge) & ~np.isnan(people)
    cells: dict[str, Cell] = {
        "metric": context.study.metric(metric).label,
        "judge": name,
        "items": int(both.sum()),
        "spearman": spearman(judge, people, level=level),
        "pearson": pearson(judge, people, level=level),
        "ccc": concordance_correlation(judge, people, level=level),
    }
    if signed:
        same = int((np.sign(judge[both]) == np.sign(people[both])).sum())
        n = int(both.sum())
        cells |= {"same_sign": f"{same:,} of {n:,}", "direction": proportion(same, n, level=level)}
    return Row(cells, Evidence(metric=metric))
