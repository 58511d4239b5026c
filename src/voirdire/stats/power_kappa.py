"""How many items show that two raters' kappa is above a value, and what kappa so many items can show."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq, linprog
from scipy.special import ndtri

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.power import check_power
from voirdire.stats.transforms import normal_quantile

__all__ = ["detectable_kappa", "kappa_items_for_width", "kappa_sample_size", "largest_kappa_sd"]

Floats = NDArray[np.float64]
NEAR = 1e-6


@register("statistic", "kappa_sample_size")
def kappa_sample_size(
    first: ArrayLike,
    second: ArrayLike | None = None,
    *,
    kappa: float,
    null: float,
    power: float = 0.8,
    level: float = 0.95,
) -> int:
    """Items that show, one-sided at 1 - ``level``, that kappa is above ``null`` when it is ``kappa``.

    ``first`` and ``second`` are both raters' label shares (q,), the same where one is given. With two labels
    shares and kappa determine the table (Cantor 1996); with more, the least favourable table is taken (Flack
    et al. 1988), found by linear programming. Items are independent; in clusters of m items whose
    agreements correlate by r, take 1 + (m - 1) r times as many.

    >>> kappa_sample_size([0.5, 0.5], kappa=0.7, null=0.5)
    103
    >>> kappa_sample_size([0.4, 0.25, 0.15, 0.2], kappa=0.6, null=0.4)
    83
    """
    check_power(power)
    if not kappa > null:
        raise UserError(f"a kappa of {kappa} against {null}", expected="a kappa above the null value")
    z = float(ndtri(level)), float(ndtri(power))
    sds = largest_kappa_sd(first, second, kappa=null), largest_kappa_sd(first, second, kappa=kappa)
    return math.ceil(((z[0] * sds[0] + z[1] * sds[1]) / (kappa - null)) ** 2)


def kappa_items_for_width(
    first: ArrayLike,
    second: ArrayLike | None = None,
    *,
    kappa: float,
    half_width: float,
    level: float = 0.95,
) -> int:
    """Items whose Wald interval for kappa reaches ``half_width`` to either side.

    >>> [kappa_items_for_width([1 - p, p], kappa=0.6, half_width=0.1) for p in (0.5, 0.8, 0.9)]
    [246, 392, 705]
    """
    if not half_width > 0:
        raise UserError(f"half a width of {half_width}", expected="more than 0")
    return math.ceil(
        (normal_quantile(level) * largest_kappa_sd(first, second, kappa=kappa) / half_width) ** 2
    )


@register("statistic", "detectable_kappa")
def detectable_kappa(
    n_items: int,
    first: ArrayLike,
    second: ArrayLike | None = None,
    *,
    null: float,
    power: float = 0.8,
    level: float = 0.95,
) -> float:
    """The smallest kappa that ``n_items`` show to be above ``null``; NaN where even the largest is too small.

    The largest kappa is the one that the label shares allow.

    >>> round(detectable_kappa(103, [0.5, 0.5], null=0.5), 2)
    0.7
    """
    check_power(power)
    z = float(ndtri(level)), float(ndtri(power))
    base = largest_kappa_sd(first, second, kappa=null)
    one, two = _shares(first, second)
    chance = float(one @ two)
    most = (float(np.minimum(one, two).sum()) - chance) / (1 - chance) - NEAR

    def gap(kappa: float) -> float:
        spread = z[0] * base + z[1] * largest_kappa_sd(one, two, kappa=kappa)
        return (kappa - null) * math.sqrt(n_items) - spread

    if n_items < 2 or not gap(most) > 0:
        return math.nan
    return float(brentq(gap, null, most))


def largest_kappa_sd(first: ArrayLike, second: ArrayLike | None = None, *, kappa: float) -> float:
    """The largest sqrt(n) x standard error of kappa over the tables with these label shares and this kappa.

    The variance of Fleiss, Cohen & Everitt 1969 is linear in the cells once shares and kappa are given.
    Shares that cannot have this kappa are a user's error.
    """
    row, column = _shares(first, second)
    q = len(row)
    chance = float(row @ column)
    if chance >= 1:
        raise UserError("all items in one label", expected="shares of two labels or more")
    same = kappa * (1 - chance) + chance
    weight = (1 - same) ** 2 * (column[:, None] + row[None, :]) ** 2
    weight[np.diag_indices(q)] = ((1 - chance) - (row + column) * (1 - same)) ** 2
    cells = np.arange(q * q).reshape(q, q)
    rows = [np.isin(cells, cells[k]).ravel() for k in range(q)]
    columns = [np.isin(cells, cells[:, k]).ravel() for k in range(q)]
    found = linprog(
        -weight.ravel(),
        A_eq=np.array([*rows, *columns, np.eye(q, dtype=bool).ravel()], dtype=np.float64),
        b_eq=np.array([*row, *column, same]),
    )
    if not found.success or found.fun is None:
        raise UserError(f"no table has these label shares and a kappa of {kappa:g}")
    variance = (-found.fun - (same * chance - 2 * chance + same) ** 2) / (1 - chance) ** 4
    return math.sqrt(max(variance, 0.0))


def _shares(first: ArrayLike, second: ArrayLike | None) -> tuple[Floats, Floats]:
    one = np.asarray(first, dtype=np.float64)
    two = one if second is None else np.asarray(second, dtype=np.float64)
    for each in (one, two):
        sound = each.ndim == 1 and each.shape == one.shape and (each >= 0).all()
        if not (sound and abs(each.sum() - 1) < NEAR):
            raise UserError(
                "label shares that do not sum to 1", expected="one share a label, as many for both"
            )
    return one, two
