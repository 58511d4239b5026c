"""Does a judge of pairs like long answers more than people do?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Missing, Row, Table
from voirdire.checks.preference_votes import PEOPLE, Votes
from voirdire.stats import Estimate, length_controlled_win_rate
from voirdire.stats.clustered import clustered_mean
from voirdire.study import Column as Values

__all__ = ["baseline_table", "length_differences", "length_table"]

Floats = NDArray[np.float64]

ANSWER = re.compile(r"response|answer|output|completion|reply|generation|summary|text", re.IGNORECASE)
LENGTH = re.compile(r"len|words|tokens|chars", re.IGNORECASE)
SIDES = (("1", "2"), ("_a", "_b"), ("first", "second"))
"""What tells the two columns of a pair apart: the first system's, and the second's."""
FEWEST = 20
"""Items below which nothing is said about length."""


def length_differences(context: Context) -> tuple[Floats, str] | None:
    """Length of the first system's answer minus the second's (n_items,), and what it was measured in.

    From two columns of lengths (``length_a``, ``length_b``), else of texts (``response1``, ``response2``), in
    characters. None where there are no such columns.
    """
    items = context.study.items
    named = _pair(items.attributes, LENGTH)
    if named is not None:
        first, second = (_numbers(items.attributes[name]) for name in named)
        return first - second, f"{named[0]} minus {named[1]}"
    written = _pair(items.texts, ANSWER) or _pair(items.attributes, ANSWER)
    if written is None:
        return None
    columns = {**items.attributes, **items.texts}
    first, second = (_characters(columns[name]) for name in written)
    return first - second, "characters"


def length_table(context: Context, found: Sequence[Votes]) -> Table | None:
    """How often people and each judge choose the longer answer where both choose; None if unknown."""
    known = length_differences(context)
    if known is None:
        return None
    gap, unit = known
    people = {one.metric.name: one for one in found if one.who == PEOPLE}
    rows = tuple(
        row
        for one in found
        if one.who != PEOPLE and one.metric.name in people
        for row in _row(context, people[one.metric.name], one, gap)
    )
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("items", "Items", "count"),
        Column("judge_longer", "Judge chooses the longer", "share"),
        Column("people_longer", "People choose the longer", "share"),
        Column("points", "Judge minus people", "points"),
        Column("effect", "Length, log odds", "difference"),
    )
    caption = (
        f"Answers by length ({unit}), on items where the judge and a person each name a winner. Last column: "
        "how a much longer answer moves the judge's log odds, people's preference on the item held equal"
    )
    return Table("length", caption, columns, rows, ("judge_longer", "people_longer"))


def baseline_table(context: Context, found: Sequence[Votes]) -> Table | None:
    """Win rates over the one system that stands in every pair, raw and at equal length; None if unknown."""
    known = length_differences(context)
    if known is None:
        return None
    rows = tuple(row for one in found for row in _against_baseline(context, one, known[0]))
    columns = (
        Column("metric", "Metric"),
        Column("who", "Who"),
        Column("system", "System"),
        Column("baseline", "against"),
        Column("items", "Items", "count"),
        Column("win_rate", "Win rate, ties half", "share"),
        Column("controlled", "at equal length", "share"),
        Column("effect", "Length, log odds", "difference"),
    )
    caption = "Length-controlled win rates: what they would be if answers were as long as the baseline's"
    return Table("length_controlled", caption, columns, rows, ("win_rate", "controlled"), len(rows) > 20)


def _against_baseline(context: Context, one: Votes, gap: Floats) -> Iterator[Row]:
    baselines = [
        code for code in range(len(one.systems)) if ((one.met.first == code) | (one.met.second == code)).all()
    ]
    if len(baselines) != 1:
        return
    baseline = baselines[0]
    for system in range(len(one.systems)):
        first, second = one.met.first == system, one.met.second == system
        if system != baseline and (first | second).any():
            yield from _controlled(context, one, (system, baseline), gap)


def _controlled(context: Context, one: Votes, pair: tuple[int, int], gap: Floats) -> Iterator[Row]:
    """One system's row; an item whose first system is the baseline is turned around."""
    system, baseline = pair
    mine = one.take((one.met.first == system) | (one.met.second == system))
    turned = np.zeros(len(gap), dtype=bool)
    turned[mine.item[mine.met.second == system]] = True
    won = mine.first_share(len(gap))
    won, longer = np.where(turned, 1 - won, won), np.where(turned, -gap, gap)
    rows = np.flatnonzero(np.isfinite(won) & np.isfinite(longer))
    if len(rows) < FEWEST:
        return
    units = context.study.items.units(rows)
    found = length_controlled_win_rate(won[rows], longer[rows], cluster=units, level=context.options.level)
    cells: dict[str, Cell] = {
        "metric": one.metric.label,
        "who": one.who,
        "system": one.systems[system],
        "baseline": one.systems[baseline],
        "items": len(rows),
        "win_rate": found.win_rate,
        "controlled": found.controlled,
        "effect": found.length,
    }
    yield Row(cells, Evidence(one.metric.name, one.raters))


def _row(context: Context, people: Votes, judge: Votes, gap: Floats) -> Iterator[Row]:
    ours, theirs = (_longer(one, gap) for one in (people, judge))
    both = np.flatnonzero(np.isfinite(ours) & np.isfinite(theirs))
    if len(both) < FEWEST:
        return
    units = context.study.items.units(both)

    def mean(values: Floats) -> Estimate:
        return clustered_mean(values[both], cluster=units, level=context.options.level)

    cells: dict[str, Cell] = {
        "metric": judge.metric.label,
        "judge": judge.who,
        "items": len(both),
        "judge_longer": mean(theirs),
        "people_longer": mean(ours),
        "points": mean(theirs - ours),
        "effect": _effect(context, people, judge, gap),
    }
    yield Row(cells, Evidence(judge.metric.name, judge.raters))


def _effect(context: Context, people: Votes, judge: Votes, gap: Floats) -> Cell:
    """The judge's coefficient of length beside people's preference on the item."""
    wanted, given = (one.first_share(len(gap)) for one in (people, judge))
    rows = np.flatnonzero(np.isfinite(wanted) & np.isfinite(given) & np.isfinite(gap))
    if len(rows) < FEWEST:
        return Missing("not measurable", "too few items")
    return length_controlled_win_rate(
        given[rows],
        gap[rows],
        difficulty=wanted[rows],
        cluster=context.study.items.units(rows),
        level=context.options.level,
    ).length


def _longer(one: Votes, gap: Floats) -> Floats:
    """Share of each item's verdicts with a winner that the longer answer won (n_items,), NaN without one."""
    share = one.decided().first_share(len(gap))
    return np.where(gap > 0, share, np.where(gap < 0, 1 - share, np.nan))


def _pair(columns: Mapping[str, Values], wanted: re.Pattern[str]) -> tuple[str, str] | None:
    """The first two columns whose names differ only in the side they name."""
    for name in columns:
        for first, second in SIDES:
            other = second.join(name.rsplit(first, 1))
            if first in name and other in columns and wanted.search(name):
                return name, other
    return None


def _numbers(column: Values) -> Floats:
    return _coded(column, [_number(value) for value in column.values])


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _characters(column: Values) -> Floats:
    return _coded(column, [float(len(value)) for value in column.values])


def _coded(column: Values, values: list[float]) -> Floats:
    return np.array([*values, np.nan])[column.codes]
