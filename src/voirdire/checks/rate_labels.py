"""Labels without a passing one and without numbers: how often each is given."""

from __future__ import annotations

from collections.abc import Iterator

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Row, Table
from voirdire.checks.outcomes import passing
from voirdire.checks.panels import values_of
from voirdire.checks.rate_means import by_rater
from voirdire.checks.shares import share_of
from voirdire.checks.words import count, percent
from voirdire.study import Metric

__all__ = ["commonest", "label_table"]

MOST_METRICS = 60
MOST_LABELS = 30


def label_table(context: Context) -> Table:
    """The share of each label, by metric and rater, on scales of words that say neither pass nor a number."""
    judged = set(context.judged())
    metrics = [
        metric
        for metric in context.study.metrics
        if (metric.name in judged or not judged)
        and metric.scale.kind not in ("ordinal", "numeric", "pairwise")
        and len(metric.scale.labels) <= MOST_LABELS
        and values_of(metric.scale) is None
        and passing(metric) is None
    ]
    rows = tuple(row for metric in metrics[:MOST_METRICS] for row in _rows(context, metric))
    columns = (
        Column("metric", "Metric"),
        Column("rater", "Who"),
        Column("label", "Label"),
        Column("n", "Labels in all", "count"),
        Column("share", "Share", "share"),
    )
    return Table("labels", "How often each label is given", columns, rows, ("share",), folded=len(rows) > 12)


def commonest(table: Table) -> str:
    """The sentence of the first metric's and rater's commonest label."""
    first = table.rows[0].cells
    mine = [
        row.cells
        for row in table.rows
        if (row.cells["metric"], row.cells["rater"]) == (first["metric"], first["rater"])
    ]
    top = max(mine, key=lambda cells: cells["share"].value)  # type: ignore[union-attr]
    n = int(str(first["n"]))
    said = percent(top["share"].value, n)  # type: ignore[union-attr]
    return f"On {first['metric']} {said} of {count(n, 'label')} by {first['rater']} are '{top['label']}'."


def _rows(context: Context, metric: Metric) -> Iterator[Row]:
    study = context.study
    for name, rows in by_rater(context, metric):
        labels, item = study.ratings.label[rows], study.ratings.item[rows]
        cluster = study.items.units(item)
        evidence = Evidence(metric.name, () if name == "people" else (name,))
        for code, label in enumerate(metric.scale.labels):
            share = share_of(labels == code, cluster=cluster, level=context.options.level)
            cells: dict[str, Cell] = {"metric": metric.label, "rater": name, "label": label}
            yield Row(cells | {"n": len(rows), "share": share}, evidence)
