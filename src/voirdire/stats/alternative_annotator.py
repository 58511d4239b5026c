"""May the judge replace a person? The alternative annotator test, one person left out at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.below_margin import exact_below, like_below, signed_rank_below
from voirdire.stats.coded import Coded
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.intervals import student
from voirdire.stats.left_out import LeftOut, left_out_comparisons
from voirdire.stats.multiplicity import adjusted_p_values
from voirdire.stats.transforms import logit_interval, normal_quantile

__all__ = [
    "EPSILON",
    "AlternativeAnnotator",
    "AlternativeAnnotatorTest",
    "alternative_annotator_test",
    "fewest_items",
]

Floats = NDArray[np.float64]
Small: TypeAlias = Literal["wilcoxon", "exact", "skip"]

EPSILON = {"expert": 0.2, "skilled": 0.15, "crowd": 0.1}
"""How much worse than the person a judge may be, by the kind of person it would replace: people that cost
more leave it more room."""
FEW_ITEMS = 30
FEWEST_ANNOTATORS = 3
PASSES = 0.5


@dataclass(frozen=True, slots=True)
class AlternativeAnnotator:
    """The judge against one person, on the ``n_items`` that both and at least one other person labelled.

    ``advantage`` is the share of items on which the judge agrees with the others at least as well as the
    person does; ``difference`` the mean of d, the person's share minus the judge's. ``p`` is one-sided for a
    mean of d below ``epsilon``, ``p_adjusted`` corrected for the number of persons.
    ``method`` names the test.
    """

    rater: int
    n_items: int
    n_units: int
    epsilon: float
    advantage: Estimate
    difference: Estimate
    p: float
    p_adjusted: float
    rejected: bool
    method: str


@dataclass(frozen=True, slots=True)
class AlternativeAnnotatorTest:
    """Every annotator's test and what they add up to.

    ``winning_rate`` is the share of annotators over whom the judge wins, ``advantage`` the mean over
    annotators of theirs. ``passed`` says whether the winning rate is 0.5 or more, None where there is none.
    ``left_out`` are raters who shared too few items.
    """

    annotators: tuple[AlternativeAnnotator, ...]
    left_out: tuple[int, ...]
    winning_rate: Estimate
    advantage: Estimate

    @property
    def passed(self) -> bool | None:
        """Whether the judge wins over at least half of the annotators."""
        return None if self.winning_rate.undefined is not None else self.winning_rate.value >= PASSES


@register("statistic", "alternative_annotator_test")
def alternative_annotator_test(
    people: Coded,
    judge: ArrayLike,
    *,
    score: str | ArrayLike = "accuracy",
    epsilon: ArrayLike = EPSILON["expert"],
    small: Small = "wilcoxon",
    clustered: bool = True,
    level: float = 0.95,
) -> AlternativeAnnotatorTest:
    """May the judge replace one of the people? Each is left out in turn and compared with the judge.

    ``people`` holds the human ratings, ``judge`` is (n_items,) codes with -1 for no verdict. On each item
    the judge f and the person j left out are scored against the other people: by ``"accuracy"`` (share of
    equal labels), ``"neg_rmse"`` (minus the root mean square distance of values, or of ranks where an order
    is declared without values) or a (q, q) matrix of similarities. With W^f = [S_f >= S_j], W^h = [S_j >=
    S_f] and d = W^h - W^f, the judge wins over j where the mean of d is below ``epsilon`` (one number, or
    (n_raters,)): one-sided paired t, Benjamini-Yekutieli over the annotators at 1 - ``level``.

    Below 30 items ``small`` decides: ``"wilcoxon"`` as published, ``"skip"`` as in the authors' code, or
    ``"exact"``, the one that keeps its error rate (Wilcoxon tests symmetry and not the mean: it rejects in up
    to 94 % of studies where the mean is exactly the margin). Where all d of a person are
    equal, t is undefined and the bound (1 - epsilon)^n is used. Items in clusters are taken as such unless
    ``clustered`` is False, which is the published test: t on the clusters' sums, clusters - 1 df, at any
    number of items.

    Undefined with fewer than three people who share items with another and with the judge
    (``too_few_annotators``), or where ``"skip"`` leaves none (``insufficient_items``).

    Source: Calderon, Reichart & Dror 2025, section 3.

    >>> people = Coded.from_matrix([[0, 0, 1], [1, 1, 1], [0, 1, 0], [2, 2, 2]] * 10)
    >>> found = alternative_annotator_test(people, [0, 1, 0, 2] * 10)
    >>> found.winning_rate.value, round(found.advantage.value, 3)
    (1.0, 1.0)
    """
    normal_quantile(level)
    if small not in ("wilcoxon", "exact", "skip"):
        raise UserError(f"no test named {small!r}", expected="wilcoxon, exact or skip")
    margins = _margins(epsilon, people.n_raters)
    found = left_out_comparisons(people, judge, score, clustered=clustered)
    sizes = np.bincount(found.rater, minlength=people.n_raters)
    enough = sizes >= (FEW_ITEMS if small == "skip" else 1)
    left_out = tuple(np.setdiff1d(np.unique(people.rater), np.flatnonzero(enough)).tolist())
    if (sizes > 0).sum() < FEWEST_ANNOTATORS or not enough.any():
        few = (sizes > 0).sum() < FEWEST_ANNOTATORS
        none = undefined("too_few_annotators" if few else "insufficient_items", n_items=found.n_items)
        return AlternativeAnnotatorTest((), left_out, none, none)
    kept = found.of(np.flatnonzero(enough))
    annotators = _annotators(kept, margins[enough], np.flatnonzero(enough), small, level)
    rejected = sum(one.rejected for one in annotators)
    rate = Estimate(
        rejected / len(annotators),
        level=level,
        n_items=kept.n_items,
        n_ratings=len(kept.rater),
        target=THESE_RATERS,
        no_interval="no_interval_method",
    )
    return AlternativeAnnotatorTest(annotators, left_out, rate, _mean_advantage(kept, level))


def fewest_items(epsilon: float, annotators: int, *, level: float = 0.95) -> int:
    """Items that an annotator must share for a judge that never differs from them to be shown to win.

    The p-value of ties alone, (1 - epsilon)^n, must not exceed (1 - level) / (1 + 1/2 + ... + 1/annotators),
    the Benjamini-Yekutieli bound where all are rejected. 0 at an ``epsilon`` of 0, where no number will do.

    >>> fewest_items(0.2, 3), fewest_items(0.1, 3), fewest_items(0.1, 24)
    (17, 35, 42)
    """
    if epsilon <= 0:
        return 0
    bound = (1 - level) / sum(1 / k for k in range(1, annotators + 1))
    return math.ceil(math.log(bound) / math.log(1 - epsilon))


def _margins(epsilon: ArrayLike, n_raters: int) -> Floats:
    given = np.asarray(epsilon, dtype=np.float64)
    if given.shape not in ((), (n_raters,)) or not ((given >= 0) & (given < 1)).all():
        raise UserError(
            f"epsilon is {epsilon!r}",
            expected=f"a share from 0 to below 1, or one for each of {n_raters} raters",
        )
    return np.broadcast_to(given, (n_raters,))


def _annotators(
    found: LeftOut, margin: Floats, rater: NDArray[np.intp], small: Small, level: float
) -> tuple[AlternativeAnnotator, ...]:
    mean, error, units = found.mean(found.person_wins - found.judge_wins)
    p, method = _p_values(found, (mean, error, units), margin, small)
    adjusted = adjusted_p_values(p)
    share, share_error, _ = found.mean(found.judge_wins)
    made = _Maker(level, found.clustered)
    return tuple(
        AlternativeAnnotator(
            rater=int(rater[j]),
            n_items=int(found.items[j]),
            n_units=int(units[j]),
            epsilon=float(margin[j]),
            advantage=made.share(share[j], share_error[j], found.items[j], units[j]),
            difference=made.difference(mean[j], error[j], found.items[j], units[j]),
            p=float(p[j]),
            p_adjusted=float(adjusted[j]),
            rejected=bool(adjusted[j] <= 1 - level),
            method=method[j],
        )
        for j in range(len(rater))
    )


def _p_values(
    found: LeftOut, means: tuple[Floats, Floats, NDArray[np.int64]], margin: Floats, small: Small
) -> tuple[Floats, list[str]]:
    """Each annotator's one-sided p-value for a mean of d below the margin, and the test that gave it."""
    mean, error, units = means
    spread = error > 0
    t = (mean - margin) / np.where(spread, error, 1.0)
    p = np.where(spread, stdtr(np.maximum(units - 1, 1), t), like_below(mean, units, margin))
    over = "t over clusters" if found.clustered else "t"
    method = [over if has else "bound, all alike" for has in spread.tolist()]
    if not found.clustered:
        for j in np.flatnonzero(spread & (found.items < FEW_ITEMS)).tolist():
            mine = found.rater == j
            judge, person = found.judge_wins[mine].sum(), found.person_wins[mine].sum()
            down, up = int(found.items[j] - person), int(found.items[j] - judge)
            test = exact_below if small == "exact" else signed_rank_below
            p[j] = test(down, int(found.items[j]) - down - up, up, float(margin[j]))
            method[j] = "exact" if small == "exact" else "Wilcoxon"
    return p, method


