"""A column of text values, each distinct value stored once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Column:
        """The column at ``rows`` only, with the same ``values``."""
        return Column(self.codes[rows], self.values)

    def equals(self, value: str) -> NDArray[np.bool_]:
        """Where the column holds ``value``, shape (n,)."""
        code = self.values.index(value) if value in self.values else -2
        return self.codes == code

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code < 0 else self.values[code]

    def __iter__(self) -> Iterator[str | None]:
        return (None if code < 0 else self.values[code] for code in self.codes.tolist())
