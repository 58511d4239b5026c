"""Tables beside the ratings: items with their texts and attributes, and experts' reviews of the metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from voirdire.errors import Fault, UserError
from voirdire.study.column import Column
from voirdire.study.config import TableConfig
from voirdire.study.faults import Faults
from voirdire.study.placing import is_text
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
    ids: Sequence[str], tables: Sequence[ItemTable], taken: Sequence[str]
) -> tuple[dict[str, Column], dict[str, Column], dict[str, int], list[str]]:
    """Attributes and texts of the items ``ids`` (n,) from ``tables``, counts of what did not match, notes.

    A column that the items have already (``taken``, or from an earlier table) is a user's error.
    """
    attributes: dict[str, Column] = {}
    texts: dict[str, Column] = {}
    counts = {"items_without_ratings": 0}
    notes: list[str] = []
    for table in tables:
        at = {name: row for row, name in enumerate(table.ids)}
        rows = np.asarray([at.get(name, -1) for name in ids], dtype=np.intp)
        unmatched = int((rows < 0).sum())
        unrated = len(table.ids) - (len(ids) - unmatched)
        counts["items_without_ratings"] += unrated
        notes += [*table.notes, *_said(table.name, unmatched, unrated, len(ids))]
        for name, column in table.columns.items():
            if name in taken or name in attributes or name in texts:
                raise UserError(
                    f"the items have a column '{name}' already", where=table.name, fix="rename one of them"
                )
            joined = Column(np.where(rows < 0, -1, column.codes[rows]).astype(np.int32), column.values)
            (texts if is_text(name, joined) else attributes)[name] = joined
    return attributes, texts, counts if tables else {}, notes


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
