"""Items with the same labels are one unit: what makes counting and resampling independent of the item count.

Every coefficient here is a function of sums over items of a few features of the item's labels. Items with the
same labels have the same features, so N items collapse to U distinct units and their frequencies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.stats.coded import Coded

__all__ = ["Units", "collapse", "fingerprint", "leave_one_out"]


@dataclass(frozen=True, slots=True)
class Units:
    """Distinct units as a small :class:`Coded` whose items are the units.

    ``item`` (U,) is one original item of each unit, ``of_item`` (n_items,) the unit of each original item (-1
    where it has no rating) and ``frequency`` (U,) the number of items a unit stands for.
    """

    coded: Coded
    item: NDArray[np.int64]
    of_item: NDArray[np.int64]
    frequency: NDArray[np.int64]


def fingerprint(numbers: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Scramble integers to 64 bits, so that the sum over a multiset names the multiset (splitmix64).

    Two different multisets share a sum with a chance of about 2^-64.
    """
    x = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def collapse(coded: Coded, *, by_rater: bool = False, tag: NDArray[np.integer] | None = None) -> Units:
    """Collapse rated items that have the same labels, from the same raters too if ``by_rater``.

    ``tag`` (n_items,) of non-negative integers keeps items apart that differ in something else.

    >>> collapse(Coded.from_matrix([[1, 2], [2, 1], [1, 1]])).frequency.tolist()
    [2, 1]
    """
    key = np.zeros(coded.n_items, np.uint64)
    cells = _cells(coded, by_rater)
    distinct = int(cells.max(initial=0)) + 1
    scrambled = fingerprint(np.arange(distinct))[cells] if distinct <= len(cells) else fingerprint(cells)
    np.add.at(key, coded.item, scrambled)
    if tag is not None:
        key += fingerprint(-2 - tag.astype(np.int64))  # below zero, where no label is
    rated = np.flatnonzero(coded.ratings_per_item())
    _, first, unit, frequency = np.unique(
        key[rated], return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)  # units in the order of their first item: the same on every machine
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    of_item = np.full(coded.n_items, -1, np.int64)
    of_item[rated] = place[unit]
    item = rated[first[order]]
    return Units(_restrict(coded, item), item, of_item, frequency[order])


def leave_one_out(
    units: Units, coded: Coded, *, by_rater: bool = False
) -> tuple[Units, NDArray[np.int64], NDArray[np.int64]]:
    """Units with one rating taken away, for every distinct way of doing so.

    Returns the reduced units (P), the unit each came from (P,), and for every rating of ``coded`` (n,) the
    reduced unit that is left when that rating is taken from its item.
    """
    small = units.coded
    width = small.n_raters * small.q if by_rater else small.q
    here = small.item.astype(np.int64) * width + _cells(small, by_rater)
    cut, dropped = np.unique(here, return_index=True)
    source = small.item[dropped].astype(np.int64)
    everywhere = units.of_item[coded.item] * width + _cells(coded, by_rater)
    which = np.searchsorted(cut, everywhere)

    size = small.ratings_per_item()
    start = _starts(size)
    into = np.repeat(np.arange(len(cut)), size[source])
    row = np.arange(len(into)) + np.repeat(start[source] - _starts(size[source]), size[source])
    kept = row != dropped[into]
    reduced = Coded(
        into[kept].astype(np.int32),
        small.rater[row[kept]],
        small.label[row[kept]],
        len(cut),
        small.n_raters,
        small.q,
        small.values,
        None,
        small.ordered,
    )
    left = Units(reduced, units.item[source], np.arange(len(cut)), np.ones(len(cut), np.int64))
    return left, source, which


def _cells(coded: Coded, by_rater: bool) -> NDArray[np.int64]:
    label = coded.label.astype(np.int64)
    return coded.rater.astype(np.int64) * coded.q + label if by_rater else label


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.cumsum(sizes) - sizes


def _restrict(coded: Coded, item: NDArray[np.int64]) -> Coded:
    """Only these items, renumbered in this order, with their ratings sorted by item."""
    place = np.full(coded.n_items, -1, np.int64)
    place[item] = np.arange(len(item))
    rows = np.flatnonzero(place[coded.item] >= 0)
    rows = rows[np.argsort(place[coded.item[rows]], kind="stable")]
    return Coded(
        place[coded.item[rows]].astype(np.int32),
        coded.rater[rows],
        coded.label[rows],
        len(item),
        coded.n_raters,
        coded.q,
        coded.values,
        None,
        coded.ordered,
    )
