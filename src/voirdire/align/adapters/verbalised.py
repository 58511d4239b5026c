"""A distribution that a judge wrote in words: rounded, with zeros that do not mean impossible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FLOOR", "lift_zeros"]

FLOOR = 0.01
"""The probability a label gets at least before renormalising; stated values heap at 0.05 and 0.1."""

Floats = NDArray[np.float64]


def lift_zeros(log: Floats) -> Floats:
    """Log probabilities (n, C); a row that holds a zero has every label lifted to 0.01 and renormalised.

    >>> np.exp(lift_zeros(np.log(np.array([[0.5, 0.5]])))).tolist()
    [[0.5, 0.5]]
    >>> np.exp(lift_zeros(np.array([[0.0, -np.inf]]))).round(4).tolist()
    [[0.9901, 0.0099]]
    """
    zero = (log == -np.inf).any(axis=1)
    if not zero.any():
        return log
    lifted = np.maximum(np.exp(log), FLOOR)
    return np.where(zero[:, None], np.log(lifted / lifted.sum(axis=1, keepdims=True)), log)
