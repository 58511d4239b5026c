"""Two raters on the same items: their table, what a disagreement weighs, and the coefficient they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.stats.coded import Coded
from voirdire.stats.estimate import Estimate, undefined
from voirdire.stats.transforms import bounded_estimate, fisher_interval, logit_interval, wald_interval

__all__ = [
    "TwoRaterKappa",
    "contingency_table",
    "disagreement_weights",
    "paired_numbers",
    "two_rater_table",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TwoRaterKappa:
    """A chance-corrected coefficient of two raters with its parts and its two standard errors.

    ``observed`` and ``expected`` are agreements in which the largest disagreement weight counts as none;
    ``standard_error`` holds under the alternative (it gives the interval), ``null_standard_error`` where the
    raters are independent (it gives a test of zero).
    """

    estimate: Estimate
    observed: float
    expected: float
    standard_error: float
    null_standard_error: float


def contingency_table(first: ArrayLike, second: ArrayLike, n_categories: int) -> NDArray[np.int64]:
    """How often each label of one rater met each label of the other, over items that both rated.

    ``first`` and ``second`` are (N,) integer codes 0..q-1 in declared order, -1 where missing; the result is
    (q, q) with the first rater's labels in rows. A code outside that range is a :class:`UserError`.

    >>> contingency_table([0, 1, 1, -1], [0, 1, 0, 1], 2)
    array([[1, 0],
           [1, 1]])
    """
    rows, columns = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    if rows.shape != columns.shape or rows.ndim != 1:
        raise UserError(
            f"two raters' codes have shapes {rows.shape} and {columns.shape}",
            expected="two equally long lists",
        )
    for codes in (rows, columns):
        if codes.size and not (codes.min() >= -1 and codes.max() < n_categories):
            wrong = int(codes[(codes < -1) | (codes >= n_categories)][0])
            raise UserError(f"label code {wrong} is not declared", expected=f"-1 or 0 to {n_categories - 1}")
    both = (rows >= 0) & (columns >= 0)
    cells = np.bincount(rows[both] * n_categories + columns[both], minlength=n_categories**2)
    return cells.reshape(n_categories, n_categories).astype(np.int64)


def two_rater_table(coded: Coded, first: int = 0, second: int = 1) -> NDArray[np.int64]:
    """The contingency table of two of the raters, over the items that both rated.

    >>> two_rater_table(Coded.from_matrix([[1, 1], [2, 1], [2, None]], categories=[1, 2]))
    array([[1, 0],
           [1, 0]])
    """
    codes = np.full((2, coded.n_items), -1, dtype=np.int64)
    for row, rater in enumerate((first, second)):
        mine = coded.rater == rater
        codes[row, coded.item[mine]] = coded.label[mine]
    return contingency_table(codes[0], codes[1], coded.q)


def paired_numbers(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Two raters' numbers (n,), NaN where missing, on the items that both rated.

    >>> paired_numbers([1, 2, float("nan")], [3, float("nan"), 4])
    (array([1.]), array([3.]))
    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise UserError(f"numbers of shapes {a.shape} and {b.shape}", expected="two equally long lists")
    both = ~(np.isnan(a) | np.isnan(b))
    return a[both], b[both]


def two_valued(x: Floats) -> bool:
    """Whether ``x`` (n,) takes just two values, as the numbers of a binary label do."""
    return bool(((x == x.min()) | (x == x.max())).all() and x.min() < x.max())


def disagreement_weights(
    weights: str | ArrayLike, n_categories: int, *, values: ArrayLike | None = None
) -> Floats:
    """What a disagreement between two labels weighs: (q, q), zero on the diagonal.

    ``weights`` is ``"identity"`` (0 or 1), ``"linear"`` (the distance), ``"quadratic"`` (its square) or a
    (q, q) matrix of one's own. Distance is by rank in the declared order unless ``values`` gives each
    label's number.

    >>> disagreement_weights("linear", 3, values=[1, 2, 10])[0]
    array([0., 1., 9.])
    """
    if not isinstance(weights, str):
        return _own_weights(weights, n_categories)
    points = np.arange(n_categories) if values is None else np.asarray(values, dtype=np.float64)
    if points.shape != (n_categories,):
        raise UserError(f"{points.size} values for {n_categories} labels", expected="one value a label")
    distance = np.abs(points[:, None] - points[None, :]).astype(np.float64)
    if weights == "linear":
        return distance
    if weights == "quadratic":
        return distance**2
    if weights == "identity":
        return (np.ones((n_categories, n_categories)) - np.eye(n_categories)).astype(np.float64)
    raise UserError(f"no weights named '{weights}'", expected="identity, linear, quadratic or a matrix")


def square_shares(table: ArrayLike) -> tuple[Floats, float]:
    """A (q, q) table of counts as shares of its total, and that total; checks shape and sign."""
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise UserError(f"a table of shape {counts.shape}", expected="as many rows as columns")
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise UserError("a table with a negative or missing count", expected="counts of 0 or more")
    n = float(counts.sum())
    return (counts / n if n else counts), n


def delta_standard_error(shares: Floats, gradient: Floats, n: float) -> float:
    """Standard error of a smooth function of multinomial shares from its gradient (the delta method)."""
    mean = float((shares * gradient).sum())
    return float(np.sqrt(max(0.0, float((shares * (gradient - mean) ** 2).sum())) / n))


def adjusted_interval(
    shares: Floats,
    n: float,
    measure: Callable[[Floats], tuple[float, float]],
    *,
    level: float,
    logit: bool = False,
) -> tuple[float, float]:
    """The hull of two intervals of a coefficient: from the table, and from it with two more items.

    ``measure`` gives the coefficient and its standard error from a table's shares; the two items are spread
    evenly over the cells. The interval is built on Fisher's z scale, or on the logit scale for a share. The
    standard error of a table with an empty cell is too small, and of a perfect one 0: the added items mend
    both.
    """

    def interval(value: float, se: float) -> tuple[float, float]:
        if logit:
            return logit_interval(value, se, level)
        return fisher_interval(value, se / max(1 - value**2, 1e-300), level)

    added = 2.0
    value, se = measure(shares)
    low, high = interval(*measure((shares * n + added / shares.size) / (n + added)))
    plain = interval(value, se) if se > 0 else (value, value)
    return float(np.nanmin([low, *plain, value])), float(np.nanmax([high, *plain, value]))


Chance = Callable[[Floats], tuple[Floats, Floats]]
"""From a table's shares: the shares that chance would give, and D_e's derivative by each share."""

INTERVALS = ("adjusted", "wald")


def kappa_of(table: ArrayLike, v: Floats, chance: Chance, *, interval: str, level: float) -> TwoRaterKappa:
    """``1 - D_o / D_e`` for disagreement weights ``v`` and what ``chance`` expects of the table's shares."""
    if interval not in INTERVALS:
        raise UserError(f"no interval named '{interval}'", expected=" or ".join(INTERVALS))
    shares, n = square_shares(table)
    expected_shares, slope = chance(shares)
    observed, expected = float((v * shares).sum()), float((v * expected_shares).sum())
    if n == 0 or expected == 0:
        nan = float("nan")
        agreement, reason = (nan, "no_pairable_items") if n == 0 else (1.0, "no_variation")
        return TwoRaterKappa(undefined(reason, n_items=int(n)), agreement, agreement, nan, nan)
    kappa, se = _kappa_and_error(shares, n, v, chance)
    null_se = delta_standard_error(expected_shares, (slope - v) / expected, n)
    if interval == "wald":
        bounds, method = wald_interval(kappa, se, level, low=-np.inf), "Wald"
    else:

        def measure(p: Floats) -> tuple[float, float]:
            return _kappa_and_error(p, n, v, chance)

        bounds, method = adjusted_interval(shares, n, measure, level=level), "adjusted Fisher z"
    estimate = bounded_estimate(
        kappa, bounds, level=level, n_items=int(n), n_ratings=2 * int(n), method=method
    )
    top = float(v.max())
    return TwoRaterKappa(estimate, 1 - observed / top, 1 - expected / top, se, null_se)


def _kappa_and_error(shares: Floats, n: float, v: Floats, chance: Chance) -> tuple[float, float]:
    expected_shares, slope = chance(shares)
    observed, expected = float((v * shares).sum()), float((v * expected_shares).sum())
    gradient = (slope * observed / expected - v) / expected
    return 1 - observed / expected, delta_standard_error(shares, gradient, n)


def _own_weights(weights: ArrayLike, n_categories: int) -> Floats:
    v = np.asarray(weights, dtype=np.float64)
    if v.shape != (n_categories, n_categories):
        raise UserError(
            f"disagreement weights of shape {v.shape}", expected=f"{n_categories} by {n_categories}"
        )
    if np.diag(v).any() or (v < 0).any() or not np.isfinite(v).all():
        raise UserError("disagreement weights below 0 or not 0 on the diagonal", fix="give 0 to equal labels")
    return v
