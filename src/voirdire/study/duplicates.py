"""Ratings that stand twice: the same rater, item, metric and run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import Fault
from voirdire.study.config import OnDuplicate
from voirdire.study.faults import Faults
from voirdire.study.long import Long

__all__ = ["merge_duplicates"]

KEY = ("item_id", "metric", "rater_id", "run")
Rows = NDArray[np.intp]


def merge_duplicates(long: Long, choose: OnDuplicate) -> tuple[Long, dict[str, int], tuple[str, ...]]:
    """Each rating once, what was merged by name, and the sentence that says so.

    Rows that agree in every column are merged. Others are a user's error that names the rows, or are settled
    as ``choose`` says: the first, the last, or the label that most of them have.
    """
    order, start = _groups(long)
    if len(start) == len(long):
        return long, {}, ()
    size = np.diff(np.append(start, len(long)))
    same = _all_equal(long, order, start)
    unsettled = np.flatnonzero((size > 1) & ~same)
    keep = order[start]
    merged = int((size[same] - 1).sum())
    if len(unsettled):
        keep[unsettled] = _settled(long, order, start, size, unsettled, choose)
    dropped = len(long) - len(start) - merged
    counts = {"merged_duplicates": merged, "dropped_duplicates": dropped}
    notes = [f"{merged:,} rows that repeat another row in every column were merged."] if merged else []
    if dropped:
        notes.append(
            f"{dropped:,} further labels by the same rater on the same item were dropped ({choose} kept)."
        )
    return long.take(np.sort(keep)), counts, tuple(notes)


def _groups(long: Long) -> tuple[Rows, Rows]:
    """Rows sorted so that duplicates stand together in file order, and where each group starts."""
    columns = [long.columns[name] for name in KEY]
    key = np.zeros(len(long), dtype=np.int64)
    room = 1
    for column in columns:
        q = len(column.values) + 1
        room *= q
        if room >= 2**62:
            _, key = np.unique(key, return_inverse=True)
            room = (int(key.max()) + 1) * q
        key = key * q + column.codes + 1
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return order, np.flatnonzero(new)


def _all_equal(long: Long, order: Rows, start: Rows) -> NDArray[np.bool_]:
    """For each group, whether its rows agree in every column."""
    group = np.zeros(len(order), dtype=np.intp)
    group[start[1:]] = 1
    group = np.cumsum(group)
    same = np.ones(len(start), dtype=bool)
    for column in (long.raw, *long.columns.values()):
        codes = column.codes[order]
        same[group[codes != codes[start][group]]] = False
    return same


def _settled(long: Long, order: Rows, start: Rows, size: Rows, groups: Rows, choose: OnDuplicate) -> Rows:
    if choose == "first":
        return order[start[groups]]
    if choose == "last":
        last: Rows = order[start[groups] + size[groups] - 1]
        return last
    rows = [order[start[group] : start[group] + size[group]] for group in groups.tolist()]
    if choose == "majority":
        winners = [_majority(long, group) for group in rows]
        tied = [group for group, winner in zip(rows, winners, strict=True) if winner < 0]
        _refuse(long, tied, "no label has a majority", "choose first or last with --on-duplicate")
        return np.asarray(winners, dtype=np.intp)
    _refuse(long, rows, "", "add a run column, or choose with --on-duplicate first, last or majority")
    raise AssertionError("conflicting rows are always refused")


def _majority(long: Long, rows: Rows) -> int:
    codes, counts = np.unique(long.columns["label"].codes[rows], return_counts=True)
    best = codes[counts == counts.max()]
    if len(best) > 1:
        return -1
    return int(rows[long.columns["label"].codes[rows] == best[0]][0])


def _refuse(long: Long, groups: Sequence[Rows], why: str, fix: str) -> None:
    faults = Faults()
    for rows in groups:
        faults.add_rows(rows[:1], partial(_conflict, long, rows, why, fix))
    faults.check()


def _conflict(long: Long, rows: Rows, why: str, fix: str, first: int) -> Fault:
    named = {name: long.columns[name][first] for name in KEY}
    labels = list(dict.fromkeys(long.raw[int(row)] or "(none)" for row in rows))
    if len(labels) > 1:
        what = f"labels {', '.join(labels)}"
    else:
        differ = [name for name, column in long.columns.items() if len(np.unique(column.codes[rows])) > 1]
        what = f"label {labels[0]} twice, with different {', '.join(differ)}"
    others = ", ".join(
        long.where(int(row)).removeprefix(f"{long.tables[int(long.table[row])].source.name}, ")
        for row in rows[1:4]
    )
    return Fault(
        f"'{named['rater_id']}' gave '{named['item_id']}' on '{named['metric']}' (run {named['run']}) "
        f"{what}, again in {others}{f'; {why}' if why else ''}",
        where=long.where(first),
        expected="one label a rater, item, metric and run",
        fix=fix,
    )
