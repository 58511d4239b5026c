"""Light's kappa: the mean of Cohen's kappas of all pairs of raters."""

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
    ratio,
    too_many_raters,
)
from voirdire.stats.sums import Form
from voirdire.stats.units import Units
from voirdire.stats.weights import By, Weights, agreement_weights

__all__ = ["LightKappa", "light_kappa"]


@dataclass(frozen=True, kw_only=True)
class LightKappa(Weighted):
    """Options of :func:`light_kappa`."""

    name: ClassVar[str] = "light_kappa"

    def reason(self, coded: Coded) -> str | None:
        width = coded.n_raters * (coded.n_raters - 1) // 2 * coded.q**2
        return super().reason(coded) or too_many_raters(coded, width)

    def form(self, coded: Coded) -> Form:
        w = agreement_weights(coded, self.weights, self.by)
        q, n_raters = coded.q, coded.n_raters
        first, second = np.triu_indices(n_raters, k=1)

        def features(units: Units) -> NDArray[np.float64]:
            given = by_rater_table(units).reshape(-1, n_raters, q)
            return (given[:, first, :, None] * given[:, second, None, :]).reshape(
                len(given), len(first) * q * q
            )

        def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
            table = sums.reshape(*sums.shape[:-1], len(first), q, q)
            share = ratio(table, table.sum(axis=(-2, -1), keepdims=True))
            p_o = (share * w).sum(axis=(-2, -1))
            p_e = ((share.sum(axis=-1) @ w) * share.sum(axis=-2)).sum(axis=-1)
            kappa = chance_corrected(p_o, p_e)
            defined = ~np.isnan(kappa)
            return ratio(np.where(defined, kappa, 0.0).sum(axis=-1), defined.sum(axis=-1).astype(np.float64))

        return Form(features, value, by_rater=True)


@register("statistic", "light_kappa")
@computed_by(LightKappa)
def light_kappa(
    ratings: Coded | ArrayLike,
    *,
    categories: Sequence[Hashable] | None = None,
    weights: Weights = "identity",
    by: By = "value",
) -> float:
    """Mean of Cohen's kappa over all pairs of raters, each pair on the items that both rated.

    ``ratings`` is a table of items by raters (N, R) with missing ratings, or a :class:`Coded`. Pairs whose
    kappa is undefined (no shared item, or one label) are left out of the mean; NaN where no pair has one.
    Light (1971).

    >>> round(light_kappa([[1, 1, 1], [1, 2, 1], [2, 2, 2], [2, 2, 1]]), 4)
    0.4
    """
    return evaluate(LightKappa(weights=weights, by=by), ratings, categories)
