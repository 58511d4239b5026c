"""Does a pairwise judge look at the answers or at their places?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Finding, Row, Table
from voirdire.checks.position_pairs import Both, both_orders, inconsistent_labels, presented
from voirdire.checks.shares import share_of
from voirdire.checks.words import count, percent, share
from voirdire.registry import register
from voirdire.stats import Estimate
from voirdire.stats.position import FIRST, SECOND, TIE, first_win_share, position_consistency
from voirdire.study import Metric

__all__ = ["position"]


@register("check", "position")
def position(context: Context) -> Finding | None:
    """Consistency over both orders, and how often the answer shown first wins, by judge and people."""
    metrics = [metric for metric in context.study.metrics if metric.scale.kind == "pairwise"]
    if not metrics:
        return None
    swapped = [row for metric in metrics for row in _swapped(context, metric)]
    wins = tuple(row for metric in metrics for row in _wins(context, metric))
    tables = (_swap_table(tuple(swapped)), _win_table(wins))
    gap = () if swapped else ("both orders of a pair: the judge saw each pair in one order",)
    return Finding(
        check="position",
        question="Does the order of the answers matter?",
        answer=_answer(swapped, wins),
        tables=tuple(table for table in tables if table.rows),
        beware=(
            "The better answer may stand first more often: people's share beside the judge's tells place "
            "from quality.",
        ),
        missing=gap,
        data={"both_orders": len(swapped)},
    )


def _swapped(context: Context, metric: Metric) -> Iterator[Row]:
    for judge in context.study.judges_of(metric.name):
        name = context.study.raters[judge].id
        marked = inconsistent_labels(context, metric, judge)
        if marked is not None:
            flips, cluster = marked
            yield _marked_row(context, metric, name, flips, cluster)
            continue
        both = both_orders(context, metric, judge)
        if both is not None:
            yield _swap_row(context, metric, name, both)


def _marked_row(
    context: Context, metric: Metric, name: str, flips: NDArray[np.bool_], cluster: NDArray[np.intp] | None
) -> Row:
    cells: dict[str, Cell] = {
        "metric": metric.label,
        "judge": name,
        "pairs": len(flips),
        "same": share(int((~flips).sum()), len(flips)),
        "consistent": share_of(~flips, cluster=cluster, level=context.options.level),
    }
    return Row(
        cells, Evidence(metric.name, (name,)), note="the file marks verdicts that changed with the order"
    )


def _swap_row(context: Context, metric: Metric, name: str, both: Both) -> Row:
    found = position_consistency(both.shown, both.swapped, cluster=both.cluster, level=context.options.level)
    n = found.consistent.n_items
    cells: dict[str, Cell] = {
        "metric": metric.label,
        "judge": name,
        "pairs": n,
        "same": share(round(found.consistent.value * n), n),
        "consistent": found.consistent,
        "favours_first": found.favours_first,
        "favours_second": found.favours_second,
    }
    return Row(cells, Evidence(metric.name, (name,)))


def _swap_table(rows: tuple[Row, ...]) -> Table:
    columns = [
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("pairs", "Pairs, both orders", "count"),
        Column("same", "Same winner"),
        Column("consistent", "Consistent", "share"),
    ]
    if any("favours_first" in row.cells for row in rows):
        columns += [
            Column("favours_first", "First place twice", "share"),
            Column("favours_second", "Second place twice", "share"),
        ]
    return Table("swapped", "The same pair in both orders", tuple(columns), rows, ("consistent",))


def _wins(context: Context, metric: Metric) -> Iterator[Row]:
    """Share of wins of the answer shown first, of each judge and of all people together."""
    study = context.study
    codes = {"first": FIRST, "second": SECOND}
    table = np.array([codes.get(label, TIE) for label in metric.scale.labels], dtype=np.int64)
    order = presented(context)
    for name, raters, rows in _voters(context, metric):
        verdict = table[study.ratings.label[rows]]
        swapped = order[rows] if order is not None else np.zeros(len(rows), dtype=bool)
        shown = np.where(swapped & (verdict != TIE), 1 - verdict, verdict)
        item = study.ratings.item[rows]
        groups = study.items.units(item)
        wins = first_win_share(shown, cluster=groups, level=context.options.level)
        cells: dict[str, Cell] = {
            "metric": metric.label,
            "rater": name,
            "n": int((shown != TIE).sum()),
            "first": wins,
        }
        yield Row(cells, Evidence(metric.name, raters))


def _voters(context: Context, metric: Metric) -> Iterator[tuple[str, tuple[str, ...], NDArray[np.intp]]]:
    study = context.study
    for judge in study.judges_of(metric.name):
        rows = study.rows(metric.name, kind="judge")
        yield study.raters[judge].id, (study.raters[judge].id,), rows[study.ratings.rater[rows] == judge]
    rows = study.rows(metric.name, kind="human")
    if len(rows):
        yield "people", (), rows


def _win_table(rows: tuple[Row, ...]) -> Table:
    columns = (
        Column("metric", "Metric"),
        Column("rater", "Who"),
        Column("n", "Verdicts with a winner", "count"),
        Column("first", "The first answer wins", "share"),
    )
    return Table(
        "first_wins", "How often the answer shown first wins; ties left out", columns, rows, ("first",)
    )


def _answer(swapped: Sequence[Row], wins: Sequence[Row]) -> str:
    if swapped:
        worst = min(swapped, key=lambda row: _value(row.cells["consistent"]))
        flips = 1 - _value(worst.cells["consistent"])
        pairs = int(str(worst.cells["pairs"]))
        return (
            f"{worst.cells['judge']} changed its verdict with the order on {percent(flips, pairs)} of "
            f"{count(pairs, 'pair')}."
        )
    shares = [row for row in wins if isinstance(row.cells["first"], Estimate)]
    said = ", ".join(
        f"{percent(_value(row.cells['first']), int(str(row.cells['n'])))} for {row.cells['rater']}"
        for row in shares[:4]
    )
    return (
        f"Each pair was judged in one order. The first answer wins {said}."
        if said
        else "No verdict has a winner."
    )


def _value(cell: Cell) -> float:
    assert isinstance(cell, Estimate), "the tables of this check hold estimates here"
    return cell.value
