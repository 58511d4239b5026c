"""Were the judged items easy? Agreement where people are unanimous, and where they split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Finding, Row, Table
from voirdire.checks.limits import capped, within
from voirdire.checks.panels import as_judge, same_label_pairs, several, unanimous
from voirdire.checks.scales import weights
from voirdire.checks.stand_in_cases import Case, cases
from voirdire.checks.words import listing, percent, share
from voirdire.registry import register
from voirdire.stats import judge_agreement
from voirdire.stats.proportion import wilson_interval

__all__ = ["selection"]


@dataclass(frozen=True)
class _Chosen:
    """Unanimous and all items with several people, of the ``judged`` and of those ``left``; and their row."""

    judged: tuple[int, int]
    left: tuple[int, int]
    row: Row


@register("check", "selection")
def selection(context: Context) -> Finding | None:
    """The judge on unanimous and split items, and whether judged items are the more unanimous."""
    compared = [one for one in cases(context) if one.compared]
    if not compared:
        return None
    # one of many metrics looks chosen by chance: the level is shared among them
    level = 1 - (1 - context.options.level) / len(compared)
    chosen = tuple(made for one in compared if (made := _chosen(context, one, level)) is not None)
    rows = tuple(row for one in compared for row in _rows(context, one))
    flattering = [one.row for one in chosen if one.row.cells["flattering"] == "yes"]
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("part", "People"),
        Column("items", "Items", "count"),
        Column("raw", "Raw agreement, same weights", "share"),
        Column("judge_person", "Judge–person κ", "coefficient"),
    )
    tables = (
        Table(
            "selection", "The judge where people are unanimous and where they split", columns, rows, ("raw",)
        ),
        _chosen_table(tuple(one.row for one in chosen)),
    )
    return Finding(
        check="selection",
        question="Were the judged items easy?",
        answer=_answer(context, compared, flattering, chosen),
        tables=tuple(table for table in tables if table.rows),
        beware=(
            "Agreement on items that were chosen because people agreed on them is higher than on items "
            "as they come.",
        ),
        data={"flattering": len(flattering)},
    )


def _rows(context: Context, one: Case) -> Iterator[Row]:
    panel = context.people(one.metric)
    same, many = unanimous(panel.coded), several(panel.coded)
    verdicts = as_judge(context.verdicts(one.metric, one.judge))
    for name, items in (("unanimous", same), ("split", many & ~same)):
        found = judge_agreement(
            panel.coded.select(items[panel.coded.item]),
            verdicts,
            **weights(panel.scale),
            level=context.options.level,
        )
        cells: dict[str, Cell] = {
            "metric": panel.metric.label,
            "judge": context.study.raters[one.judge].id,
            "part": name,
            "items": found.agreement.n_items,
            "raw": within(found.agreement),
            "judge_person": capped(found.coefficient),
        }
        yield Row(cells, Evidence(metric=one.metric))


def _chosen(context: Context, one: Case, level: float) -> _Chosen | None:
    """Judged beside unjudged items of a metric on which the judge left some out."""
    panel = context.people(one.metric)
    many, given = several(panel.coded), context.verdicts(one.metric, one.judge).given
    judged, left = many & given, many & ~given
    if judged.sum() < 5 or left.sum() < 5:
        return None
    same = unanimous(panel.coded)
    inside, outside = (panel.coded.select(items[panel.coded.item]) for items in (judged, left))
    pairs, others = same_label_pairs(inside), same_label_pairs(outside)
    x, n, y, m = int(same[judged].sum()), int(judged.sum()), int(same[left].sum()), int(left.sum())
    low = float(wilson_interval(x, n, level=level)[0])
    high = float(wilson_interval(y, m, level=level)[1])
    # Newcombe's interval of a difference of two shares: it lies above 0 exactly when this holds
    gap = x / n - y / m
    reach = float(np.hypot(x / n - low, high - y / m))
    cells: dict[str, Cell] = {
        "metric": panel.metric.label,
        "judge": context.study.raters[one.judge].id,
        "judged": share(x, n),
        "left": share(y, m),
        "judged_pairs": percent(pairs.share, pairs.total),
        "left_pairs": percent(others.share, others.total),
        "flattering": "yes" if gap > reach else "not shown",
    }
    return _Chosen((x, n), (y, m), Row(cells, Evidence(metric=one.metric)))


def _chosen_table(rows: tuple[Row, ...]) -> Table:
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("judged", "Unanimous, judged items"),
        Column("left", "Unanimous, other items"),
        Column("judged_pairs", "Same label, judged"),
        Column("left_pairs", "Same label, others"),
        Column("flattering", "More unanimous than the rest"),
    )
    return Table("judged_items", "Items that were judged beside items that were not", columns, rows)


def _answer(
    context: Context, compared: Sequence[Case], flattering: Sequence[Row], chosen: Sequence[_Chosen]
) -> str:
    if flattering:
        who = listing(list(dict.fromkeys(str(row.cells["metric"]) for row in flattering)), most=3)
        row = flattering[0]
        return (
            f"Yes: on {who} people are unanimous on {row.cells['judged']} of the judged items and on "
            f"{row.cells['left']} of the others, so agreement there is flattering."
        )
    panels = [context.people(name).coded for name in dict.fromkeys(one.metric for one in compared)]
    items, same = (sum(int(which(coded).sum()) for coded in panels) for which in (several, unanimous))
    if not chosen:
        return (
            f"The judge saw all of them: people are unanimous on {share(same, items)} of the items with "
            "several people."
        )
    judged, left = (
        np.sum(part, axis=0).tolist()
        for part in zip(*((one.judged, one.left) for one in chosen), strict=True)
    )
    return (
        f"Not shown: people are unanimous on {share(*judged)} of the judged items and on "
        f"{share(*left)} of the others, a difference that chance can make."
    )
