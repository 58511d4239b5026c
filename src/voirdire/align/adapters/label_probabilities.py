"""Label probabilities from a model's log probabilities; a label outside the top k is missing, not zero."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError

__all__ = ["from_label_probabilities"]

Floats = NDArray[np.float64]


def from_label_probabilities(given: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Log probabilities (n, C) that sum to 1 over the labels, and which rows had a missing one set (n,).

    ``given`` (n, C) are probabilities, NaN where the label was not among those returned: it is set to half
    the smallest that was seen in its row. A row of NaN or of zeros stays NaN, as it says nothing.

    >>> log, floored = from_label_probabilities(np.array([[0.6, 0.2, np.nan]]))
    >>> np.exp(log).round(3).tolist(), floored.tolist()
    ([[0.667, 0.222, 0.111]], [True])
    """
    if (given < 0).any():
        raise UserError("a label probability is negative", expected="numbers from 0 up")
    present, ones = np.isfinite(given), np.ones(given.shape[1])
    complete = bool(present.all())
    said = (given if complete else np.where(present, given, 0.0)) @ ones > 0
    share = given if complete else _filled(given, present)
    log = np.full(given.shape, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        np.log(share / (share @ ones)[:, None], out=log, where=said[:, None])
    return log, said & ~present.all(axis=1)


def _filled(given: Floats, present: NDArray[np.bool_]) -> Floats:
    """With half the smallest positive probability of its row where there is none."""
    smallest = np.where(present & (given > 0), given, np.inf).min(axis=1)
    return np.where(present, given, smallest[:, None] / 2)
