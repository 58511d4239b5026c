"""Preferences between two responses: margin and position offset apart, where both orders were shown."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["SWAPPED", "margin_of_scores", "preferences"]

SWAPPED = ("swapped", "ba", "b_first", "second_first", "reversed", "b,a", "b/a", "second,first")
"""Spellings of ``presented`` that say the second response was shown first."""

Floats = NDArray[np.float64]


def preferences(
    row: NDArray[np.intp], z: Floats, swapped: NDArray[np.bool_] | None, n_rows: int
) -> tuple[Floats, Floats, Floats]:
    """Margin, offset and order (n_rows,) each, from preferences for the first system in m runs.

    ``z`` is positive where the verdict favours the first system, wherever it was shown, NaN without a
    verdict. With both orders the margin is their mean and the offset half of what showing the first system
    first adds; with one the offset is 0 and the order 1 or -1. Without a record of the order (``swapped``
    None) it is 0.

    >>> row, z = np.array([0, 0, 1]), np.array([2.0, 1.0, 1.0])
    >>> [each.tolist() for each in preferences(row, z, np.array([False, True, True]), 2)]
    [[1.5, 1.0], [0.5, 0.0], [0.0, -1.0]]
    """
    given = np.isfinite(z)
    turned = np.zeros(len(z), dtype=np.bool_) if swapped is None else swapped
    straight, there = _mean(row, z, given & ~turned, n_rows)
    reverse, back = _mean(row, z, given & turned, n_rows)
    both = there & back
    margin = np.where(both, (straight + reverse) / 2, straight + reverse)
    offset = np.where(both, (straight - reverse) / 2, 0.0)
    order = np.zeros(n_rows) if swapped is None else there.astype(np.float64) - back
    return margin, offset, order


def margin_of_scores(first: Floats, second: Floats) -> Floats:
    """The log odds b1 / (b1 + b2) of two positive scores given one response at a time, (n,).

    >>> margin_of_scores(np.array([3.0]), np.array([1.0])).round(3).tolist()
    [1.099]
    """
    return np.log(first) - np.log(second)


def _mean(
    row: NDArray[np.intp], z: Floats, use: NDArray[np.bool_], n_rows: int
) -> tuple[Floats, NDArray[np.bool_]]:
    """Mean of each row (n_rows,), 0 without any, and which rows have one."""
    count = np.bincount(row[use], minlength=n_rows)
    total = np.bincount(row[use], weights=z[use], minlength=n_rows)
    return total / np.maximum(count, 1), count > 0
