"""How often all raters, or all runs of one judge, give an item the same label."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.registry import register
from voirdire.stats.coded import Coded
from voirdire.stats.coefficient import computed_by, evaluate, ratio
from voirdire.stats.sums import Form
from voirdire.stats.units import Units

__all__ = ["Unanimity", "unanimity"]


@dataclass(frozen=True, kw_only=True)
class Unanimity:
    """:func:`unanimity` has no options."""

    name: ClassVar[str] = "unanimity"

    def reason(self, coded: Coded) -> str | None:
        return None if coded.countable else "too_many_labels"

    def form(self, coded: Coded) -> Form:
        def features(units: Units) -> NDArray[np.float64]:
            counts = units.coded.counts()
            pairable = counts.sum(axis=1) >= 2
            unanimous = pairable & (counts.max(axis=1, initial=0) == counts.sum(axis=1))
            return np.column_stack([unanimous, pairable]).astype(np.float64)

        def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
            return ratio(sums[..., 0], sums[..., 1])

        return Form(features, value, by_share=False)


@register("statistic", "unanimity")
@computed_by(Unanimity)
def unanimity(ratings: Coded | ArrayLike, *, categories: Sequence[Hashable] | None = None) -> float:
    """Share of items with two labels or more whose labels are all the same.

    ``ratings`` is a table of items by raters (N, R), or by runs of one judge, with missing ratings, or a
    :class:`Coded`. NaN where no item has two ratings. It falls as raters are added: with two labels and three
    ratings an item, pairwise agreement is 1 - 2 (1 - unanimity) / 3.

    >>> unanimity([["a", "a", "b"], ["a", "a", "a"]])
    0.5
    """
    return evaluate(Unanimity(), ratings, categories)
