"""Raw agreement among raters, pair by pair."""

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

__all__ = ["PooledAgreement", "pooled_agreement"]


@dataclass(frozen=True, kw_only=True)
class PooledAgreement(Weighted):
    """Options of :func:`pooled_agreement`."""

    name: ClassVar[str] = "pooled_agreement"

    def form(self, coded: Coded) -> Form:
        w = agreement_weights(coded, self.weights, self.by)

        def features(units: Units) -> NDArray[np.float64]:
            counts, agreement, _ = pair_agreement(units, w)
            r = counts.sum(axis=1)
            pairs = r * (r - 1) / 2
            return np.column_stack([agreement * pairs, pairs])

        def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
            return ratio(sums[..., 0], sums[..., 1])

        return Form(features, value, by_share=False)


@register("statistic", "pooled_agreement")
@computed_by(PooledAgreement)
def pooled_agreement(
    ratings: Coded | ArrayLike,
    *,
    categories: Sequence[Hashable] | None = None,
    weights: Weights = "identity",
    by: By = "value",
) -> float:
    """Share of all pairs of ratings of one item that agree, each pair counting once.

    It differs from :func:`pairwise_agreement` where items differ in their number of ratings: items with many
    ratings weigh more. ``ratings`` is a table of items by raters (N, R) with missing ratings, or a
    :class:`Coded`. NaN where no item has two ratings.

    >>> pooled_agreement([["a", "a", "b"], ["a", "a", None], ["b", None, None]])
    0.5
    """
    return evaluate(PooledAgreement(weights=weights, by=by), ratings, categories)
