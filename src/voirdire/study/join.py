"""Tables beside the ratings: items with their texts and attributes, and experts' reviews of the metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from voirdire.errors import Fault, UserError
from voirdire.study.column import Column
from voirdire.study.config import TableConfig
from voirdire.study.faults import Faults
from voirdire.study.raw import RawTable
from voirdire.study.review import ADEQUACY, Adequacy, Review
from voirdire.study.tables import name_columns

__all__ = ["ItemTable", "item_table", "join_items", "read_reviews"]

TRUE = ("1", "true", "yes", "y")


@dataclass(frozen=True, eq=False)
class ItemTable:
    """What a table says about items: ``ids`` (n,), further ``columns`` (n,), and the notes on its reading."""

    name: str
    ids: Column
    columns: Mapping[str, Column]
    notes: tuple[str, ...]


def item_table(table: RawTable, declared: TableConfig) -> ItemTable:
    """Read a table of items; an item without a name or that stands twice is a user's error."""
    named = name_columns(table, declared)
    columns = dict(named.columns)
    if "item_id" not in columns:
        raise UserError(
            "no column names the items",
            where=table.name,
            expected="a column item_id",
            fix=f"map one of {', '.join(list(table.columns)[:30])}",
        )
    ids = columns.pop("item_id").without([""])
    own = named.names.get("item_id", "item_id")
    faults = Faults()
    faults.add_rows(
        np.flatnonzero(ids.is_missing),
        lambda row: Fault("is empty", where=table.where(row, own), expected="an item's name"),
    )
    first = np.full(len(ids.values) + 1, -1, dtype=np.intp)
    first[ids.codes[::-1]] = np.arange(len(ids) - 1, -1, -1)
    again = np.flatnonzero((first[ids.codes] != np.arange(len(ids))) & ~ids.is_missing)
    faults.add_rows(
        again,
        lambda row: Fault(
            f"item '{ids[row]}' stands in row {int(table.row[first[ids.codes[row]]]):,} already",
            where=table.where(row, own),
            expected="one row an item",
        ),
    )
    faults.check()
    columns = {name: column.without([""]) for name, column in columns.items()}
    return ItemTable(table.name, ids, columns, named.notes)


def join_items(
    ids: Sequence[str], known: Mapping[str, Column], tables: Sequence[ItemTable]
) -> tuple[dict[str, Column], int, list[str]]:
    """The columns of the items ``ids`` (n,): those ``known`` from the ratings, and those of ``tables``.

    Also how many items of the tables have no rating, and the notes. A column that stands in several places
    must say the same of an item wherever it says something.
    """
    columns = dict(known)
    notes: list[str] = []
    without_ratings = 0
    for table in tables:
        at = {name: row for row, name in enumerate(table.ids)}
        rows = np.asarray([at.get(name, -1) for name in ids], dtype=np.intp)
        unmatched = int((rows < 0).sum())
        unrated = len(table.ids) - (len(ids) - unmatched)
        without_ratings += unrated
        notes += [*table.notes, *_said(table.name, unmatched, unrated, len(ids))]
        for name, column in table.columns.items():
            joined = Column(np.where(rows < 0, -1, column.codes[rows]).astype(np.int32), column.values)
            columns[name] = (
                _agreed(ids, name, columns[name], joined, table.name) if name in columns else joined
            )
    return columns, without_ratings, notes


def _agreed(ids: Sequence[str], name: str, first: Column, second: Column, where: str) -> Column:
    """One column from two that say the same of each item, where both say something."""
    both = Column.concatenate([first, second])
    mine, theirs = both.codes[: len(ids)], both.codes[len(ids) :]
    differ = np.flatnonzero((mine >= 0) & (theirs >= 0) & (mine != theirs))
    if len(differ):
        item = int(differ[0])
        raise UserError(
            f"item '{ids[item]}' has {name} '{second[item]}' here and '{first[item]}' elsewhere",
            where=where,
            expected="one value an item",
            fix="rename one of the columns",
        )
    return Column(np.where(mine >= 0, mine, theirs).astype(np.int32), both.values)


def _said(table: str, unmatched: int, unrated: int, n: int) -> list[str]:
    notes = [f"{table}: {unmatched:,} of {n:,} rated items are not in it."] if unmatched else []
    return notes + ([f"{table}: {unrated:,} items have no rating and are left out."] if unrated else [])


def read_reviews(table: RawTable, declared: TableConfig) -> tuple[list[Review], tuple[str, ...]]:
    """Read experts' reviews of metrics: adequacy, and where recorded metric, rater, rename and comment."""
    named = name_columns(table, declared)
    columns = named.columns
    if "adequacy" not in columns:
        raise UserError("no column 'adequacy'", where=table.name, expected=f"values {', '.join(ADEQUACY)}")
    faults = Faults()
    reviews = []
    for row in range(len(table)):
        adequacy = _adequacy(columns["adequacy"][row] or "")
        if adequacy is None:
            faults.add(
                f"no adequacy is called '{columns['adequacy'][row]}'",
                where=table.where(row, "adequacy"),
                expected=", ".join(ADEQUACY),
            )
            continue
        metric, rater, rename, comment = (
            (columns[name][row] or "") if name in columns else ""
            for name in ("metric", "rater_id", "rename", "comment")
        )
        reviews.append(Review(adequacy, metric, rater, rename.strip().lower() in TRUE, comment))
    faults.check()
    return reviews, named.notes


def _adequacy(text: str) -> Adequacy | None:
    return next((word for word in ADEQUACY if word == text.strip().lower()), None)
