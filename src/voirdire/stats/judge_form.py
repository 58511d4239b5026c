"""The judge's and the people's disagreement on the same items as one form of feature sums."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.stats.coded import Coded
from voirdire.stats.coefficient import CERTAIN, ratio
from voirdire.stats.sums import Form
from voirdire.stats.units import Units
from voirdire.stats.weights import By, Weights, agreement_weights, weights_reason

__all__ = [
    "JUDGE",
    "JUDGE_AGREEMENT",
    "PEOPLE",
    "PEOPLE_AGREEMENT",
    "Verdicts",
    "judge_form",
    "judge_form_reason",
]

JUDGE, PEOPLE, JUDGE_AGREEMENT, PEOPLE_AGREEMENT = range(4)  # what the form's value (..., 4) holds


@dataclass(frozen=True, slots=True)
class Verdicts:
    """A judge's verdicts on n_items items: one label each, or shares of labels over its runs.

    ``kind`` (n_items,) numbers the distinct verdicts, -1 where there is none. ``shares`` (kinds, q) are the
    shares of the labels in each; without it kind k is label k.
    """

    kind: NDArray[np.int64]
    shares: NDArray[np.float64] | None

    @classmethod
    def of(cls, judge: ArrayLike, coded: Coded) -> Verdicts:
        """Read codes (n_items,), -1 for none, or shares (n_items, q), a row of 0 or NaN for none."""
        given = np.asarray(judge)
        if given.shape == (coded.n_items,) and given.dtype.kind in "iu":
            if len(given) and (given.min() < -1 or given.max() >= coded.q):
                raise UserError("a verdict is not a category's code", expected=f"-1 or 0 to {coded.q - 1}")
            return cls(given.astype(np.int64), None)
        if given.shape != (coded.n_items, coded.q) or given.dtype.kind not in "iuf":
            raise UserError(
                f"the judge's verdicts have shape {given.shape} and type {given.dtype}",
                expected=f"integer codes ({coded.n_items},) or shares ({coded.n_items}, {coded.q})",
            )
        weight = np.nan_to_num(given.astype(np.float64))
        if (weight < 0).any():
            raise UserError("a verdict has a negative share", expected="shares of labels over runs")
        total = weight.sum(axis=1)
        shares, kind = np.unique(
            weight / np.where(total > 0, total, 1.0)[:, None], axis=0, return_inverse=True
        )
        return cls(np.where(total > 0, kind.reshape(-1), -1), shares)

    def mean(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean of ``x`` (q,) or (q, ...) over the labels of each kind of verdict (kinds, ...)."""
        return x if self.shares is None else self.shares @ x


def judge_form(coded: Coded, verdicts: Verdicts, weights: Weights, by: By, fewest: int) -> Form:
    """Both coefficients and both raw agreements (..., 4) from sums over items with ``fewest`` people or more.

    Quadratic weights by value need only means and mean squares, so they serve scores with any number of
    values.
    """
    if _by_value(weights, by) and coded.values is not None:
        return _by_moments(coded, verdicts, fewest)
    return _by_counts(1 - agreement_weights(coded, weights, by), verdicts, fewest)


def judge_form_reason(coded: Coded, weights: Weights, by: By) -> str | None:
    """Why these labels cannot carry the form with these weights, or None."""
    if _by_value(weights, by):
        return None if coded.values is not None else weights_reason(coded, weights, by)
    return weights_reason(coded, weights, by)


def _by_value(weights: Weights, by: By) -> bool:
    return isinstance(weights, str) and weights == "quadratic" and by == "value"


def _by_counts(v: NDArray[np.float64], verdicts: Verdicts, fewest: int) -> Form:
    q = len(v)
    shares = verdicts.mean(np.eye(q))

    def features(units: Units) -> NDArray[np.float64]:
        counts = units.coded.counts().astype(np.float64)
        judge = shares[verdicts.kind[units.item]]
        r = counts.sum(axis=1)
        pi = counts / np.where(r > 0, r, 1.0)[:, None]
        among_people = (counts * (counts @ v)).sum(axis=1) / _pairs(r)
        to_people = (judge * (pi @ v)).sum(axis=1)
        columns = np.column_stack([np.ones(len(r)), to_people, among_people, judge, pi])
        return np.asarray(columns * (r >= fewest)[:, None])

    def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        mean = ratio(sums, sums[..., :1])
        judge, people = mean[..., 3 : 3 + q], mean[..., 3 + q :]
        by_chance = ((judge @ v) * people).sum(axis=-1), ((people @ v) * people).sum(axis=-1)
        return _values(mean, *by_chance)

    return Form(features, value)


def _by_moments(coded: Coded, verdicts: Verdicts, fewest: int) -> Form:
    assert coded.values is not None
    low, span = coded.values.min(initial=np.inf), np.ptp(coded.values) if coded.q else 0.0
    x = (coded.values - low) / (span if span > 0 else 1.0)
    verdict = verdicts.mean(np.column_stack([x, x**2]))

    def features(units: Units) -> NDArray[np.float64]:
        item, label, n_items = units.coded.item, units.coded.label, units.coded.n_items
        r = np.bincount(item, minlength=n_items).astype(np.float64)
        total = np.bincount(item, weights=x[label], minlength=n_items)
        squares = np.bincount(item, weights=x[label] ** 2, minlength=n_items)
        mean, square = (part / np.where(r > 0, r, 1.0) for part in (total, squares))
        judge, judge_square = verdict[verdicts.kind[units.item]].T
        among_people = 2 * np.maximum(r * squares - total**2, 0) / _pairs(r)
        to_people = judge_square - 2 * judge * mean + square
        columns = [np.ones(len(r)), to_people, among_people, judge, judge_square, mean, square]
        return np.column_stack(columns) * (r >= fewest)[:, None]

    def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        moments = ratio(sums, sums[..., :1])
        _, _, _, judge, judge_square, people, people_square = np.moveaxis(moments, -1, 0)
        by_chance = judge_square - 2 * judge * people + people_square, 2 * (people_square - people**2)
        return _values(moments, *by_chance)

    return Form(features, value)


def _pairs(r: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ordered pairs of people on an item; 1 where there are none, to be divided by."""
    return np.where(r > 1, r * (r - 1), 1.0)


def _values(
    mean: NDArray[np.float64], judge_chance: NDArray[np.float64], people_chance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """1 - D_o / D_e of the judge and of the people, then both raw agreements 1 - D_o."""
    judge, people = mean[..., 1], mean[..., 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        judge_beyond = np.where(judge_chance > CERTAIN, 1 - judge / judge_chance, np.nan)
        people_beyond = np.where(people_chance > CERTAIN, 1 - people / people_chance, np.nan)
    return np.stack([judge_beyond, people_beyond, 1 - judge, 1 - people], axis=-1)
