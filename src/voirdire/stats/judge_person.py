"""Does a judge agree with people as people agree with each other, on the same items and scale?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.registry import register
from voirdire.stats import intervals
from voirdire.stats.coded import Coded
from voirdire.stats.estimate import NEW_RATERS, THESE_RATERS, Estimate, undefined
from voirdire.stats.judge_form import JUDGE, JUDGE_AGREEMENT, PEOPLE, PEOPLE_AGREEMENT
from voirdire.stats.judge_sums import FEWEST, Maker, sums_with_people
from voirdire.stats.sums import resample
from voirdire.stats.weights import By, Weights

__all__ = ["JudgePerson", "judge_against_people"]

DIFFERENCE = 4  # the column after the four of the form: judge minus people


@dataclass(frozen=True, slots=True)
class JudgePerson:
    """The judge's and the people's agreement on the same items, and their difference (judge minus people).

    ``judge`` and ``people`` are beyond chance, ``judge_agreement`` and ``people_agreement`` raw.
    ``n_clusters`` counts the resampled units: items, where there are no clusters. ``standard_error`` and
    ``df`` belong to the difference, so that it can be stated at any level.
    """

    judge: Estimate
    people: Estimate
    difference: Estimate
    judge_agreement: Estimate
    people_agreement: Estimate
    n_items: int
    n_ratings: int
    n_clusters: int
    standard_error: float
    df: int

    def difference_at(self, level: float) -> Estimate:
        """The difference with its interval at another level, from the same standard error."""
        if not self.difference.has_interval:
            return replace(self.difference, level=level)
        ends = intervals.student(self.difference.value, self.standard_error, self.df, level)
        return replace(self.difference, low=ends.low, high=ends.high, level=level)


@register("statistic", "judge_against_people")
def judge_against_people(
    people: Coded,
    judge: ArrayLike,
    *,
    weights: Weights = "identity",
    by: By = "value",
    level: float = 0.95,
    resamples: int = 2000,
    target: str = THESE_RATERS,
    rng: np.random.Generator,
) -> JudgePerson:
    """Compare judge-person with person-person agreement by one coefficient on the items that have both.

    ``people`` holds the human ratings; ``judge`` is (n_items,) codes with -1 for no verdict, or (n_items,
    q) shares of the labels over the judge's runs. Only items with a verdict and two people or more count,
    the same for both. Both coefficients are 1 - D_o / D_e with disagreement weights v = 1 - w. People: D_o
    is the mean over items of the mean disagreement of pairs of people, D_e = sum_kl v_kl pi_k pi_l. Judge:
    D_o is the mean over items of the mean disagreement of judge and person, D_e = sum_kl v_kl piJ_k pi_l;
    pi are the people's mean shares over items and piJ the judge's. The people's is Fleiss' kappa on these
    items; the judge's is that of an isolated rater against a group (Schouten 1982; Vanbelle & Albert 2009).

    Intervals are value +- t(clusters - 1) x SE, where SE comes from one paired bootstrap of the items or
    clusters, so they can be stated at any level (a percentile at 99.9 % would rest on a handful of
    resamples). They are not clipped to [-1, 1]: a bound outside says that the items are too few, and clipping
    would hide it. ``resamples=0`` takes the jackknife's standard error: the same from some hundred units on,
    at a fraction of the cost. For ``NEW_RATERS`` the jackknife variance over raters is added, with t(raters -
    1).

    >>> people = Coded.from_matrix([[0, 0], [1, 1], [1, 0], [0, 0], [1, 1]])
    >>> result = judge_against_people(people, [0, 1, 1, 0, 0], rng=np.random.default_rng(1))
    >>> print(round(result.judge.value, 3), round(result.people.value, 3), round(result.difference.value, 3))
    0.4 0.6 -0.2
    """
    reason, sums, coded = sums_with_people(
        people, judge, weights, by, fewest_people=2, raters=target == NEW_RATERS
    )
    if sums is None:
        none = undefined(reason)
        return JudgePerson(none, none, none, none, none, 0, 0, 0, math.nan, 0)
    if resamples:
        [drawn] = resample([sums], resamples, rng)
        spread, lost = _spread(_with_difference(drawn), sums.n)
    else:
        spread = intervals.jackknife_error(_with_difference(sums.without_each_unit()), sums.frequency)
        lost = np.zeros(len(spread), np.int64)
    df = sums.n - 1
    if target == NEW_RATERS:
        spread = np.hypot(spread, intervals.jackknife_error(_with_difference(sums.without_each_rater())))
        df = len(sums.raters) - 1
    method = f"{'bootstrap' if resamples else 'jackknife'} standard error, t"
    made = Maker.on(coded, sums, level, target, method, df=df, resamples=resamples)
    value = _with_difference(sums.value())
    judged, among, raw_judge, raw_people, difference = (
        made.estimate(value[k], spread[k], lost[k], by_share=k not in (JUDGE_AGREEMENT, PEOPLE_AGREEMENT))
        for k in (JUDGE, PEOPLE, JUDGE_AGREEMENT, PEOPLE_AGREEMENT, DIFFERENCE)
    )
    return JudgePerson(
        judged,
        among,
        difference,
        raw_judge,
        raw_people,
        judged.n_items,
        judged.n_ratings,
        sums.n,
        float(spread[DIFFERENCE]),
        df,
    )


def _with_difference(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The form's values (..., 4) and judge minus people after them (..., 5)."""
    return np.concatenate([values, values[..., JUDGE, None] - values[..., PEOPLE, None]], axis=-1)


def _spread(drawn: NDArray[np.float64], n: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Standard error from the defined resamples of each column (5,) and how many were undefined (5,)."""
    lost = np.isnan(drawn).sum(axis=0)
    enough = lost <= (1 - FEWEST) * len(drawn)
    spread = np.full(drawn.shape[1], math.nan)
    small_sample = math.sqrt(n / max(n - 1, 1))  # resampling n units spreads by (n - 1) / n of the variance
    spread[enough] = np.nanstd(drawn[:, enough], axis=0, ddof=1) * small_sample
    return spread, lost
