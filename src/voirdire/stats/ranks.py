"""Ranks of numbers, equal numbers sharing the mean of their places."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["mean_ranks"]


def mean_ranks(x: ArrayLike) -> NDArray[np.float64]:
    """Places 1..n of the numbers in ``x`` (n,), smallest first; ties get their mean place.

    >>> mean_ranks([10, 30, 10, 20]).tolist()
    [1.5, 4.0, 1.5, 3.0]
    """
    _, which, count = np.unique(np.asarray(x, dtype=np.float64), return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[which], dtype=np.float64)
