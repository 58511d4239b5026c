"""Wide tables: one column a rater, or one a metric, turned into one row a rating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.study.columns import KNOWN, normal_name
from voirdire.study.raw import RawTable
from voirdire.study.spelling import MISSING

__all__ = ["find_rater_columns", "melt"]

MOST_LABELS = 20
LONGEST_LABEL = 40


def find_rater_columns(table: RawTable, taken: Sequence[str]) -> list[str]:
    """The columns that look like one rater each: at least two that share a small set of labels.

    Columns in ``taken`` and those with a reserved name or an id's are left out.
    """
    by_labels: dict[frozenset[str], list[str]] = {}
    for name, column in table.columns.items():
        labels = frozenset(column.values) - set(MISSING)
        small = 0 < len(labels) <= MOST_LABELS and max(map(len, labels), default=0) <= LONGEST_LABEL
        if small and name not in taken and _may_be_a_rater(normal_name(name)):
            by_labels.setdefault(labels, []).append(name)
    best: list[str] = []
    for labels in by_labels:
        alike = {name for other, names in by_labels.items() if _share(labels, other) for name in names}
        if len(alike) > max(len(best), 1):
            best = [name for name in table.columns if name in alike]
    return best


def _may_be_a_rater(name: str) -> bool:
    return name not in KNOWN - {"judge", "score", "rating"} and not name.endswith("_id")


def _share(labels: frozenset[str], others: frozenset[str]) -> bool:
    """Whether at least half of all labels are in both sets."""
    return 2 * len(labels & others) >= len(labels | others)


def melt(columns: Mapping[str, Column], wide: Sequence[str], names: str) -> dict[str, Column]:
    """One row a rating from one row an item: ``wide`` columns become ``names`` and label, others repeat."""
    width = len(wide)
    n = len(columns[wide[0]])
    stacked = Column.concatenate([columns[name] for name in wide])
    long = {
        name: Column(np.repeat(column.codes, width), column.values)
        for name, column in columns.items()
        if name not in wide
    }
    long[names] = Column(np.tile(np.arange(width, dtype=np.int32), n), tuple(wide))
    long["label"] = Column(np.ascontiguousarray(stacked.codes.reshape(width, n).T).ravel(), stacked.values)
    return long


def check_wide_columns(table: RawTable, wide: Sequence[str]) -> list[str]:
    """``wide`` if the table has each of them once, else a user's error."""
    for name in wide:
        if name not in table.columns:
            raise UserError(
                f"no column '{name}'",
                where=table.name,
                expected=f"one of {', '.join(list(table.columns)[:30])}",
            )
    if len(set(wide)) < len(wide):
        raise UserError("a column of labels is listed twice", where=table.name, fix="list each column once")
    return list(wide)
