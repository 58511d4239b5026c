"""Are pairwise verdicts transitive? Kendall and Babington Smith's circular triads."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from voirdire.errors import UserError
from voirdire.registry import register

__all__ = ["CircularTriads", "circular_triads"]


@dataclass(frozen=True, slots=True)
class CircularTriads:
    """Circular triads (a over b over c over a), out of the triads whose three pairs all have a winner.

    ``zeta`` is 1 without any and 0 with as many as the number of systems allows; NaN unless every pair has a
    winner (``undefined`` is then ``undecided_pairs``) or below three systems (``insufficient_systems``).
    """

    circular: int
    decided: int
    zeta: float
    undefined: str | None = None


@register("statistic", "circular_triads")
def circular_triads(wins: ArrayLike) -> CircularTriads:
    """Count preferences that run in a circle.

    ``wins`` is (n, n): how often row beat column. The winner of a pair is the more frequent one; equal counts
    leave it undecided.

    Source: Kendall & Babington Smith 1940.

    >>> circular_triads([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    CircularTriads(circular=1, decided=1, zeta=0.0, undefined=None)
    """
    counts = np.asarray(wins, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise UserError(f"wins of shape {counts.shape}", expected="as many rows as columns")
    n = len(counts)
    beats = (counts > counts.T).astype(np.float64)
    met = beats + beats.T
    circular = round(float(np.trace(beats @ beats @ beats)) / 3)
    decided = round(float(np.trace(met @ met @ met)) / 6)
    if n < 3:
        return CircularTriads(circular, decided, math.nan, "insufficient_systems")
    if not (met + np.eye(n)).all():
        return CircularTriads(circular, decided, math.nan, "undecided_pairs")
    most = (n**3 - n) / 24 if n % 2 else (n**3 - 4 * n) / 24
    return CircularTriads(circular, decided, 1 - circular / most)
