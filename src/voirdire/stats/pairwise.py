"""Raw agreement among raters, item by item."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.registry import register
from voirdire.stats.coded import Coded
from voirdire.stats.coefficient import Weighted, computed_by, evaluate, pair_agreement, ratio
from voirdire.stats.sums import Form
from voirdire.stats.units import Units
from voirdire.stats.weights import By, Weights, agreement_weights

__all__ = ["PairwiseAgreement", "pairwise_agreement"]


@dataclass(frozen=True, kw_only=True)
class PairwiseAgreement(Weighted):
    """Options of :func:`pairwise_agreement`."""

    name: ClassVar[str] = "pairwise_agreement"

    def form(self, coded: Coded) -> Form:
        w = agreement_weights(coded, self.weights, self.by)

        def features(units: Units) -> NDArray[np.float64]:
            _, agreement, pairable = pair_agreement(units, w)
            return np.column_stack([agreement, pairable])

        def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
            return ratio(sums[..., 0], sums[..., 1])

        return Form(features, value, by_share=False)


@register("statistic", "pairwise_agreement")
@computed_by(PairwiseAgreement)
def pairwise_agreement(
    ratings: Coded | ArrayLike,
    *,
    categories: Sequence[Hashable] | None = None,
    weights: Weights = "identity",
    by: By = "value",
) -> float:
    """Chance that two raters of an item agree, each item counting once: the mean over items of p_i.

    p_i = sum_k r_ik (r_ik - 1) / (r_i (r_i - 1)) over items with r_i >= 2 ratings. ``ratings`` is a table of
    items by raters (N, R) with missing ratings, or a :class:`Coded`. NaN where no item has two ratings.
    Fleiss (1971); with weights, Gwet (2014).

    >>> pairwise_agreement([["a", "a", "b"], ["a", "a", None], ["b", None, None]])
    0.6666666666666666
    """
    return evaluate(PairwiseAgreement(weights=weights, by=by), ratings, categories)
