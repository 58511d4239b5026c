"""Do two raters use the labels equally often? Tests for more than two labels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from voirdire.registry import register
from voirdire.stats.two_rater import square_shares

__all__ = ["ChiSquareTest", "bhapkar", "bowker", "stuart_maxwell"]


@dataclass(frozen=True, slots=True)
class ChiSquareTest:
    """A chi-square statistic, its degrees of freedom and p-value; at ``df`` 0 there is nothing to test."""

    statistic: float
    df: int
    p: float
    undefined: str | None = None


@register("statistic", "stuart_maxwell")
def stuart_maxwell(table: ArrayLike) -> ChiSquareTest:
    """Are the label shares of two raters the same? The differences' covariance is taken under equality.

    ``table`` is (q, q) counts. Labels that nobody used, or sets of labels that are never confused with the
    rest, lower the degrees of freedom (the covariance's rank) and not the statistic; a label with equal
    totals stays in. Where the raters never differ: statistic 0, df 0, p 1.

    Source: Stuart 1955; Maxwell 1970.

    >>> test = stuart_maxwell([[20, 10, 5], [10, 30, 15], [5, 5, 40]])
    >>> round(test.statistic, 6), test.df
    (3.75, 2)
    """
    statistic, df, _ = _homogeneity(table)
    return _test(statistic, df)


@register("statistic", "bhapkar")
def bhapkar(table: ArrayLike) -> ChiSquareTest:
    """As :func:`stuart_maxwell` with the covariance as observed: W = S / (1 - S/n), more powerful.

    Undefined (``singular``) where every item moves the same way, so that S = n.

    Source: Bhapkar 1966; the relation to S: Keefe 1982.

    >>> round(bhapkar([[20, 10, 5], [10, 30, 15], [5, 5, 40]]).statistic, 3)
    3.853
    """
    statistic, df, n = _homogeneity(table)
    if df and statistic >= n * (1 - 1e-12):
        return ChiSquareTest(math.nan, df, math.nan, "singular")
    return _test(statistic / (1 - statistic / n) if df else 0.0, df)


@register("statistic", "bowker")
def bowker(table: ArrayLike) -> ChiSquareTest:
    """Is each confusion as frequent as its reverse? Symmetry of the whole table, stronger than equal shares.

    ``table`` is (q, q) counts; pairs of labels that were never confused add no degree of freedom.

    Source: Bowker 1948.

    >>> bowker([[20, 10, 5], [10, 30, 15], [5, 5, 40]]).df
    3
    """
    square_shares(table)
    counts = np.asarray(table, dtype=np.float64)
    above = np.triu_indices(len(counts), 1)
    there, back = counts[above], counts.T[above]
    confused = there + back > 0
    total = (there + back)[confused]
    return _test(float(((there - back)[confused] ** 2 / total).sum()), int(confused.sum()))


def _homogeneity(table: ArrayLike) -> tuple[float, int, float]:
    """Stuart-Maxwell statistic, the rank of its covariance, and n."""
    _, n = square_shares(table)
    counts = np.asarray(table, dtype=np.float64)
    row, column = counts.sum(1), counts.sum(0)
    difference = (row - column)[:-1]
    covariance = (np.diag(row + column) - counts - counts.T)[:-1, :-1]
    if not covariance.any():
        return 0.0, 0, n
    inverse = np.linalg.pinv(covariance, hermitian=True)
    df = int(np.linalg.matrix_rank(covariance, hermitian=True))
    return float(difference @ inverse @ difference), df, n


def _test(statistic: float, df: int) -> ChiSquareTest:
    return ChiSquareTest(statistic, df, float(chdtrc(df, statistic)) if df else 1.0)
