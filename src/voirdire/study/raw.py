"""RawTable: what a reader hands over, before any column has a meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.study.ratings import Source

__all__ = ["RawTable"]


@dataclass(frozen=True, eq=False)
class RawTable:
    """One file or frame as read: ``columns`` in file order, all of length n.

    ``row`` (n,) is each row's number in the source, for messages and evidence. In a ``text`` source nothing
    is missing yet: what spells a missing value is decided later; a typed source has real nulls, which are
    missing. ``whole`` names the columns of decimal numbers that are all whole and were written without
    ``.0``. ``comma`` says that numbers may be written with a decimal comma, for cells are not divided by one.
    ``notes`` are the sentences that say how the source was read, ``problem`` the faults of rows that
    could not be read and are not in the columns.
    """

    source: Source
    columns: Mapping[str, Column]
    row: NDArray[np.int64]
    text: bool
    whole: frozenset[str] = frozenset()
    comma: bool = False
    notes: tuple[str, ...] = ()
    problem: UserError | None = None

    def __len__(self) -> int:
        return len(self.row)

    @property
    def name(self) -> str:
        """The source's name, as messages show it."""
        return self.source.name

    def where(self, position: int, column: str = "") -> str:
        """How a message names the row at ``position`` (from 0), and a column of it."""
        place = f"{self.name}, row {int(self.row[position]):,}"
        return f"{place}, column '{column}'" if column else place

    def noting(self, *notes: str) -> RawTable:
        """The table with further sentences on how it was read; empty ones are passed over."""
        return replace(self, notes=(*self.notes, *filter(None, notes)))
