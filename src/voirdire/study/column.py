"""A column of text values, each distinct value stored once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Column"]


@dataclass(frozen=True, eq=False)
class Column:
    """Text values as integer codes, ``codes`` (n,) int32, into ``values``; code −1 is a missing value.

    >>> column = Column.of(["b", None, "a", "b"])
    >>> column.codes.tolist(), column.values, column[0], column[1]
    ([0, -1, 1, 0], ('b', 'a'), 'b', None)
    """

    codes: NDArray[np.int32]
    values: tuple[str, ...]

    @classmethod
    def of(cls, values: Sequence[str | None]) -> Column:
        """Code ``values`` (n,) in order of first appearance."""
        seen: dict[str, int] = {}
        codes = [-1 if value is None else seen.setdefault(value, len(seen)) for value in values]
        return cls(np.asarray(codes, dtype=np.int32), tuple(seen))

    @classmethod
    def constant(cls, value: str, n: int) -> Column:
        """The same ``value`` in ``n`` rows."""
        return cls(np.zeros(n, dtype=np.int32), (value,))

    @classmethod
    def missing(cls, n: int) -> Column:
        """No value in ``n`` rows."""
        return cls(np.full(n, -1, dtype=np.int32), ())

    @classmethod
    def concatenate(cls, columns: Sequence[Column]) -> Column:
        """The rows of ``columns`` one after another, coded into one list of values."""
        if len(columns) == 1:
            return columns[0]
        seen: dict[str, int] = {}
        parts = []
        for column in columns:
            new = [seen.setdefault(value, len(seen)) for value in column.values]
            parts.append(np.asarray([*new, -1], dtype=np.int32)[column.codes])
        return cls(np.concatenate(parts), tuple(seen))

    def recode(self, new: Sequence[str | None]) -> Column:
        """The column with each of ``values`` replaced by its entry of ``new`` (q,); None makes it missing.

        >>> Column.of(["Pass", "pass", ""]).recode(["pass", "pass", None]).codes.tolist()
        [0, 0, -1]
        """
        seen: dict[str, int] = {}
        codes = [-1 if value is None else seen.setdefault(value, len(seen)) for value in new]
        return Column(np.asarray([*codes, -1], dtype=np.int32)[self.codes], tuple(seen))

    def without(self, spellings: Collection[str]) -> Column:
        """The column with every value of ``spellings`` missing."""
        if set(spellings).isdisjoint(self.values):
            return self
        kept = np.fromiter(
            (value not in spellings for value in self.values), dtype=bool, count=len(self.values)
        )
        new = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1).astype(np.int32)
        return Column(new[self.codes], tuple(compress(self.values, kept.tolist())))

    def compact(self) -> Column:
        """The same column with only the values that occur, in order of first appearance."""
        first = np.full(len(self.values) + 1, len(self.codes), dtype=np.int64)
        # the last write to a position stays, so writing backwards leaves each value's first row
        first[self.codes[::-1]] = np.arange(len(self.codes) - 1, -1, -1)
        order = np.argsort(first[:-1], kind="stable")
        order = order[first[order] < len(self.codes)]
        new = np.full(len(self.values) + 1, -1, dtype=np.int32)
        new[order] = np.arange(len(order))
        return Column(new[self.codes], tuple(self.values[code] for code in order.tolist()))

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Where the column has no value, (n,)."""
        missing: NDArray[np.bool_] = self.codes < 0
        return missing

    def take(self, rows: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> Column:
        """The column at ``rows`` only, with the same ``values``."""
        return Column(self.codes[rows], self.values)

    def equals(self, value: str) -> NDArray[np.bool_]:
        """Where the column holds ``value``, shape (n,)."""
        code = self.values.index(value) if value in self.values else -2
        at: NDArray[np.bool_] = self.codes == code
        return at

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code < 0 else self.values[code]

    def __iter__(self) -> Iterator[str | None]:
        return (None if code < 0 else self.values[code] for code in self.codes.tolist())
