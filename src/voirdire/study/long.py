"""Long: rating tables under canonical column names, one row a rating, and several of them as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voirdire.study.column import Column
from voirdire.study.ratings import Source

__all__ = ["Long", "LongTable", "compose", "concatenate"]


@dataclass(frozen=True, eq=False)
class LongTable:
    """How one source reads, for messages: its name and its own names of the canonical columns.

    ``wide`` is rater_id or metric where the table has one column for each of them, else empty.
    """

    source: Source
    names: Mapping[str, str]
    text: bool
    wide: str


@dataclass(frozen=True, eq=False)
class Long:
    """Ratings as text, all columns (n,).

    ``columns`` holds item_id, metric, rater_id, run, label and whatever else the tables have; ``label`` is
    what the raw label became by declared maps, ``raw`` as it came in. ``table`` (n,) indexes ``tables``;
    ``row`` is the row in the source. ``given`` (n,) marks for each column the rows whose table has it, absent
    where all have.
    """

    columns: Mapping[str, Column]
    raw: Column
    table: NDArray[np.int32]
    row: NDArray[np.int64]
    tables: tuple[LongTable, ...]
    given: Mapping[str, NDArray[np.bool_]]

    def __len__(self) -> int:
        return len(self.row)

    def where(self, position: int, column: str = "") -> str:
        """How a message names the rating at ``position``, and a column of its table."""
        table = self.tables[int(self.table[position])]
        place = f"{table.source.name}, row {int(self.row[position]):,}"
        if not column:
            return place
        if table.wide and column == "label":
            return f"{place}, column '{self.columns[table.wide][position]}'"
        return f"{place}, column '{table.names.get(column, column)}'"

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Long:
        """The ratings at ``rows``."""
        return replace(
            self,
            columns={name: column.take(rows) for name, column in self.columns.items()},
            raw=self.raw.take(rows),
            table=self.table[rows],
            row=self.row[rows],
            given={name: mask[rows] for name, mask in self.given.items()},
        )


def concatenate(parts: Sequence[Long]) -> Long:
    """The ratings of all ``parts``, one after another; a column that a table lacks is missing in its rows."""
    if len(parts) == 1:
        return parts[0]
    names = list(dict.fromkeys(name for part in parts for name in part.columns))
    given = {
        name: np.concatenate([np.full(len(part), name in part.columns) for part in parts])
        for name in names
        if any(name not in part.columns for part in parts)
    }
    return Long(
        columns={
            name: Column.concatenate([part.columns.get(name, Column.missing(len(part))) for part in parts])
            for name in names
        },
        raw=Column.concatenate([part.raw for part in parts]),
        table=np.concatenate([np.full(len(part), at, dtype=np.int32) for at, part in enumerate(parts)]),
        row=np.concatenate([part.row for part in parts]),
        tables=tuple(table for part in parts for table in part.tables),
        given=given,
    )


def compose(columns: Sequence[Column], joint: str = "|") -> Column:
    """The column whose values are those of ``columns`` joined; missing where all are missing."""
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        code = code * (len(column.values) + 1) + column.codes + 1
        _, code = np.unique(code, return_inverse=True)
    _, first, codes = np.unique(code, return_index=True, return_inverse=True)
    texts = [[column[int(row)] or "" for column in columns] for row in first]
    joined = Column(codes.astype(np.int32), tuple(str(at) for at in range(len(first))))
    return joined.recode([joint.join(text) if any(text) else None for text in texts]).compact()
