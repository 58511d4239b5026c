"""Draws of rows to label, stage after stage, with each row's chance of being labelled kept.

A row's chance after a stage that takes it with chance q is p + (1 - p) q, p being its chance before: rows
that are labelled already took part in the stage as if they were not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Draw", "fill_evenly", "inclusion_probabilities", "systematic"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Draw:
    """n rows of which some are drawn: ``free`` (n,) says which may be, ``chance`` (n,) is kept up to date.

    ``order`` lists the drawn rows with the name of their stage. The arrays are changed by each stage.
    """

    free: Flags
    chance: Floats
    order: list[tuple[int, str]]

    @classmethod
    def of(cls, free: Flags, chance: Floats) -> Draw:
        """Nothing drawn yet."""
        return cls(free.copy(), chance.copy(), [])

    def uniform(self, group: Flags, n: int, stage: str, *, rng: np.random.Generator) -> Positions:
        """``n`` free rows of ``group`` (n,), each with the same chance; fewer where fewer are free."""
        open_rows = np.flatnonzero(group & self.free)
        if not len(open_rows) or n <= 0:
            return np.zeros(0, dtype=np.intp)
        n = min(n, len(open_rows))
        self._raise_chance(group, np.full(len(group), n / len(open_rows)))
        return self._take(rng.choice(open_rows, n, replace=False), stage)

    def proportional(self, size: Floats, n: int, stage: str, *, rng: np.random.Generator) -> Positions:
        """``n`` free rows with chances proportional to ``size`` (n,), at most 1; size 0 is never drawn."""
        open_rows = np.flatnonzero(self.free & (size > 0))
        if not len(open_rows) or n <= 0:
            return np.zeros(0, dtype=np.intp)
        n = min(n, len(open_rows))
        chance, scale = inclusion_probabilities(size[open_rows], n)
        self._raise_chance(size > 0, np.minimum(scale * size, 1.0))
        return self._take(open_rows[systematic(chance, rng=rng)], stage)

    def certain(self, rows: Positions, stage: str) -> Positions:
        """``rows`` (m,), chosen by what is known of them: their chance becomes 1."""
        self.chance[rows] = 1.0
        return self._take(rows, stage)

    def _raise_chance(self, group: Flags, added: Floats) -> None:
        left = 1 - self.chance[group]
        self.chance[group] = 1 - left * (1 - added[group])

    def _take(self, rows: Positions, stage: str) -> Positions:
        self.free[rows] = False
        self.order.extend((row, stage) for row in rows.tolist())
        return rows


def inclusion_probabilities(size: Floats, n: int) -> tuple[Floats, float]:
    """Chances (N,) proportional to ``size`` (N,), at most 1, that sum to ``n``; and the factor of the others.

    Rows whose chance would be above 1 are certain, and the rest is shared again (Särndal, Swensson & Wretman
    1992, section 3.6.2). ``n`` is at most N, sizes are above 0.

    >>> inclusion_probabilities(np.array([1.0, 1.0, 2.0, 8.0]), 2)[0].tolist()
    [0.25, 0.25, 0.5, 1.0]
    """
    certain = np.zeros(len(size), dtype=np.bool_)
    scale = 0.0
    while not certain.all():
        scale = (n - certain.sum()) / size[~certain].sum()
        above = ~certain & (scale * size >= 1)
        if not above.any():
            break
        certain |= above
    return np.where(certain, 1.0, np.minimum(scale * size, 1.0)), float(scale)


def systematic(chance: Floats, *, rng: np.random.Generator) -> Positions:
    """Rows drawn with exactly these chances (N,), as many as they sum to: marks one apart on a random order.

    >>> len(systematic(np.array([0.25, 0.25, 0.5, 1.0]), rng=np.random.default_rng(1)))
    2
    """
    order = rng.permutation(len(chance))
    n = round(float(chance.sum()))
    line = np.cumsum(chance[order])
    line *= n / line[-1]  # rounding aside it ends at n
    marks = np.minimum(rng.random() + np.arange(n), line[-1] * (1 - 1e-12))
    drawn: Positions = order[np.searchsorted(line, marks, side="right")]
    return drawn


def fill_evenly(have: Sequence[int], most: Sequence[int], n: int) -> list[int]:
    """How many of ``n`` to add to each group so that the smallest are as large as they can be.

    ``have`` (G,) are there already, at most ``most`` (G,) can be added.

    >>> fill_evenly([0, 4, 9], [9, 9, 9], 6)
    [5, 1, 0]
    """
    added = np.zeros(len(have), dtype=np.int64)
    now, room = np.asarray(have, dtype=np.int64), np.asarray(most, dtype=np.int64)
    low, high = int(now.min(initial=0)), int((now + room).max(initial=0))
    while low < high:  # the highest water level that n fills
        level = (low + high + 1) // 2
        if np.clip(level - now, 0, room).sum() <= n:
            low = level
        else:
            high = level - 1
    added = np.clip(low - now, 0, room)
    rest = int(n - added.sum())
    for group in np.flatnonzero((added < room) & (now + added <= low))[:rest].tolist():
        added[group] += 1
    whole: list[int] = added.tolist()
    return whole
