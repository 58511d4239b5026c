"""A judge against people on any items, single-rated ones too."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from voirdire.registry import register
from voirdire.stats import intervals
from voirdire.stats.coded import Coded
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.judge_form import JUDGE, JUDGE_AGREEMENT
from voirdire.stats.judge_sums import Maker, sums_with_people
from voirdire.stats.weights import By, Weights

__all__ = ["JudgeAgreement", "judge_agreement"]


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """A judge's agreement with people on some items: raw, and beyond chance."""

    agreement: Estimate
    coefficient: Estimate


@register("statistic", "judge_agreement")
def judge_agreement(
    people: Coded,
    judge: ArrayLike,
    *,
    weights: Weights = "identity",
    by: By = "value",
    level: float = 0.95,
    fewest_people: int = 1,
) -> JudgeAgreement:
    """A judge's agreement with people on every item that has a verdict and ``fewest_people`` people or more.

    The coefficient and the raw agreement are those of :func:`judge_against_people`, without people's
    agreement beside it, so items that one person rated count too. Intervals: jackknife over items or
    clusters, Student's t.

    >>> people = Coded.from_matrix([[0, None], [1, 1], [1, 0], [0, None], [1, None]])
    >>> print(round(judge_agreement(people, [0, 1, 1, 0, 0]).agreement.value, 2))
    0.7
    """
    reason, sums, coded = sums_with_people(people, judge, weights, by, fewest_people=fewest_people)
    if sums is None:
        return JudgeAgreement(undefined(reason), undefined(reason))
    spread = intervals.jackknife_error(sums.without_each_unit(), sums.frequency)
    made = Maker.on(coded, sums, level, THESE_RATERS, "jackknife")
    value = sums.value()
    return JudgeAgreement(
        made.estimate(value[JUDGE_AGREEMENT], spread[JUDGE_AGREEMENT], by_share=False),
        made.estimate(value[JUDGE], spread[JUDGE]),
    )
