"""Who differs from the others? Leniency, leave-one-rater-out agreement, and repeated labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Finding, Missing, Row, Table
from voirdire.checks.limits import capped, within
from voirdire.checks.outcomes import passing
from voirdire.checks.panels import several, stack, values_of
from voirdire.checks.people_agreement import agreed
from voirdire.checks.rater_spammers import spammer_table
from voirdire.checks.rater_tables import pair_table, repeat_table
from voirdire.checks.scales import weights
from voirdire.checks.words import count, listing, number
from voirdire.registry import register
from voirdire.stats import Coded, Estimate, leave_one_rater_out
from voirdire.stats.leniency import leniency
from voirdire.study import Metric

__all__ = ["raters"]

FEWEST = 5
"""Shared items below which a person's figures would say nothing."""
MOST_ROWS = 300
"""Rows of people and metrics; beyond, each person is shown once over all metrics of a scale."""


@dataclass(frozen=True)
class _Group:
    """Metrics of one scale whose people are compared together."""

    title: str
    metrics: tuple[Metric, ...]


@register("check", "raters")
def raters(context: Context) -> Finding | None:
    """Each person against the others on the same items, and against their own repeated labels."""
    found = agreed(context)
    rows = tuple(row for group in _groups(context, list(found)) for row in _rows(context, group))
    tables = [
        table
        for table in (
            _table(rows),
            spammer_table(context, list(found)),
            pair_table(context, list(found)),
            repeat_table(context),
        )
        if table.rows
    ]
    if not tables:
        if not context.audited():
            return None
        answer = "It cannot be said: no item was rated by two people."
        return Finding(
            "raters",
            "Does one person rate unlike the others?",
            answer,
            missing=("a second person on some items",),
        )
    return Finding(
        check="raters",
        question="Does one person rate unlike the others?",
        answer=_answer(rows),
        tables=tuple(tables),
        beware=(
            "Each person is compared with the others on the same items, so harder items do not count "
            "against anyone; with many people, one interval in twenty leaves out 0 by chance.",
        ),
        data={"shown": len(rows)},
    )


def _groups(context: Context, names: Sequence[str]) -> list[_Group]:
    metrics = [context.study.metric(name) for name in names]
    people = sum(len(context.people(name, context.policies(name)[0]).raters) for name in names)
    if people <= MOST_ROWS:
        return [_Group(metric.label, (metric,)) for metric in metrics]
    by_scale: dict[object, list[Metric]] = {}
    for metric in metrics:
        by_scale.setdefault((metric.scale.labels, passing(metric)), []).append(metric)
    return [
        _Group(mine[0].label if len(mine) == 1 else count(len(mine), "metric"), tuple(mine))
        for mine in by_scale.values()
    ]


def _rows(context: Context, group: _Group) -> Iterator[Row]:
    study, metric = context.study, group.metrics[0]
    panels = [context.people(one.name, context.policies(one.name)[0]) for one in group.metrics]
    coded, positions = (
        (panels[0].coded, panels[0].raters) if len(panels) == 1 else stack(panels, study.items.cluster)
    )
    shared = coded.select(several(coded)[coded.item])
    n_shared = np.bincount(shared.rater, minlength=coded.n_raters)
    values, leaning = _leaning(metric, shared)
    lenient = leniency(
        shared.item,
        shared.rater,
        values,
        n_raters=coded.n_raters,
        cluster=coded.cluster,
        level=context.options.level,
    )
    agreement = leave_one_rater_out(shared, **weights(metric.scale), level=context.options.level)
    by_rater = {one.rater: one for one in agreement}
    for rater in np.unique(coded.rater).tolist():
        person = study.raters[positions[rater]]
        cells: dict[str, Cell] = {"rater": person.id, "metric": group.title, "items": int(n_shared[rater])}
        if n_shared[rater] < FEWEST:
            few = Missing("not measurable", f"{count(int(n_shared[rater]), 'item')} shared with others")
            cells |= {"agreement": few, "leniency": few}
        else:
            one = by_rater[rater]
            cells |= {
                "agreement": capped(one.coefficient),
                "raw": within(one.agreement),
                "leniency": lenient[rater],
                "leaning": leaning,
            }
        name = metric.name if len(group.metrics) == 1 else ""
        yield Row(cells, Evidence(name, (person.id,)))


def _leaning(metric: Metric, coded: Coded) -> tuple[NDArray[np.float64], str]:
    """What leniency is measured in: the value, or whether the label is the passing or commonest one."""
    values = values_of(metric.scale)
    if values is not None:
        return values[coded.label], "higher values" if metric.scale.values is not None else "higher labels"
    code = passing(metric)
    if code is None:
        code = int(np.bincount(coded.label, minlength=coded.q).argmax())
    return (coded.label == code).astype(np.float64), f"more '{metric.scale.labels[code]}'"


def _table(rows: tuple[Row, ...]) -> Table:
    columns = (
        Column("rater", "Person"),
        Column("metric", "Metric"),
        Column("items", "Shared items", "count"),
        Column("agreement", "κ with the others", "coefficient"),
        Column("raw", "Raw agreement, same weights", "share"),
        Column("leniency", "Leans by", "difference"),
        Column("leaning", "Towards"),
    )
    caption = "Each person against the other people on the same items; positive leans towards the label named"
    return Table("raters", caption, columns, rows, ("agreement", "leniency"), folded=len(rows) > 20)


def _answer(rows: Sequence[Row]) -> str:
    measured = [row for row in rows if isinstance(row.cells["leniency"], Estimate)]
    if not measured:
        return f"It cannot be said: no person shares {FEWEST} items with others."
    far = [row for row in measured if _leaves_out_zero(row.cells["leniency"])]
    low = [row.cells["agreement"] for row in measured]
    values = [each.value for each in low if isinstance(each, Estimate) and each.undefined is None]
    span = (
        f"; agreement with the others runs from {number(min(values))} to {number(max(values))}"
        if values
        else ""
    )
    if not far:
        return f"No: every interval for leniency holds 0{span}."
    ordered = sorted(far, key=lambda row: -abs(row.cells["leniency"].value))  # type: ignore[union-attr]
    who = listing(list(dict.fromkeys(str(row.cells["rater"]) for row in ordered)), most=3)
    return (
        f"The intervals of {len(far):,} of {len(measured):,} leniency figures leave out 0, the largest by "
        f"{who}{span}."
    )


def _leaves_out_zero(cell: Cell) -> bool:
    return isinstance(cell, Estimate) and cell.has_interval and not cell.low <= 0 <= cell.high
