"""Mean squares of an items x raters table of numbers, complete or not, for intraclass correlations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from voirdire.errors import UserError
from voirdire.stats.variance_components import variance_components

__all__ = ["MeanSquares", "coded_numbers", "complete_table", "error_degrees", "incomplete_table"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """Mean squares and degrees of freedom of an items x raters table, with n and k as in a complete one.

    ``items_one_way``, ``within`` and ``k_one_way`` belong to the one-way analysis, in which raters are not
    identified; where cells are missing they differ from the two-way ones.
    """

    items: float
    within: float
    raters: float
    error: float
    n: float
    k: float
    k_one_way: float
    items_one_way: float
    df_items: float
    df_within: float
    df_raters: float
    df_error: float


def complete_table(items: Codes, raters: Codes, values: Floats) -> MeanSquares:
    """The two-way analysis of variance of a table without missing cells."""
    n, k = int(items.max()) + 1, int(raters.max()) + 1
    x = np.empty((n, k))
    x[items, raters] = values
    x -= x.mean()
    row, column = x.mean(1), x.mean(0)
    ms_items, ms_raters = k * _squares(row) / (n - 1), n * _squares(column) / (k - 1)
    ms_within = _squares(x - row[:, None]) / (n * (k - 1))
    ms_error = _squares(x - row[:, None] - column) / ((n - 1) * (k - 1))
    total = _squares(x)
    # a sum of squares that is rounding error is zero
    ms_items, ms_within, ms_raters, ms_error = (
        ms if ms > 1e-20 * total else 0.0 for ms in (ms_items, ms_within, ms_raters, ms_error)
    )
    return MeanSquares(
        items=ms_items,
        within=ms_within,
        raters=ms_raters,
        error=ms_error,
        n=n,
        k=k,
        k_one_way=k,
        items_one_way=ms_items,
        df_items=n - 1,
        df_within=n * (k - 1),
        df_raters=k - 1,
        df_error=(n - 1) * (k - 1),
    )


def incomplete_table(items: Codes, raters: Codes, values: Floats, df_error: int) -> MeanSquares:
    """What a complete table with this one's components would show, at harmonic mean numbers of ratings."""
    per_item, per_rater = np.bincount(items), np.bincount(raters)
    n, k = len(per_item), len(per_rater)
    found = variance_components(items, raters, values)
    k_each, n_each = (float(1 / (1 / per).mean()) for per in (per_item, per_rater))
    means = np.bincount(items, values) / per_item
    df_within = values.size - n
    ms_within = _squares(values - means[items]) / df_within
    ms_one_way = float(per_item @ (means - values.mean()) ** 2) / (n - 1)
    n0 = (values.size - float(per_item @ per_item) / values.size) / (n - 1)
    return MeanSquares(
        items=k_each * found.item + found.error,
        within=ms_within,
        raters=n_each * found.rater + found.error,
        error=found.error,
        n=n_each,
        k=k_each,
        k_one_way=n0,
        items_one_way=ms_one_way,
        df_items=n - 1,
        df_within=df_within,
        df_raters=k - 1,
        df_error=df_error,
    )


def coded_numbers(item: ArrayLike, rater: ArrayLike, value: ArrayLike) -> tuple[Codes, Codes, Floats]:
    """The ratings that exist, with item and rater codes without gaps."""
    items, raters, values = np.asarray(item), np.asarray(rater), np.asarray(value, dtype=np.float64)
    if not items.shape == raters.shape == values.shape or items.ndim != 1:
        raise UserError("items, raters and values differ in length", expected="one entry of each a rating")
    known = ~np.isnan(values)
    items = np.unique(items[known], return_inverse=True)[1].astype(np.int64)
    raters = np.unique(raters[known], return_inverse=True)[1].astype(np.int64)
    cells = items * (int(raters.max(initial=0)) + 1) + raters
    if np.unique(cells).size < cells.size:
        raise UserError("a rater rated an item twice", fix="keep one rating, or average them first")
    return items, raters, values[known]


def error_degrees(items: Codes, raters: Codes) -> int:
    """Ratings that are left to measure error once every item and rater has its mean."""
    n_items, n_nodes = int(items.max()) + 1, int(items.max() + raters.max()) + 2
    edges = csr_array((np.ones(items.size), (items, raters + n_items)), shape=(n_nodes, n_nodes))
    parts = int(connected_components(edges, directed=False)[0])
    return items.size - n_nodes + parts


def _squares(x: Floats) -> float:
    return float((x**2).sum())
