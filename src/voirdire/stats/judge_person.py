"""Does a judge agree with people as people agree with each other, on the same items and the same scale?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.registry import register
from voirdire.stats import intervals
from voirdire.stats.coded import Coded
from voirdire.stats.estimate import NEW_RATERS, THESE_RATERS, Estimate, undefined
from voirdire.stats.judge_form import JUDGE, JUDGE_AGREEMENT, PEOPLE, PEOPLE_AGREEMENT, Verdicts, judge_form
from voirdire.stats.sums import Sums, resample, tally
from voirdire.stats.weights import By, Weights, weights_reason

__all__ = [
    "JudgeAgreement",
    "JudgePerson",
    "RaterAgreement",
    "judge_against_people",
    "judge_agreement",
    "leave_one_rater_out",
]

DIFFERENCE = 4  # the column after the four of the form: judge minus people
FEWEST = 0.5  # share of resamples that must have a value


@dataclass(frozen=True, slots=True)
class JudgePerson:
    """The judge's and the people's agreement on the same items, and their difference (judge minus people).

    ``judge`` and ``people`` are beyond chance, ``judge_agreement`` and ``people_agreement`` raw.
    ``standard_error`` and ``df`` belong to the difference, so that it can be stated at any level.
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


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """A judge's agreement with people on some items: raw, and beyond chance."""

    agreement: Estimate
    coefficient: Estimate


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """One rater's agreement with all others on the items they share: raw, and beyond chance."""

    rater: int
    agreement: Estimate
    coefficient: Estimate


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
    would hide it. For ``NEW_RATERS`` the jackknife variance over raters is added, with t(raters - 1).

    >>> people = Coded.from_matrix([[0, 0], [1, 1], [1, 0], [0, 0], [1, 1]])
    >>> result = judge_against_people(people, [0, 1, 1, 0, 0], rng=np.random.default_rng(1))
    >>> print(round(result.judge.value, 3), round(result.people.value, 3), round(result.difference.value, 3))
    0.4 0.6 -0.2
    """
    reason, sums, coded = _sums(people, judge, weights, by, fewest_people=2, raters=target == NEW_RATERS)
    if sums is None:
        none = undefined(reason)
        return JudgePerson(none, none, none, none, none, 0, 0, 0, math.nan, 0)
    [drawn] = resample([sums], resamples, rng)
    spread, lost = _spread(_with_difference(drawn))
    df = sums.n - 1
    if target == NEW_RATERS:
        spread = np.hypot(spread, intervals.jackknife_error(_with_difference(sums.without_each_rater())))
        df = len(sums.raters) - 1
    made = _Maker(coded, sums, level, target, "bootstrap standard error, t", df, resamples)
    value = _with_difference(sums.value())
    judged, among, raw_judge, raw_people, difference = (
        made.estimate(value[k], spread[k], lost[k])
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
    reason, sums, coded = _sums(people, judge, weights, by, fewest_people=fewest_people)
    if sums is None:
        return JudgeAgreement(undefined(reason), undefined(reason))
    spread = intervals.jackknife_error(sums.without_each_unit(), sums.frequency)
    made = _Maker(coded, sums, level, THESE_RATERS, "jackknife", sums.n - 1, 0)
    value = sums.value()
    raw, beyond = (made.estimate(value[k], spread[k]) for k in (JUDGE_AGREEMENT, JUDGE))
    return JudgeAgreement(raw, beyond)


@register("statistic", "leave_one_rater_out")
def leave_one_rater_out(
    coded: Coded, *, weights: Weights = "identity", by: By = "value", level: float = 0.95
) -> list[RaterAgreement]:
    """Each rater against all others on the items they share, by the coefficient of :func:`judge_agreement`.

    One entry for every rater who rated, in order of their number. Undefined (``no_pairable_items``) for a
    rater who shares no item. It is the human level beside a judge's :func:`judge_agreement` with the same
    people.

    >>> [round(r.agreement.value, 2) for r in leave_one_rater_out(Coded.from_matrix([[0, 0, 1], [1, 1, 1]]))]
    [0.75, 0.75, 0.5]
    """
    results = []
    for rater in np.unique(coded.rater):
        own = coded.rater == rater
        labels = np.full(coded.n_items, -1)
        labels[coded.item[own]] = coded.label[own]
        others = coded.select(~own & (labels[coded.item] >= 0))
        found = judge_agreement(others, labels, weights=weights, by=by, level=level)
        results.append(RaterAgreement(int(rater), found.agreement, found.coefficient))
    return results


def _sums(
    people: Coded, judge: ArrayLike, weights: Weights, by: By, *, fewest_people: int, raters: bool = False
) -> tuple[str, Sums | None, Coded]:
    """Sums over the items that count, or why there are none."""
    verdicts = Verdicts.of(judge, people)
    reason = weights_reason(people, weights, by)
    counted = (verdicts.kind >= 0) & (people.ratings_per_item() >= fewest_people)
    if reason is None and not counted.any():
        lacking = people.n_ratings == 0 or not (verdicts.kind >= 0).any()
        reason = "no_labels" if lacking else "no_pairable_items"
    if reason is not None:
        return reason, None, people
    coded = people.select(counted[people.item])
    form = judge_form(coded, verdicts, weights, by)
    [sums] = tally(coded, [form], tag=verdicts.kind + 1, raters=raters)
    return "", sums, coded


def _with_difference(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The form's values (..., 4) and judge minus people after them (..., 5)."""
    return np.concatenate([values, values[..., JUDGE, None] - values[..., PEOPLE, None]], axis=-1)


def _spread(drawn: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Standard deviation of the defined resamples of each column (5,) and how many were undefined (5,)."""
    lost = np.isnan(drawn).sum(axis=0)
    enough = lost <= (1 - FEWEST) * len(drawn)
    spread = np.full(drawn.shape[1], math.nan)
    spread[enough] = np.nanstd(drawn[:, enough], axis=0, ddof=1)
    return spread, lost


@dataclass(frozen=True, slots=True)
class _Maker:
    """What the estimates of one comparison have in common."""

    coded: Coded
    sums: Sums
    level: float
    target: str
    method: str
    df: int
    resamples: int

    def estimate(self, value: float, error: float, lost: int = 0) -> Estimate:
        """An estimate with its t interval, or with why it has none."""
        counts: dict[str, Any] = {"n_items": self.n_items, "n_ratings": self.coded.n_ratings}
        if math.isnan(value):
            return undefined("no_variation", **counts)
        if self.df < 1:
            few = "insufficient_raters" if self.target == NEW_RATERS else "insufficient_items"
            ends = intervals.none(few)
        elif lost > (1 - FEWEST) * self.resamples:
            ends = intervals.none("too_few_resamples")
        else:
            ends = intervals.student(float(value), float(error), self.df, self.level)
        return Estimate(
            float(value),
            ends.low,
            ends.high,
            self.level,
            method=self.method,
            target=self.target,
            no_interval=ends.none,
            resamples=self.resamples,
            undefined_resamples=int(lost),
            n_pairable_items=int((self.coded.ratings_per_item() >= 2).sum()),
            n_clusters=None if self.coded.cluster is None else self.sums.n,
            **counts,
        )

    @property
    def n_items(self) -> int:
        """Items that count."""
        return int((self.coded.ratings_per_item() > 0).sum())
