"""Brennan and Prediger's kappa."""

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

__all__ = ["BrennanPrediger", "brennan_prediger"]


@dataclass(frozen=True, kw_only=True)
class BrennanPrediger(Weighted):
    """Options of :func:`brennan_prediger`."""

    name: ClassVar[str] = "brennan_prediger"

    def form(self, coded: Coded) -> Form:
        w = agreement_weights(coded, self.weights, self.by)

        def features(units: Units) -> NDArray[np.float64]:
            _, agreement, pairable = pair_agreement(units, w)
            return np.column_stack([agreement, pairable])

        def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
            p_a = ratio(sums[..., 0], sums[..., 1])
            p_e = w.sum() / max(coded.q, 1) ** 2
            return chance_corrected(p_a, p_e)

        return Form(features, value, by_share=False)


@register("statistic", "brennan_prediger")
@computed_by(BrennanPrediger)
def brennan_prediger(
    ratings: Coded | ArrayLike,
    *,
    categories: Sequence[Hashable] | None = None,
    weights: Weights = "identity",
    by: By = "value",
) -> float:
    """Agreement beyond what labels drawn evenly from the declared categories would give.

    p_e = T_w / q^2, where T_w is the sum of the weights and q counts the *declared* categories; with two
    raters and two categories it is PABAK. ``ratings`` is a table of items by raters (N, R) with missing
    ratings, or a :class:`Coded`. NaN where no item has two ratings or one category is declared. Bennett,
    Alpert & Goldstein (1954); Brennan & Prediger (1981).

    >>> brennan_prediger([["a", "a"], ["a", "b"], ["b", "b"], ["b", "b"]])
    0.5
    """
    return evaluate(BrennanPrediger(weights=weights, by=by), ratings, categories)
