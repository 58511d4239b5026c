"""Fleiss' kappa for any number of raters, with missing ratings and weights."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.coded import Coded, as_coded
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

__all__ = ["FleissKappa", "NullTest", "fleiss_category_kappas", "fleiss_kappa", "fleiss_null_test"]

Marginals = Literal["items", "pooled"]


@dataclass(frozen=True, kw_only=True)
class FleissKappa(Weighted):
    """Options of :func:`fleiss_kappa`."""

    name: ClassVar[str] = "fleiss_kappa"
    marginals: Marginals = "items"

    def form(self, coded: Coded) -> Form:
        if self.marginals not in ("items", "pooled"):
            raise UserError(f"no marginals named {self.marginals!r}", expected="'items' or 'pooled'")
        w = agreement_weights(coded, self.weights, self.by)

        def features(units: Units) -> NDArray[np.float64]:
            counts, agreement, pairable = pair_agreement(units, w)
            r = counts.sum(axis=1, keepdims=True)
            shares = ratio(counts, r) if self.marginals == "items" else counts * pairable[:, None]
            return np.column_stack([agreement, pairable, np.where(r > 0, shares, 0.0)])

        def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
            p_a = ratio(sums[..., 0], sums[..., 1])
            shares = sums[..., 2:]
            pi = ratio(shares, shares.sum(axis=-1, keepdims=True))
            p_e = ((pi @ w) * pi).sum(axis=-1)
            return chance_corrected(p_a, p_e)

        return Form(features, value)


@register("statistic", "fleiss_kappa")
@computed_by(FleissKappa)
def fleiss_kappa(
    ratings: Coded | ArrayLike,
    *,
    categories: Sequence[Hashable] | None = None,
    weights: Weights = "identity",
    by: By = "value",
    marginals: Marginals = "items",
) -> float:
    """Agreement among all raters beyond what the overall shares of the labels would give by chance.

    ``ratings`` is a table of items by raters (N, R) with missing ratings, or a :class:`Coded`. Observed
    agreement is the mean over items with two ratings or more. The shares pi_k are the mean over rated items
    of each item's shares (``marginals="items"``, Gwet 2014) or the shares among all pairable ratings
    (``"pooled"``). NaN with fewer than two raters, no item with two ratings, or a single label. Fleiss
    (1971); weights as in Gwet (2014).

    The worked example of Wikipedia's article, ten items and fourteen raters as counts:

    >>> rows = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    ...         [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]
    >>> ratings = [[label for label, n in enumerate(row) for _ in range(n)] for row in rows]
    >>> round(fleiss_kappa(ratings), 3)
    0.21
    """
    return evaluate(FleissKappa(weights=weights, by=by, marginals=marginals), ratings, categories)


def fleiss_category_kappas(
    ratings: Coded | ArrayLike, *, categories: Sequence[Hashable] | None = None
) -> NDArray[np.float64]:
    """Fleiss' kappa of each category against all others (q,), in the declared order.

    NaN for a category that is never used or the only one used. Fleiss (1971); with missing
    ratings it is the kappa of the two-label recoding.

    >>> fleiss_category_kappas([["a", "a"], ["b", "b"], ["c", "b"]]).round(2).tolist()
    [1.0, 0.33, -0.2]
    """
    coded = as_coded(ratings, categories)
    return np.array([fleiss_kappa(_one_against_rest(coded, k)) for k in range(coded.q)])


@dataclass(frozen=True, slots=True)
class NullTest:
    """A coefficient, its standard error if there were only chance agreement, z and the two-sided p."""

    value: float
    standard_error: float
    z: float
    p: float


def fleiss_null_test(ratings: Coded | ArrayLike, *, categories: Sequence[Hashable] | None = None) -> NullTest:
    """Test Fleiss' kappa against chance agreement, for the same number m of ratings on every item.

    Var0 = 2 ((sum pq)^2 - sum pq(q - p)) / (N m (m - 1) (sum pq)^2) with q = 1 - p, Fleiss, Nee & Landis
    (1979). All but the value are NaN where items differ in their number of ratings.

    >>> round(fleiss_null_test([[1, 1, 1], [2, 2, 2], [1, 2, 2]]).z, 2)
    1.65
    """
    coded = as_coded(ratings, categories)
    kappa = fleiss_kappa(coded)
    counts = coded.counts()
    m = np.unique(counts.sum(axis=1))
    if len(m) != 1 or m[0] < 2 or np.isnan(kappa):
        return NullTest(kappa, float("nan"), float("nan"), float("nan"))
    p = counts.sum(axis=0) / counts.sum()
    spread = (p * (1 - p)).sum()
    variance = (
        2 * (spread**2 - (p * (1 - p) * (1 - 2 * p)).sum()) / (len(counts) * m[0] * (m[0] - 1) * spread**2)
    )
    z = kappa / np.sqrt(variance)
    return NullTest(kappa, float(np.sqrt(variance)), float(z), float(2 * ndtr(-abs(z))))


def _one_against_rest(coded: Coded, k: int) -> Coded:
    label = (coded.label == k).astype(np.int32)
    return Coded(coded.item, coded.rater, label, coded.n_items, coded.n_raters, 2)
