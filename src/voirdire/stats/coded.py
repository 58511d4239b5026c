"""Ratings of many raters as integer codes: the one form that every coefficient reads."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import Fault, UserError, UserErrors
from voirdire.stats.encoding import MISSING, encode, number_ids

__all__ = ["Coded", "as_coded"]

MOST_CELLS = 50_000_000  # a table of items by categories larger than this (400 MB) is refused
MOST_LABELS = 1_000  # more distinct labels than this are numbers or free text, not categories to count


@dataclass(frozen=True, slots=True)
class Coded:
    """Ratings in long form, one row a rating; a missing rating is an absent row.

    ``item``, ``rater`` and ``label`` are (n,) int32; labels are 0..q-1 in declared order, where ``q`` counts
    the declared categories, used or not. ``values`` (q,) are the categories' numbers, if they are numbers;
    ``ordered`` says that the declared order means something; ``cluster`` (n_items,) int32 numbers the cluster
    of each item. No rater rates an item twice.

    >>> coded = Coded.from_matrix([["yes", "no"], ["no", None]], categories=["no", "yes"])
    >>> coded.counts().tolist()
    [[1, 1], [1, 0]]
    """

    item: NDArray[np.int32]
    rater: NDArray[np.int32]
    label: NDArray[np.int32]
    n_items: int
    n_raters: int
    q: int
    values: NDArray[np.float64] | None = None
    cluster: NDArray[np.int32] | None = None
    ordered: bool = False

    def __post_init__(self) -> None:
        assert len(self.item) == len(self.rater) == len(self.label), "one row a rating"
        assert self.values is None or len(self.values) == self.q, "one value a category"
        assert self.cluster is None or len(self.cluster) == self.n_items, "one cluster an item"

    @classmethod
    def from_matrix(
        cls,
        ratings: ArrayLike,
        *,
        categories: Sequence[Hashable] | None = None,
        cluster: Sequence[Hashable] | NDArray[Any] | None = None,
        ordered: bool | None = None,
    ) -> Coded:
        """Code a table of items by raters (N, R); NaN in float and None in object arrays are missing.

        Without ``categories`` the labels seen are the categories. Declared categories and numbers are taken
        as ordered, words that are only seen are not; ``ordered`` overrides. A label outside the declared
        categories is a :class:`UserError`.

        >>> Coded.from_matrix([[1, 1], [2, None]]).n_ratings
        3
        """
        codes = encode(_as_table(ratings), categories)
        n_items, n_raters = codes.codes.shape
        given = np.flatnonzero(codes.codes != MISSING)
        return cls(
            np.repeat(np.arange(n_items, dtype=np.int32), n_raters)[given],
            np.tile(np.arange(n_raters, dtype=np.int32), n_items)[given],
            codes.codes.ravel()[given],
            n_items,
            n_raters,
            len(codes.categories),
            codes.values,
            _clusters(cluster, n_items),
            codes.ordered if ordered is None else ordered,
        )

    @classmethod
    def from_long(
        cls,
        item: Iterable[Hashable],
        rater: Iterable[Hashable],
        label: Iterable[Any],
        *,
        categories: Sequence[Hashable] | None = None,
        cluster: Mapping[Any, Hashable] | None = None,
        keep: Literal["first", "last"] | None = None,
    ) -> Coded:
        """Code three columns of one length; items and raters are numbered as they first appear.

        A missing label (None, NaN) is no rating. ``cluster`` maps an item id to its cluster id. A rater with
        two labels on an item is a :class:`UserErrors` that names the pairs, unless ``keep`` says which label
        counts.

        >>> Coded.from_long(["i1", "i1"], ["a", "b"], ["x", "y"]).counts().tolist()
        [[1, 1]]
        """
        items, item_ids = number_ids(item)
        raters, rater_ids = number_ids(rater)
        encoded = encode(_column(label), categories)
        if not len(items) == len(raters) == len(encoded.codes):
            raise UserError("item, rater and label differ in length", expected="one entry a rating in each")
        rows = np.flatnonzero(encoded.codes != MISSING)
        rows = rows[_one_a_pair(items[rows], raters[rows], (item_ids, rater_ids), keep)]
        groups = None if cluster is None else [_cluster_of(i, cluster) for i in item_ids]
        return cls(
            items[rows],
            raters[rows],
            encoded.codes[rows],
            len(item_ids),
            len(rater_ids),
            len(encoded.categories),
            encoded.values,
            _clusters(groups, len(item_ids)),
            encoded.ordered,
        )

    @property
    def n_ratings(self) -> int:
        """Number of ratings."""
        return len(self.label)

    @property
    def has_order(self) -> bool:
        """Whether the categories have an order, declared or by their values."""
        return self.ordered or self.values is not None

    @property
    def countable(self) -> bool:
        """Whether the categories are few enough to be counted one by one."""
        return self.q <= MOST_LABELS

    def ratings_per_item(self) -> NDArray[np.int64]:
        """Number of ratings of each item (n_items,)."""
        return np.bincount(self.item, minlength=self.n_items)

    def counts(self) -> NDArray[np.int64]:
        """Number of raters who gave each item each label (n_items, q)."""
        if self.n_items * self.q > MOST_CELLS:
            raise UserError(
                f"{self.q:,} categories on {self.n_items:,} items are too many to count",
                fix="treat the labels as numbers (interval level), or group them",
            )
        cell = self.item.astype(np.int64) * self.q + self.label
        return np.bincount(cell, minlength=self.n_items * self.q).reshape(self.n_items, self.q)

    def select(self, rows: NDArray[np.bool_]) -> Coded:
        """The same items, raters and categories with only the ratings in ``rows`` (n,)."""
        return Coded(
            self.item[rows], self.rater[rows], self.label[rows], self.n_items, self.n_raters, self.q,
            self.values, self.cluster, self.ordered,
        )  # fmt: skip


def as_coded(ratings: Coded | ArrayLike, categories: Sequence[Hashable] | None = None) -> Coded:
    """Pass a :class:`Coded` through; code a table of items by raters."""
    return ratings if isinstance(ratings, Coded) else Coded.from_matrix(ratings, categories=categories)


def _as_table(ratings: ArrayLike) -> NDArray[Any]:
    table = ratings if isinstance(ratings, np.ndarray) else np.asarray(ratings, dtype=object)
    if table.ndim != 2:
        raise UserError(
            f"ratings have {table.ndim} dimension{'s' * (table.ndim != 1)}",
            expected="a table of items by raters",
        )
    return table


def _column(label: Iterable[Any]) -> NDArray[Any]:
    if isinstance(label, np.ndarray):
        return label
    listed = list(label)
    column = np.empty(len(listed), dtype=object)  # np.array would turn a list of lists into a table
    column[:] = listed
    return column


def _clusters(cluster: Sequence[Hashable] | NDArray[Any] | None, n_items: int) -> NDArray[np.int32] | None:
    if cluster is None:
        return None
    if len(cluster) != n_items:
        raise UserError(f"{len(cluster):,} clusters for {n_items:,} items", expected="one cluster an item")
    return number_ids(cluster)[0]


def _cluster_of(item: Hashable, cluster: Mapping[Any, Hashable]) -> Hashable:
    try:
        return cluster[item]
    except KeyError:
        raise UserError(f"item {item!r} has no cluster", expected="a cluster for every item") from None


def _one_a_pair(
    item: NDArray[np.int32],
    rater: NDArray[np.int32],
    ids: tuple[list[Hashable], list[Hashable]],
    keep: Literal["first", "last"] | None,
) -> NDArray[np.int64]:
    """Rows to keep, in their order, so that each rater has one label an item."""
    pair = item.astype(np.int64) * max(len(ids[1]), 1) + rater
    if keep == "last":
        return np.sort(len(pair) - 1 - np.unique(pair[::-1], return_index=True)[1])
    _, first, times = np.unique(pair, return_index=True, return_counts=True)
    if keep is None and (times > 1).any():
        doubles = first[times > 1]
        faults = [
            Fault(
                f"rater {ids[1][rater[row]]!r} rated item {ids[0][item[row]]!r} more than once",
                expected="one label of a rater on an item",
                fix="keep='first' or keep='last', or treat the repeats as runs",
            )
            for row in np.sort(doubles)[:20]
        ]
        raise UserErrors(faults, total=len(doubles))
    return np.sort(first)
