"""How far systems lie apart, and each system's lowest metric."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Missing, Row, Table
from voirdire.checks.shares import share_of
from voirdire.checks.verdict_rows import VerdictRows
from voirdire.stats import Estimate
from voirdire.stats.clustered import clustered_mean

__all__ = ["lowest_table", "spread_table"]

FEWEST = 10
"""Verdicts of a system on a metric below which its rate there is not ranked."""


def spread_table(context: Context, rows: VerdictRows, who: str) -> Table:
    """Highest minus lowest system, over all metrics and by polarity, paired by metric."""
    polarity = np.array([metric.polarity for metric in context.study.metrics], dtype=object)[rows.metric]
    found = []
    for name in ("all", "positive", "negative"):
        mine = rows if name == "all" else rows.take(polarity == name)
        row = _spread(context, mine, name) if len(mine) else None
        if row is not None:
            found.append(row)
    columns = (
        Column("part", "Metrics"),
        Column("highest", "Highest"),
        Column("lowest", "Lowest"),
        Column("points", "Highest minus lowest", "points"),
    )
    caption = (
        "Spread over systems; the two were picked for being furthest apart, so the interval of their "
        "difference is too kind"
    )
    return Table(f"spread_{who}", caption, columns, tuple(found), ("points",))


def lowest_table(context: Context, rows: VerdictRows, who: str) -> Table:
    """The metric on which each system passes least often."""
    column = context.study.items.attributes["system"]
    system, width = column.codes[rows.item], len(context.study.metrics)
    known = system >= 0
    cell = system[known].astype(np.int64) * width + rows.metric[known]
    n = np.bincount(cell, minlength=len(column.values) * width).reshape(-1, width)
    hits = np.bincount(cell, rows.passed[known], minlength=len(column.values) * width)
    columns = (
        Column("system", "System"),
        Column("metric", "Lowest metric"),
        Column("n", "Verdicts", "count"),
        Column("rate", "Pass rate", "rate"),
    )
    found = tuple(_lowest(context, n, hits.astype(np.int64).reshape(-1, width)))
    return Table(f"lowest_{who}", "Each system's lowest metric", columns, found, folded=True)


def _lowest(context: Context, n: NDArray[np.intp], passed: NDArray[np.int64]) -> Iterator[Row]:
    for system, name in enumerate(context.study.items.attributes["system"].values):
        enough = n[system] >= FEWEST
        if not enough.any():
            continue
        rate = np.where(enough, passed[system] / np.maximum(n[system], 1), np.inf)
        metric = int(rate.argmin())
        hits = np.arange(n[system, metric]) < passed[system, metric]
        cells: dict[str, Cell] = {
            "system": name,
            "metric": context.study.metrics[metric].label,
            "n": int(n[system, metric]),
            "rate": share_of(hits, level=context.options.level),
        }
        yield Row(cells, Evidence(context.study.metrics[metric].name, where=(("system", name),)))


def _spread(context: Context, rows: VerdictRows, name: str) -> Row | None:
    column = context.study.items.attributes["system"]
    code = column.codes[rows.item]
    n = np.bincount(code[code >= 0], minlength=len(column.values))
    if (n > 0).sum() < 2:
        return None
    rate = np.bincount(code[code >= 0], rows.passed[code >= 0], minlength=len(n)) / np.maximum(n, 1)
    high, low = int(np.where(n > 0, rate, -1).argmax()), int(np.where(n > 0, rate, 2).argmin())
    cells: dict[str, Cell] = {
        "part": name,
        "highest": column.values[high],
        "lowest": column.values[low],
        "points": _difference(context, rows, code, (high, low), float(rate[high] - rate[low])),
    }
    return Row(cells, Evidence())


def _difference(
    context: Context, rows: VerdictRows, code: NDArray[np.int32], pair: tuple[int, int], value: float
) -> Estimate | Missing:
    """The difference of two systems' rates; metrics are the clusters where both were judged on several."""
    width = len(context.study.metrics)
    sums, n = np.zeros((2, width)), np.zeros((2, width))
    for side, system in enumerate(pair):
        mine = code == system
        n[side] = np.bincount(rows.metric[mine], minlength=width)
        sums[side] = np.bincount(rows.metric[mine], rows.passed[mine], minlength=width)
    both = (n > 0).all(axis=0)
    if both.sum() < 2 or (n[0] != n[1]).any():
        return Estimate(value, n_items=int(n.sum()), no_interval="insufficient_items")
    # every metric weighs as its verdicts do, the same for both systems
    gaps = np.repeat((sums[0] - sums[1])[both] / n[0][both], n[0][both].astype(np.int64))
    metric = np.repeat(np.arange(int(both.sum())), n[0][both].astype(np.int64))
    return clustered_mean(gaps, cluster=metric, level=context.options.level)
