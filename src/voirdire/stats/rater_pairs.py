"""Every rater against every other: how many items they share, how often they agree, and Cohen's kappa."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from voirdire.registry import register
from voirdire.stats.two_rater import disagreement_weights

__all__ = ["RaterPairs", "rater_pairs"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RaterPairs:
    """Three symmetric (R, R) tables, NaN on the diagonal of ``agreement`` and ``kappa``.

    ``n_items`` counts shared items; ``agreement`` is NaN where it is 0, ``kappa`` also where both raters used
    one and the same label on the items they share.
    """

    n_items: NDArray[np.int64]
    agreement: Floats
    kappa: Floats


@register("statistic", "rater_pairs")
def rater_pairs(
    item: ArrayLike,
    rater: ArrayLike,
    label: ArrayLike,
    *,
    n_raters: int,
    n_categories: int,
    weights: str | ArrayLike = "identity",
) -> RaterPairs:
    """Agreement and Cohen's kappa of each pair of raters on the items that both rated.

    ``item``, ``rater`` and ``label`` are (n,) codes from 0, at most one rating of an item by a rater;
    ``weights`` as in :func:`~voirdire.stats.two_rater.disagreement_weights`, with agreement 1 minus the
    disagreement in units of the largest weight. Cost grows with the ratings of each item squared, and memory
    with the number of raters squared.

    >>> item, rater, label = [0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [1, 1, 0, 0, 1, 0]
    >>> pairs = rater_pairs(item, rater, label, n_raters=2, n_categories=2)
    >>> round(float(pairs.kappa[0, 1]), 2), int(pairs.n_items[0, 1])
    (0.4, 3)
    """
    v = disagreement_weights(weights, n_categories)
    v = (v + v.T) / 2
    gave = _label_indicators(item, rater, label, n_raters, n_categories)
    seen = sum(gave[1:], gave[0])
    n = np.asarray((seen @ seen.T).todense(), dtype=np.float64)
    share = [np.asarray((one @ seen.T).todense(), dtype=np.float64) for one in gave]
    observed, expected = np.zeros_like(n), np.zeros_like(n)
    for k in range(n_categories):
        for j in np.flatnonzero(v[k]):
            observed += v[k, j] * (gave[k] @ gave[j].T).todense()
            expected += v[k, j] * share[k] * share[j].T
    with np.errstate(invalid="ignore", divide="ignore"):
        agreement = 1 - observed / n / v.max()
        kappa = np.where(expected > 0, 1 - n * observed / expected, np.nan)
    np.fill_diagonal(agreement, np.nan)
    np.fill_diagonal(kappa, np.nan)
    return RaterPairs(n.astype(np.int64), agreement, kappa)


def _label_indicators(
    item: ArrayLike, rater: ArrayLike, label: ArrayLike, n_raters: int, n_categories: int
) -> list[csr_array]:
    """For each label a (raters, items) table of who gave it."""
    items, raters, labels = (np.asarray(x, dtype=np.int64) for x in (item, rater, label))
    shape = (n_raters, int(items.max(initial=-1)) + 1)
    return [
        csr_array((np.ones(int(mine.sum())), (raters[mine], items[mine])), shape=shape)
        for mine in (labels == k for k in range(n_categories))
    ]
