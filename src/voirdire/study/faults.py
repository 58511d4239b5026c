"""Faults: gathers every mistake of a source, so that all are reported at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import SHOWN, Fault, UserError, UserErrors

__all__ = ["Faults"]


class Faults:
    """The faults found so far: the first ones in full, and how many in all."""

    def __init__(self) -> None:
        self._first: list[Fault] = []
        self._total = 0

    def add(self, what: str, *, where: str = "", expected: str = "", fix: str = "") -> None:
        """Note one fault."""
        self._total += 1
        if len(self._first) < SHOWN:
            self._first.append(Fault(what, where, expected, fix))

    def add_rows(self, rows: NDArray[np.intp], word: Callable[[int], Fault]) -> None:
        """Note one fault a row, wording no more of them than are shown."""
        room = max(SHOWN - len(self._first), 0)
        self._first += [word(int(row)) for row in rows[:room]]
        self._total += len(rows)

    def collect(self, problem: UserError) -> None:
        """Note the faults of an error that was caught."""
        room = max(SHOWN - len(self._first), 0)
        self._first += problem.faults[:room]
        self._total += getattr(problem, "total", len(problem.faults))

    def attempt(self, check: Callable[[], object]) -> None:
        """Run ``check`` for the faults it raises."""
        try:
            check()
        except UserError as problem:
            self.collect(problem)

    def error(self) -> UserErrors | None:
        """Everything found as one error, or None."""
        return UserErrors(self._first, total=self._total) if self._first else None

    def check(self) -> None:
        """Raise everything found, or do nothing."""
        if self._first:
            raise UserErrors(self._first, total=self._total)

    def __len__(self) -> int:
        return self._total
