"""Gwet's AC1 and AC2."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.registry import register
from voirdire.stats.coded import Coded
from voirdire.stats.coefficient import (
    Weighted,
    chance_corrected,
    computed_by,
    evaluate,
    pair_agreement,
    ratio,
)
from voirdire.stats.sums import Form
from voirdire.stats.units import Units
from voirdire.stats.weights import By, Weights, agreement_weights

__all__ = ["GwetAC", "gwet_ac"]


@dataclass(frozen=True, kw_only=True)
class GwetAC(Weighted):
    """Options of :func:`gwet_ac`."""

    name: ClassVar[str] = "gwet_ac"

    def form(self, coded: Coded) -> Form:
        w = agreement_weights(coded, self.weights, self.by)
        q = coded.q

        def features(units: Units) -> NDArray[np.float64]:
            counts, agreement, pairable = pair_agreement(units, w)
            shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
            return np.column_stack([agreement, pairable, shares])

        def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
            p_a = ratio(sums[..., 0], sums[..., 1])
            pi = ratio(sums[..., 2:], sums[..., 2:].sum(axis=-1, keepdims=True))
            if q < 2:
                return np.full_like(p_a, np.nan)
            p_e = w.sum() * (pi * (1 - pi)).sum(axis=-1) / (q * (q - 1))
            return chance_corrected(p_a, p_e)

        return Form(features, value, by_share=False)


@register("statistic", "gwet_ac")
@computed_by(GwetAC)
def gwet_ac(
    ratings: Coded | ArrayLike,
    *,
    categories: Sequence[Hashable] | None = None,
    weights: Weights = "identity",
    by: By = "value",
) -> float:
    """Agreement beyond chance where only hard items are labelled by chance: AC1, or AC2 with weights.

    p_e = T_w sum_k pi_k (1 - pi_k) / (q (q - 1)), where T_w is the sum of the weights, q counts the
    *declared* categories and pi_k is the mean over rated items of each item's shares. ``ratings`` is a table
    of items by raters (N, R) with missing ratings, or a :class:`Coded`. NaN where no item has two ratings or
    one category is declared; 1 where all of two or more declared categories' ratings are the same. Gwet
    (2008, 2014).

    Gwet (2014), four raters and twelve units:

    >>> nan = float("nan")
    >>> ratings = [[1, 1, nan, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    ...            [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [nan, 5, 5, 5], [nan, nan, 1, 1],
    ...            [nan, nan, 3, nan]]
    >>> round(gwet_ac(ratings), 5), round(gwet_ac(ratings, weights="quadratic"), 5)
    (0.77544, 0.914)
    """
    return evaluate(GwetAC(weights=weights, by=by), ratings, categories)
