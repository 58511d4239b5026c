"""Ratings that are numbers or preferences: mean values and win shares by system and slice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Row, Table
from voirdire.checks.panels import values_of
from voirdire.checks.verdict_rows import first_runs
from voirdire.checks.words import spoken
from voirdire.stats import Estimate
from voirdire.stats.clustered import clustered_mean
from voirdire.study import Metric

__all__ = ["by_rater", "extremes", "mean_tables"]

MOST_METRICS = 60
POINTS = {"first": 1.0, "tie": 0.5, "tie_inconsistent": 0.5, "second": 0.0}


def mean_tables(context: Context) -> Iterator[Table]:
    """Mean value of ordinal and numeric metrics, and wins of pairwise ones, by rater and system."""
    judged = set(context.judged())
    metrics = [metric for metric in context.study.metrics if metric.name in judged or not judged]
    means = [
        metric
        for metric in metrics
        if metric.scale.kind in ("ordinal", "numeric") and values_of(metric.scale) is not None
    ]
    rows = tuple(row for metric in means[:MOST_METRICS] for row in _means(context, metric))
    columns = (
        Column("metric", "Metric"),
        Column("rater", "Judge"),
        Column("part", "Part"),
        Column("n", "Verdicts", "count"),
        Column("mean", "Mean value", "coefficient"),
    )
    yield Table("means", "The judge's mean value by system", columns, rows, folded=len(rows) > 12)
    wins = tuple(
        row for metric in metrics if metric.scale.kind == "pairwise" for row in _wins(context, metric)
    )
    columns = (
        Column("metric", "Metric"),
        Column("rater", "Rater"),
        Column("system", "System"),
        Column("n", "Comparisons", "count"),
        Column("wins", "Wins, ties count half", "share"),
    )
    yield Table(
        "wins", "How often each system wins its comparisons", columns, wins, ("wins",), folded=len(wins) > 12
    )


def extremes(tables: Sequence[Table]) -> str:
    """The highest and the lowest system of the first rater and metric that has two systems."""
    for table in (one for one in tables if one.name in ("wins", "means")):
        key, name = ("wins", "system") if table.name == "wins" else ("mean", "part")
        groups: dict[tuple[Cell, Cell], list[tuple[str, Estimate]]] = {}
        for row in table.rows:
            figure = row.cells[key]
            if row.cells[name] != "all" and isinstance(figure, Estimate) and figure.undefined is None:
                who = (row.cells["metric"], row.cells["rater"])
                groups.setdefault(who, []).append((str(row.cells[name]), figure))
        for (metric, rater), found in groups.items():
            if len(found) > 1:
                low, *_, high = sorted(found, key=lambda one: one[1].value)
                what, last = (
                    ("wins most often", "least often")
                    if key == "wins"
                    else ("has the highest mean", "the lowest")
                )
                return (
                    f"On {metric}, by {rater}, {high[0]} {what}, {spoken(high[1])}, and {low[0]} {last}, "
                    f"{spoken(low[1])}."
                )
    return "Means of the labels are in the table; no two systems can be compared."


def _means(context: Context, metric: Metric) -> Iterator[Row]:
    study = context.study
    values = values_of(metric.scale)
    assert values is not None, "asked of scales with numbers only"
    for name, rows in by_rater(context, metric):
        value, item = values[study.ratings.label[rows]], study.ratings.item[rows]
        yield _mean(context, metric, name, "all", value, item)
        column = study.items.attributes.get("system")
        for code, system in enumerate(column.values if column is not None else ()):
            assert column is not None, "systems come from the column"
            mine = column.codes[item] == code
            if 0 < mine.sum() < len(mine):
                yield _mean(context, metric, name, system, value[mine], item[mine])


def _mean(
    context: Context,
    metric: Metric,
    name: str,
    part: str,
    value: NDArray[np.float64],
    item: NDArray[np.int32],
) -> Row:
    where = () if part == "all" else (("system", part),)
    cells: dict[str, Cell] = {
        "metric": metric.label,
        "rater": name,
        "part": part,
        "n": len(value),
        "mean": clustered_mean(value, cluster=context.study.items.units(item), level=context.options.level),
    }
    return Row(cells, Evidence(metric.name, where=where))


def _wins(context: Context, metric: Metric) -> Iterator[Row]:
    study = context.study
    sides = [study.items.attributes.get(name) for name in ("system_a", "system_b")]
    if sides[0] is None or sides[1] is None:
        return
    points = np.array([POINTS.get(label, np.nan) for label in metric.scale.labels])
    systems = list(dict.fromkeys((*sides[0].values, *sides[1].values)))
    for name, rows in by_rater(context, metric, people=True):
        won, item = points[study.ratings.label[rows]], study.ratings.item[rows]
        for system in systems:
            first, second = sides[0].equals(system)[item], sides[1].equals(system)[item]
            score = np.where(first, won, 1 - won)
            mine = (first ^ second) & ~np.isnan(won)
            if mine.any():
                share = clustered_mean(
                    score[mine], cluster=context.study.items.units(item[mine]), level=context.options.level
                )
                cells: dict[str, Cell] = {
                    "metric": metric.label,
                    "rater": name,
                    "system": system,
                    "n": int(mine.sum()),
                }
                yield Row(cells | {"wins": share}, Evidence(metric.name))


def by_rater(
    context: Context, metric: Metric, *, people: bool = False
) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """The rows of each judge, and of all people where there is no judge or they are asked for."""
    study = context.study
    judges = study.judges_of(metric.name)
    rows = first_runs(context, study.rows(metric.name))
    for judge in judges:
        yield study.raters[judge].id, rows[study.ratings.rater[rows] == judge]
    human = study.is_kind("human")[study.ratings.rater[rows]]
    if human.any() and (people or not judges):
        yield "people", rows[human]
