"""Each rater against all others on the items they share, for every rater at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from voirdire.registry import register
from voirdire.stats.coded import Coded
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.judge_form import JUDGE, JUDGE_AGREEMENT, Verdicts, judge_form, judge_form_reason
from voirdire.stats.judge_sums import Maker
from voirdire.stats.units import collapse, leave_one_out
from voirdire.stats.weak import FEW_RARE_IN_DIFFERENCE, caution
from voirdire.stats.weights import By, Weights

__all__ = ["RaterAgreement", "leave_one_rater_out"]


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """One rater's agreement with all others on the items they share: raw, and beyond chance."""

    rater: int
    agreement: Estimate
    coefficient: Estimate


@register("statistic", "leave_one_rater_out")
def leave_one_rater_out(
    coded: Coded, *, weights: Weights = "identity", by: By = "value", level: float = 0.95
) -> list[RaterAgreement]:
    """Each rater against all others on the items they share, by the coefficient of :func:`judge_agreement`.

    One entry for every rater who rated, in order of their number. Undefined (``no_pairable_items``) for a
    rater who shares no item. It is the human level beside a judge's :func:`judge_agreement` with the same
    people. Work grows with the ratings, not with the raters.

    >>> [round(r.agreement.value, 2) for r in leave_one_rater_out(Coded.from_matrix([[0, 0, 1], [1, 1, 1]]))]
    [0.75, 0.75, 0.5]
    """
    raters, rater = np.unique(coded.rater, return_inverse=True)
    reason = judge_form_reason(coded, weights, by)
    if reason is not None:
        return [RaterAgreement(int(r), undefined(reason), undefined(reason)) for r in raters]
    values, errors, units = _scores(coded, rater, len(raters), weights, by)
    makers = _makers(coded, rater, units, level)
    return [
        RaterAgreement(
            int(r),
            made.estimate(value[JUDGE_AGREEMENT], error[JUDGE_AGREEMENT], by_share=False),
            made.estimate(value[JUDGE], error[JUDGE]),
        )
        if n
        else RaterAgreement(int(r), undefined("no_pairable_items"), undefined("no_pairable_items"))
        for r, n, value, error, made in zip(raters, units, values, errors, makers, strict=True)
    ]


def _scores(
    coded: Coded, rater: NDArray[np.int64], n_raters: int, weights: Weights, by: By
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """The form's values (R, 4), their jackknife errors (R, 4) and the units each rests on (R,)."""
    collapsed = collapse(coded)
    left, _, which = leave_one_out(collapsed, coded)
    verdict = np.empty(len(left.item), np.int64)
    verdict[which] = coded.label  # the label taken away judges the rest
    form = judge_form(coded, Verdicts(verdict, None), weights, by, 1)
    features = form.features(replace(left, item=np.arange(len(verdict))))

    shared = np.flatnonzero(features[which, 0] > 0)
    block = (coded.item if coded.cluster is None else coded.cluster[coded.item])[shared].astype(np.int64)
    key, unit = np.unique(rater[shared] * (block.max(initial=0) + 1) + block, return_inverse=True)
    owner = key // (block.max(initial=0) + 1)
    rows = _add(unit, which[shared], (len(key), len(features))) @ features
    by_owner = _add(owner, np.arange(len(key)), (n_raters, len(key)))
    total, n = by_owner @ rows, np.bincount(owner, minlength=n_raters)
    without = form.value(total[owner] - rows)
    apart = without - (by_owner @ without / np.maximum(n, 1)[:, None])[owner]
    error = np.sqrt((np.maximum(n - 1, 0) / np.maximum(n, 1))[:, None] * (by_owner @ apart**2))
    return form.value(total), error, n


def _add(row: NDArray[np.int64], column: NDArray[np.int64], shape: tuple[int, int]) -> Any:
    """The matrix that adds up, for each row, the columns named beside it."""
    return sparse.csr_array((np.ones(len(row)), (row, column)), shape=shape)


def _makers(coded: Coded, rater: NDArray[np.int64], units: NDArray[np.int64], level: float) -> list[Maker]:
    """Each rater's counts and cautions: the labels looked at are the rater's own."""
    others = coded.ratings_per_item()[coded.item] - 1
    items, ratings, pairable = (
        np.bincount(rater, weights=weight, minlength=len(units)).astype(int)
        for weight in (others > 0, others, others > 1)
    )
    pair, times = np.unique(rater * coded.q + coded.label, return_counts=True)
    commonest = np.zeros(len(units))
    np.maximum.at(commonest, pair // coded.q, times)
    rare = (1 - commonest / np.bincount(rater)) * units
    unit = "items" if coded.cluster is None else "clusters"
    return [
        Maker(
            {
                "n_items": int(items[r]),
                "n_ratings": int(ratings[r]),
                "n_pairable_items": int(pairable[r]),
                "n_clusters": None if coded.cluster is None else int(units[r]),
            },
            level,
            THESE_RATERS,
            "jackknife",
            int(units[r]) - 1,
            caution=caution(int(units[r]), unit=unit),
            rare_labels=caution(int(units[r]), rare[r], fewest=FEW_RARE_IN_DIFFERENCE, unit=unit),
        )
        for r in range(len(units))
    ]
