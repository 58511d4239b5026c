"""Krippendorff's alpha at every level of measurement."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.coded import Coded
from voirdire.stats.coefficient import computed_by, evaluate
from voirdire.stats.sums import Form
from voirdire.stats.units import Units

__all__ = ["KrippendorffAlpha", "Level", "krippendorff_alpha"]

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS = ("nominal", "ordinal", "interval", "ratio")
SAME = 1e-12  # moments of equal numbers differ by rounding only


@dataclass(frozen=True, kw_only=True)
class KrippendorffAlpha:
    """Options of :func:`krippendorff_alpha`; ``level`` may also be a (q, q) array of squared differences."""

    name: ClassVar[str] = "krippendorff_alpha"
    level: Level | ArrayLike = "nominal"

    def reason(self, coded: Coded) -> str | None:
        level = self.level if isinstance(self.level, str) else "nominal"
        if level not in LEVELS:
            raise UserError(f"no level named {level!r}", expected=f"one of {', '.join(LEVELS)}")
        if level != "interval" and not coded.countable:
            return "too_many_labels"
        if level == "ordinal" and not coded.has_order:
            return "no_order"
        if level in ("interval", "ratio") and coded.values is None:
            return "not_numeric"
        negative = coded.values is not None and bool((coded.values < 0).any())
        return "negative_values" if level == "ratio" and negative else None

    def form(self, coded: Coded) -> Form:
        reason = self.reason(coded)
        if reason is not None:
            raise UserError(f"alpha at the {self.level} level is not defined here", expected=NEEDS[reason])
        if not isinstance(self.level, str):
            return distance_form(np.asarray(self.level, np.float64))
        return FORMS[self.level](coded)


NEEDS = {
    "too_many_labels": "labels that can be counted; the interval level takes any number of values",
    "no_order": "labels with a declared order",
    "not_numeric": "numbers as labels",
    "negative_values": "values of zero or more",
}


@register("statistic", "krippendorff_alpha")
@computed_by(KrippendorffAlpha)
def krippendorff_alpha(
    ratings: Coded | ArrayLike,
    *,
    categories: Sequence[Hashable] | None = None,
    level: Level | ArrayLike = "nominal",
) -> float:
    """One minus the ratio of observed to expected disagreement among pairable ratings.

    alpha = 1 - (n - 1) sum_ck o_ck d2_ck / sum_ck n_c n_k d2_ck, where o are the coincidences of labels
    within items, n_c the labels of items with two ratings or more and d2 the squared difference of the
    ``level``: nominal, ordinal, interval, ratio, or a (q, q) array. ``ratings`` is a table of items by raters
    (N, R) with missing ratings, or a :class:`Coded`. NaN with fewer than two raters, no item with two
    ratings, or a single label among them. The ordinal level refuses labels without an order, interval and
    ratio refuse words. Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", sections C and D:

    >>> nan = float("nan")
    >>> ratings = [[1, 1, nan, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    ...            [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [nan, 5, 5, 5], [nan, nan, 1, 1],
    ...            [nan, 3, nan, nan]]
    >>> [round(krippendorff_alpha(ratings, level=level), 3) for level in LEVELS]
    [0.743, 0.815, 0.849, 0.797]
    """
    return evaluate(KrippendorffAlpha(level=level), ratings, categories)


def distance_form(d2: NDArray[np.float64]) -> Form:
    """Alpha with fixed squared differences d2 (q, q) between the categories."""

    def features(units: Units) -> NDArray[np.float64]:
        n = _pairable_counts(units)
        disagreement = (n * (n @ d2)).sum(axis=1) / _others(n.sum(axis=1))
        return np.column_stack([disagreement, n])

    def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        observed, n_c = sums[..., 0], sums[..., 1:]
        expected = ((n_c @ d2) * n_c).sum(axis=-1)
        return _alpha(observed, expected, n_c.sum(axis=-1))

    return Form(features, value)


def _nominal(coded: Coded) -> Form:
    return distance_form(1 - np.eye(coded.q))


def _ratio(coded: Coded) -> Form:
    assert coded.values is not None
    x = coded.values
    total = x[:, None] + x[None, :]
    return distance_form(((x[:, None] - x[None, :]) / np.where(total > 0, total, 1)) ** 2)


def _ordinal(coded: Coded) -> Form:
    """d2_ck depends on the labels between c and k, so on the sums: coincidences are kept whole."""
    q = coded.q

    def features(units: Units) -> NDArray[np.float64]:
        n = _pairable_counts(units)
        pairs = n[:, :, None] * n[:, None, :]
        pairs[:, range(q), range(q)] -= n
        coincidences = pairs / _others(n.sum(axis=1))[:, None, None]
        return np.column_stack([n, coincidences.reshape(len(n), q * q)])

    def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        n_c = sums[..., :q]
        o = sums[..., q:].reshape(*sums.shape[:-1], q, q)
        rank = np.cumsum(n_c, axis=-1) - n_c / 2
        d2 = (rank[..., :, None] - rank[..., None, :]) ** 2
        observed = (o * d2).sum(axis=(-2, -1))
        expected = (n_c[..., :, None] * n_c[..., None, :] * d2).sum(axis=(-2, -1))
        return _alpha(observed, expected, n_c.sum(axis=-1))

    return Form(features, value)


def _interval(coded: Coded) -> Form:
    """Squared differences need only an item's count, sum and sum of squares: any number of values will do."""
    assert coded.values is not None
    centred = coded.values - (coded.values.mean() if coded.q else 0.0)
    x = centred / max(np.abs(centred).max(initial=0.0), np.finfo(float).tiny)

    def features(units: Units) -> NDArray[np.float64]:
        item, label, n_items = units.coded.item, units.coded.label, units.coded.n_items
        r = np.bincount(item, minlength=n_items).astype(np.float64)
        total = np.bincount(item, weights=x[label], minlength=n_items)
        squares = np.bincount(item, weights=x[label] ** 2, minlength=n_items)
        disagreement = 2 * np.maximum(r * squares - total**2, 0) / _others(r)
        return np.column_stack([disagreement, r, total, squares]) * (r >= 2)[:, None]

    def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        observed, n, total, squares = np.moveaxis(sums, -1, 0)
        expected = 2 * (n * squares - total**2)
        return _alpha(observed, np.where(expected > SAME * n * squares, expected, 0.0), n)

    return Form(features, value)


FORMS: dict[str, Callable[[Coded], Form]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}


def _pairable_counts(units: Units) -> NDArray[np.float64]:
    counts = units.coded.counts().astype(np.float64)
    return np.where(counts.sum(axis=1, keepdims=True) >= 2, counts, 0.0)


def _others(r: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(r > 1, r - 1, 1.0)


def _alpha(
    observed: NDArray[np.float64], expected: NDArray[np.float64], n: NDArray[np.float64]
) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha: NDArray[np.float64] = np.where(expected > 0, 1 - (n - 1) * observed / expected, np.nan)
    return alpha
