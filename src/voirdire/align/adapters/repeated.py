"""Verdicts of one or several runs: votes for each human label, and the judge's own most frequent label."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["most_frequent", "no_two", "votes_of"]


def no_two(row: NDArray[np.intp]) -> bool:
    """Whether no row is named twice among ``row`` (m,)."""
    return int(np.bincount(row).max(initial=0)) <= 1


def votes_of(
    row: NDArray[np.intp], human: NDArray[np.intp], n_rows: int, n_labels: int
) -> NDArray[np.float64]:
    """How many verdicts of each row (m,) name each human label, (n_rows, n_labels); -1 is no human label.

    They are smoothed to (m_c + alpha / C) / (m + alpha) later, where cross-validation can choose alpha.
    """
    known = human >= 0
    cells = row[known] * n_labels + human[known]
    votes = np.bincount(cells, weights=np.ones(len(cells)), minlength=n_rows * n_labels)
    return votes.reshape(n_rows, n_labels).astype(np.float64, copy=False)


def most_frequent(
    row: NDArray[np.intp], own: NDArray[np.intp], n_rows: int, n_codes: int
) -> NDArray[np.int32]:
    """The judge's most frequent label of each row (n_rows,), the earliest on a tie; ``n_codes`` for none.

    ``own`` (m,) is -1 for a reply without a verdict.

    >>> most_frequent(np.array([0, 0, 0, 1]), np.array([2, 1, 1, -1]), 3, 4).tolist()
    [1, 4, 4]
    """
    given = own >= 0
    row, own = row[given], own[given]
    code = np.full(n_rows, n_codes, dtype=np.int32)
    if no_two(row):
        code[row] = own
        return code
    cells, count = np.unique(row * n_codes + own, return_counts=True)
    order = np.lexsort((cells, -count, cells // n_codes))
    cells = cells[order]
    first = np.ones(len(cells), dtype=np.bool_)
    first[1:] = cells[1:] // n_codes != cells[:-1] // n_codes
    code[cells[first] // n_codes] = cells[first] % n_codes
    return code
