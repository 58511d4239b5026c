"""A verdict as a number: its mean and its spread within the judge, over runs or over stated probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["score_of_probabilities", "score_of_runs"]

Floats = NDArray[np.float64]


def score_of_runs(row: NDArray[np.intp], value: Floats, n_rows: int) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the numbers (m,) of each row (n_rows,); NaN and 0 without any.

    >>> score_of_runs(np.array([0, 0, 1]), np.array([1.0, 3.0, np.nan]), 2)
    (array([ 2., nan]), array([1., 0.]))
    """
    given = np.isfinite(value)
    row, value = row[given], value[given]
    count = np.bincount(row, minlength=n_rows)
    if count.max(initial=0) <= 1:
        single = np.full(n_rows, np.nan)
        single[row] = value
        return single, np.zeros(n_rows)
    some = np.maximum(count, 1)
    mean = np.bincount(row, weights=value, minlength=n_rows) / some
    square = np.bincount(row, weights=(value - mean[row]) ** 2, minlength=n_rows) / some
    return np.where(count > 0, mean, np.nan), np.sqrt(square)


def score_of_probabilities(log: Floats, positions: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of label values (C,) under log probabilities (n, C)."""
    share = np.exp(log)
    mean = share @ positions
    square = np.einsum("nc,nc->n", share, (positions - mean[:, None]) ** 2)
    return mean, np.sqrt(square)
