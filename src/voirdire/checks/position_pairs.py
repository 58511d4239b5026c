"""Pairs judged in both orders, found in the three ways in which files record them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.stats.position import FIRST, SECOND, TIE
from voirdire.study import Column, Metric

__all__ = ["Both", "both_orders", "inconsistent_labels", "presented"]

MARK = "_inconsistent"
SWAPPED = ("swapped", "ba", "b_first", "second_first", "reversed", "b,a", "b/a", "second,first")


@dataclass(frozen=True, eq=False)
class Both:
    """Verdicts of the same pairs in two orders, (n,) each, as place of the winner: first, second or tie."""

    shown: NDArray[np.int64]
    swapped: NDArray[np.int64]
    cluster: NDArray[np.int64] | None


def inconsistent_labels(
    context: Context, metric: Metric, judge: int
) -> tuple[NDArray[np.bool_], NDArray[np.intp] | None] | None:
    """Which verdicts have a raw label that ends in "_inconsistent", and their clusters; None where none."""
    study = context.study
    marked = np.array([value.endswith(MARK) for value in study.ratings.raw.values], dtype=bool)
    rows = study.rows(metric.name, kind="judge")
    rows = rows[(study.ratings.rater[rows] == judge) & (study.ratings.raw.codes[rows] >= 0)]
    if not marked.any() or not len(rows):
        return None
    flips = marked[study.ratings.raw.codes[rows]]
    if not flips.any():
        return None
    cluster = study.items.cluster
    return flips, None if cluster is None else cluster[study.ratings.item[rows]].astype(np.intp)


def presented(context: Context) -> NDArray[np.bool_] | None:
    """Which ratings (n,) were shown with the second system first, None where that was not recorded."""
    study = context.study
    of_rating = study.ratings.attributes.get("presented")
    if of_rating is not None:
        return _is_swapped(of_rating)[of_rating.codes]
    of_item = study.items.attributes.get("presented")
    if of_item is not None:
        return _is_swapped(of_item)[of_item.codes][study.ratings.item]
    return None


def both_orders(context: Context, metric: Metric, judge: int) -> Both | None:
    """Pairs that ``judge`` saw in both orders: by ``presented``, or as items with systems swapped."""
    study = context.study
    rows = study.rows(metric.name, kind="judge")
    rows = rows[study.ratings.rater[rows] == judge]
    codes = {"first": FIRST, "second": SECOND}
    table = np.array([codes.get(label, TIE) for label in metric.scale.labels], dtype=np.int64)
    verdict, item = table[study.ratings.label[rows]], study.ratings.item[rows].astype(np.int64)
    order = presented(context)
    if order is not None and "presented" in study.ratings.attributes:
        swapped = order[rows]
        # labels name the systems; the place that won is the other one where they were shown swapped
        place = np.where(swapped & (verdict != TIE), 1 - verdict, verdict)
        return _matched(context, item, swapped, place, item)
    pair, flipped = _pairs_of_items(context)
    if pair is None or flipped is None:
        return None
    return _matched(context, pair[item], flipped[item], verdict, item)


def _matched(
    context: Context,
    key: NDArray[np.int64],
    swapped: NDArray[np.bool_],
    place: NDArray[np.int64],
    item: NDArray[np.int64],
) -> Both | None:
    first, one = np.unique(key[~swapped], return_index=True)
    second, two = np.unique(key[swapped], return_index=True)
    _, a, b = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    if not len(a):
        return None
    shown = np.flatnonzero(~swapped)[one[a]]
    other = np.flatnonzero(swapped)[two[b]]
    cluster = context.study.items.cluster
    groups = (
        None if cluster is None else np.unique(cluster[item[shown]], return_inverse=True)[1].astype(np.int64)
    )
    return Both(place[shown], place[other], groups)


def _pairs_of_items(context: Context) -> tuple[NDArray[np.int64] | None, NDArray[np.bool_] | None]:
    """A number an item (n_items,), the same for a pair in either order, and which are swapped."""
    items = context.study.items
    a, b = (items.attributes.get(name) for name in ("system_a", "system_b"))
    if a is None or b is None:
        return None, None
    names = sorted({*a.values, *b.values})
    code_a, code_b = (np.array([names.index(value) for value in one.values])[one.codes] for one in (a, b))
    flipped = code_a > code_b
    key = np.minimum(code_a, code_b).astype(np.int64) * len(names) + np.maximum(code_a, code_b)
    for name, column in items.attributes.items():
        if name not in ("system", "system_a", "system_b", "presented") and len(column.values) < len(items):
            key = np.unique(key * (len(column.values) + 1) + column.codes + 1, return_inverse=True)[1].astype(
                np.int64
            )
    if items.cluster is not None:
        key = key * (int(items.cluster.max(initial=0)) + 1) + items.cluster
    # several items of one order with the same key are no pair: the key does not tell them apart
    if max(len(key[side]) - len(np.unique(key[side])) for side in (flipped, ~flipped)) > 0:
        return None, None
    return key, flipped


def _is_swapped(column: Column) -> NDArray[np.bool_]:
    """Whether each value, and at the end a missing one, says that the second system was shown first."""
    return np.array([*(value.strip().casefold() in SWAPPED for value in column.values), False], dtype=bool)