@dataclass(frozen=True, slots=True)
class _Maker:
    """What every estimate of one test shares."""

    level: float
    clustered: bool

    def difference(self, value: float, error: float, items: int, units: int) -> Estimate:
        """A mean with its t interval."""
        ends = student(float(value), float(error), int(units) - 1, self.level)
        return self._estimate(float(value), (ends.low, ends.high), int(items), int(units), "t")

    def share(self, value: float, error: float, items: int, units: int) -> Estimate:
        """A share with its interval on the logit scale, which stays within 0 and 1."""
        ends = logit_interval(float(value), float(error), self.level) if error > 0 else (math.nan, math.nan)
        return self._estimate(float(value), ends, int(items), int(units), "logit")

    def _estimate(
        self, value: float, ends: tuple[float, float], items: int, units: int, method: str
    ) -> Estimate:
        missing = None if ends[1] > ends[0] else "insufficient_items" if units < 2 else "zero_width"
        return Estimate(
            value,
            ends[0] if missing is None else math.nan,
            ends[1] if missing is None else math.nan,
            self.level,
            n_items=items,
            n_ratings=items,
            method="" if missing else f"{method} over clusters" if self.clustered else method,
            target=THESE_RATERS,
            no_interval=missing,
            n_clusters=units if self.clustered else None,
        )


def _mean_advantage(found: LeftOut, level: float) -> Estimate:
    """rho: the mean over annotators of their share of items; linearised over the units they share."""
    share, _, _ = found.mean(found.judge_wins)
    influence = (found.judge_wins - share[found.rater]) / (found.n_raters * found.items[found.rater])
    sums = np.bincount(np.unique(found.unit, return_inverse=True)[1], influence)
    n = len(sums)
    error = math.sqrt(n / (n - 1) * float(sums @ sums)) if n > 1 else math.nan
    made = _Maker(level, found.clustered).share(float(share.mean()), error, found.n_items, n)
    return replace(made, n_ratings=len(found.rater))
