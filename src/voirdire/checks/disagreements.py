"""Where does the judge contradict people who are sure? The worst disagreements, to be read."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.coverage import units
from voirdire.checks.finding import Cell, Column, Evidence, Finding, LabelCounts, Row, Table
from voirdire.checks.scales import weights
from voirdire.checks.stand_in_cases import Case, cases
from voirdire.checks.words import count
from voirdire.registry import register
from voirdire.stats import agreement_weights

__all__ = ["disagreements"]

MOST_CELLS = 20_000_000
"""Items times labels of a metric beyond which it is left out: no label of a continuous score is sure."""

Found = tuple[float, int, int, int]
"""Badness, minus the item of its panel, minus the position of the case, people: sorts as wanted."""


@register("check", "disagreements")
def disagreements(context: Context) -> Finding | None:
    """Items on which many people agree with each other and the judge is far from all of them."""
    every = [one for one in cases(context) if one.rated_items]
    if not every:
        return None
    worst: list[Found] = []
    total = 0
    for position, one in enumerate(every):
        found, n = _worst(context, one, position)
        total += n
        worst = heapq.nlargest(context.options.worst, worst + found)
    rows = tuple(_row(context, every[-place], -item) for _, item, place, _ in worst)
    return Finding(
        check="disagreements",
        question="Where does the judge contradict people who are sure?",
        answer=_answer(every, rows, total, units(context).noun),
        tables=(_table(context, rows),) if rows else (),
        beware=(
            "Worst first: by how far the judge is from people, times how sure they are, which grows with "
            "their number.",
        ),
        data={"against_all": total},
    )


def _worst(context: Context, one: Case, position: int) -> tuple[list[Found], int]:
    """The worst items of one case, and how many there are on which all people contradict the judge."""
    panel = context.people(one.metric)
    coded = panel.coded
    if coded.n_items * coded.q > MOST_CELLS:
        return [], 0
    counts = coded.counts()
    n = counts.sum(axis=1)
    shares = counts / np.maximum(n, 1)[:, None]
    v = 1 - agreement_weights(coded, **weights(panel.scale))
    judge = context.verdicts(one.metric, one.judge).shares
    given = (judge.sum(axis=1) > 0) & (n > 0)
    apart = ((judge @ v) * shares).sum(axis=1)
    split = ((shares @ v) * shares).sum(axis=1)
    # n / (n + 1): two people who agree are surer than one, twenty not ten times as sure as two
    badness = np.where(given, (apart - split) * n / (n + 1), 0.0)
    against_all = given & (n >= 2) & (counts.max(axis=1) == n) & (apart > 0)
    most = min(context.options.worst, len(badness))
    first = np.argsort(-badness, kind="stable")[:most]
    found = [
        (float(badness[item]), -item, -position, int(n[item])) for item in first.tolist() if badness[item] > 0
    ]
    return found, int(against_all.sum())


def _row(context: Context, one: Case, item: int) -> Row:
    study = context.study
    panel, verdicts = context.people(one.metric), context.verdicts(one.metric, one.judge)
    coded = panel.coded
    counts = np.bincount(coded.label[coded.item == item], minlength=coded.q)
    position = int(panel.items[item])
    name = study.items.ids[position]
    cells: dict[str, Cell] = {
        "item": name,
        "metric": panel.metric.label,
        "people": LabelCounts(
            {label: int(k) for label, k in zip(panel.scale.labels, counts, strict=True) if k}
        ),
        "judge": panel.scale.labels[int(verdicts.codes[item])],
        "rater": study.raters[one.judge].id,
    }
    text = study.items.said(position)
    if text is not None:
        cells["text"] = text
    return Row(cells, Evidence(one.metric, items=(name,)))


def _table(context: Context, rows: tuple[Row, ...]) -> Table:
    columns = [
        Column("item", "Item", "item"),
        Column("metric", "Metric"),
        Column("people", "People", "labels"),
        Column("judge", "Judge said"),
    ]
    if len({row.cells["rater"] for row in rows}) > 1:
        columns.append(Column("rater", "Judge"))
    if any("text" in row.cells for row in rows):
        columns.append(Column("text", "Text", "prose"))
    return Table(
        "worst", f"The {count(len(rows), 'worst disagreement')}", tuple(columns), rows, folded=len(rows) > 20
    )


def _answer(every: Sequence[Case], rows: Sequence[Row], total: int, noun: str) -> str:
    if not rows:
        return "Nowhere: on every item the judge gave the people's label."
    several = sum(one.n_items for one in every)
    several_judges = len({one.judge for one in every}) > 1
    what = "verdict" if several_judges else noun
    if not several:
        return f"{count(len(rows), 'item')} to read: each has one person, who may be the one to be wrong."
    return (
        f"On {total:,} of {count(several, what)} {'on items ' if several_judges else ''}with several people, "
        "all of them agree and the judge says otherwise."
    )
