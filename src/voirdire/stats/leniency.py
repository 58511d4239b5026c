"""Is a rater more lenient than the others? Each is compared with the others on the items they share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import Estimate, undefined

__all__ = ["label_leniency", "leniency"]


@register("statistic", "leniency")
def leniency(
    item: ArrayLike,
    rater: ArrayLike,
    value: ArrayLike,
    *,
    n_raters: int,
    cluster: ArrayLike | None = None,
    level: float = 0.95,
) -> list[Estimate]:
    """By how much each rater's values lie above the mean of the other raters on the same items.

    ``item``, ``rater`` and ``value`` are (n,), one entry a rating, item and rater as codes from 0; several
    ratings of one item by one rater are averaged first. ``cluster`` gives each *item's* cluster (n_items,),
    the unit that a new sample would draw. One estimate a rater, in the unit of ``value``: positive is higher
    than the others. Because the comparison is within items, a rater who was given harder items is not blamed
    for them. Undefined where no item has another rater (``no_pairable_items``).

    >>> [round(rater.value, 2) for rater in leniency([0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 1, 1], n_raters=2)]
    [0.5, -0.5]
    """
    items, raters, values = _averaged(item, rater, value, n_raters)
    n_others = np.bincount(items, minlength=1)[items] - 1
    shared = n_others > 0
    items, raters, values, n_others = items[shared], raters[shared], values[shared], n_others[shared]
    others = (np.bincount(items, values, minlength=1)[items] - values) / n_others
    difference = values - others
    groups = None if cluster is None else np.asarray(cluster, dtype=np.int64)[items]
    order = np.argsort(raters, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(raters, minlength=n_raters))[:-1])
    return [
        clustered_mean(difference[part], cluster=None if groups is None else groups[part], level=level)
        if part.size
        else undefined("no_pairable_items")
        for part in parts
    ]


def label_leniency(
    item: ArrayLike,
    rater: ArrayLike,
    label: ArrayLike,
    *,
    n_raters: int,
    n_categories: int,
    cluster: ArrayLike | None = None,
    level: float = 0.95,
) -> list[list[Estimate]]:
    """By how much more often each rater gives each label than the other raters on the same items.

    Arguments as in :func:`leniency`, with label codes 0..q-1 in place of values; the result has a row a rater
    and a column a label, in shares: 0.1 is ten of a hundred items more than the others.

    >>> rows = label_leniency([0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 1, 1], n_raters=2, n_categories=2)
    >>> [[round(cell.value, 2) for cell in row] for row in rows]
    [[-0.5, 0.5], [0.5, -0.5]]
    """
    labels = np.asarray(label, dtype=np.int64)
    columns = [
        leniency(item, rater, labels == k, n_raters=n_raters, cluster=cluster, level=level)
        for k in range(n_categories)
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def _averaged(
    item: ArrayLike, rater: ArrayLike, value: ArrayLike, n_raters: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """One value for each item and rater: the mean over repeated ratings."""
    items, raters = np.asarray(item, dtype=np.int64), np.asarray(rater, dtype=np.int64)
    values = np.asarray(value, dtype=np.float64)
    if not items.shape == raters.shape == values.shape or items.ndim != 1:
        raise UserError("items, raters and values differ in length", expected="one entry of each a rating")
    if raters.size and raters.max() >= n_raters:
        raise UserError(f"rater code {raters.max()} of {n_raters} raters", expected=f"0 to {n_raters - 1}")
    pairs, where = np.unique(items * n_raters + raters, return_inverse=True)
    if pairs.size == items.size:
        return items, raters, values
    means = np.bincount(where, values) / np.bincount(where)
    return pairs // n_raters, pairs % n_raters, means
