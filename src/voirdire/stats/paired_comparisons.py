"""Paired comparisons: who met whom, what came of it, and which results a new sample would draw together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.stats.position import FIRST, SECOND, TIE

__all__ = ["PairedComparisons", "as_paired_comparisons"]

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PairedComparisons:
    """Results of pairs of systems in long form, one row a verdict.

    ``first`` and ``second`` (m,) are system codes 0..n_systems-1, ``outcome`` (m,) is 0 (the first wins),
    1 (the second) or 2 (tie). ``cluster`` (m,) numbers what a new sample would draw together, such as the
    verdicts on one item, or is None where every verdict stands alone.

    >>> met = PairedComparisons([0, 0, 1], [1, 1, 2], [FIRST, TIE, SECOND], n_systems=3)
    >>> met.wins().tolist()
    [[0, 1, 0], [0, 0, 0], [0, 1, 0]]
    """

    first: Codes
    second: Codes
    outcome: Codes
    n_systems: int
    cluster: Codes | None = None

    def __post_init__(self) -> None:
        for name in ("first", "second", "outcome", "cluster"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, _codes(name, given))
        lengths = {len(self.first), len(self.second), len(self.outcome)}
        if self.cluster is not None:
            lengths.add(len(self.cluster))
        if len(lengths) > 1:
            raise UserError("comparisons of different lengths", expected="one entry a verdict in each")
        if (self.first == self.second).any():
            raise UserError("a system is compared with itself", expected="two systems")
        if max(self.first.max(initial=-1), self.second.max(initial=-1)) >= self.n_systems:
            raise UserError("a system code beyond n_systems", expected=f"0 to {self.n_systems - 1}")
        if self.outcome.max(initial=0) > TIE:
            raise UserError("an outcome code beyond 2", expected="0 first wins, 1 second wins, 2 tie")

    @classmethod
    def from_counts(cls, wins: ArrayLike, ties: ArrayLike | None = None) -> PairedComparisons:
        """From ``wins`` (n, n), how often row beat column, and ``ties`` (n, n), symmetric.

        >>> len(PairedComparisons.from_counts([[0, 2], [1, 0]], [[0, 1], [1, 0]]))
        4
        """
        won = _square(wins)
        tied = np.zeros_like(won) if ties is None else _square(ties)
        if tied.shape != won.shape or (tied != tied.T).any():
            raise UserError(
                "ties are not one symmetric table of the systems", expected="ties[i, j] = ties[j, i]"
            )
        rows, columns = np.nonzero(won)
        a, b = np.nonzero(np.triu(tied))
        first = np.concatenate([np.repeat(rows, won[rows, columns]), np.repeat(a, tied[a, b])])
        second = np.concatenate([np.repeat(columns, won[rows, columns]), np.repeat(b, tied[a, b])])
        n_wins = int(won.sum())
        outcome = np.where(np.arange(len(first)) < n_wins, FIRST, TIE)
        return cls(first, second, outcome, len(won))

    def __len__(self) -> int:
        return len(self.first)

    def wins(self) -> Codes:
        """How often row beat column, (n, n)."""
        decided = self.outcome != TIE
        lost = self.outcome == SECOND
        winner = np.where(lost, self.second, self.first)[decided]
        loser = np.where(lost, self.first, self.second)[decided]
        return _table(winner, loser, self.n_systems)

    def ties(self) -> Codes:
        """How often row and column tied, (n, n), symmetric."""
        tied = self.outcome == TIE
        table = _table(self.first[tied], self.second[tied], self.n_systems)
        return table + table.T

    def take(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> PairedComparisons:
        """Only these verdicts; systems keep their codes."""
        cluster = None if self.cluster is None else self.cluster[rows]
        return PairedComparisons(
            self.first[rows], self.second[rows], self.outcome[rows], self.n_systems, cluster
        )


def as_paired_comparisons(comparisons: PairedComparisons | ArrayLike) -> PairedComparisons:
    """Comparisons as they are, or from a table of wins (n, n)."""
    if isinstance(comparisons, PairedComparisons):
        return comparisons
    return PairedComparisons.from_counts(comparisons)


def _codes(name: str, given: ArrayLike) -> Codes:
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and not (np.isreal(array).all() and (array >= 0).all())):
        raise UserError(f"{name} is not a list of codes", expected="whole numbers from 0")
    return array.astype(np.int64)


def _square(counts: ArrayLike) -> Codes:
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise UserError(f"counts of shape {table.shape}", expected="as many rows as columns")
    if not ((table >= 0) & (table == np.floor(table))).all() or np.diagonal(table).any():
        raise UserError(
            "counts that are no whole numbers, or not 0 on the diagonal", expected="counts of verdicts"
        )
    return table.astype(np.int64)


def _table(rows: Codes, columns: Codes, n: int) -> Codes:
    return np.bincount(rows * n + columns, minlength=n * n).reshape(n, n)
