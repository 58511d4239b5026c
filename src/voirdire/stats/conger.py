"""Conger's kappa: Cohen's chance agreement, averaged over the pairs of many raters."""

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
    by_rater_table,
    chance_corrected,
    computed_by,
    evaluate,
    pair_agreement,
    ratio,
    too_many_raters,
)
from voirdire.stats.sums import Form
from voirdire.stats.units import Units
from voirdire.stats.weights import By, Weights, agreement_weights

__all__ = ["CongerKappa", "conger_kappa"]


@dataclass(frozen=True, kw_only=True)
class CongerKappa(Weighted):
    """Options of :func:`conger_kappa`."""

    name: ClassVar[str] = "conger_kappa"

    def reason(self, coded: Coded) -> str | None:
        width = coded.n_raters * coded.q
        return super().reason(coded) or too_many_raters(coded, width)

    def form(self, coded: Coded) -> Form:
        w = agreement_weights(coded, self.weights, self.by)
        shape = (coded.n_raters, coded.q)

        def features(units: Units) -> NDArray[np.float64]:
            _, agreement, pairable = pair_agreement(units, w)
            return np.column_stack([agreement, pairable, by_rater_table(units)])

        def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
            p_a = ratio(sums[..., 0], sums[..., 1])
            counts = sums[..., 2:].reshape(*sums.shape[:-1], *shape)
            ratings = counts.sum(axis=-1, keepdims=True)
            p = counts / np.where(ratings > 0, ratings, 1.0)  # a rater without ratings adds nothing below
            raters = (ratings > 0).sum(axis=(-2, -1)).astype(np.float64)
            everyone = p.sum(axis=-2)
            with_self = ((p @ w) * p).sum(axis=(-2, -1))
            p_e = ratio(((everyone @ w) * everyone).sum(axis=-1) - with_self, raters * (raters - 1))
            return chance_corrected(p_a, p_e)

        return Form(features, value, by_rater=True)


@register("statistic", "conger_kappa")
@computed_by(CongerKappa)
def conger_kappa(
    ratings: Coded | ArrayLike,
    *,
    categories: Sequence[Hashable] | None = None,
    weights: Weights = "identity",
    by: By = "value",
) -> float:
    """Agreement among all raters beyond what each rater's own shares of the labels would give by chance.

    p_e is the mean over pairs of different raters g, h of sum_kl w_kl p_gk p_hl, where p_gk are rater g's
    shares over all that g rated; with two raters it is Cohen's kappa. ``ratings`` is a table of items by
    raters (N, R) with missing ratings, or a :class:`Coded`; a rater without ratings changes nothing. NaN with
    fewer than two raters, no item with two ratings, or a single label. Conger (1980); missing ratings as in
    Gwet (2014).

    >>> nan = float("nan")
    >>> ratings = [[1, 1, nan, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    ...            [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [nan, 5, 5, 5], [nan, nan, 1, 1],
    ...            [nan, nan, 3, nan]]
    >>> round(conger_kappa(ratings), 5)
    0.76282
    """
    return evaluate(CongerKappa(weights=weights, by=by), ratings, categories)
