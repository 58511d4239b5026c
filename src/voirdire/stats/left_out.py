"""One person left out at a time: who agrees better with the other people on an item, they or the judge?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.stats.coded import Coded

__all__ = ["LeftOut", "left_out_comparisons"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
ROUNDING = 1e-9
WIDTHLESS = 1e-12


@dataclass(frozen=True, eq=False)
class LeftOut:
    """m comparisons, one for each rating of an item that another person rated and that has a verdict.

    ``rater`` (m,) counts from 0 to ``n_raters`` - 1, ``unit`` (m,) numbers the item, or its cluster where
    ``clustered``. ``judge_wins`` (m,) is 1 where the judge scores at least as well as the person, W^f, and
    ``person_wins`` (m,) 1 where the person scores at least as well as the judge, W^h; both on a tie.
    """

    rater: Codes
    unit: Codes
    item: Codes
    judge_wins: Floats
    person_wins: Floats
    n_raters: int
    clustered: bool

    @property
    def n_items(self) -> int:
        """Number of items compared on."""
        return len(np.unique(self.item))

    @cached_property
    def items(self) -> Codes:
        """Number of items of each rater (n_raters,)."""
        return np.bincount(self.rater, minlength=self.n_raters)

    def of(self, raters: NDArray[np.intp]) -> LeftOut:
        """The comparisons of ``raters`` only, numbered anew in their order."""
        place = np.full(self.n_raters, -1)
        place[raters] = np.arange(len(raters))
        rows = place[self.rater] >= 0
        columns = ("unit", "item", "judge_wins", "person_wins")
        kept = {name: getattr(self, name)[rows] for name in columns}
        return replace(self, rater=place[self.rater[rows]], n_raters=len(raters), **kept)

    def mean(self, values: Floats) -> tuple[Floats, Floats, Codes]:
        """Each rater's mean of ``values`` (m,), its standard error over units, and the number of units.

        The error is NaN with one unit and 0 where all units have the same mean.
        """
        size, owner, own = self._units
        sums = np.bincount(own, values, minlength=len(size))
        total = np.maximum(self.items, 1)
        mean = np.bincount(self.rater, values, minlength=self.n_raters) / total
        units = np.bincount(owner, minlength=self.n_raters)
        square = np.bincount(owner, (sums - mean[owner] * size) ** 2, minlength=self.n_raters)
        spread = np.sqrt(square * units / np.maximum(units - 1, 1)) / total
        error = np.where(units > 1, np.where(spread < WIDTHLESS, 0.0, spread), np.nan)
        return mean, error, units

    @cached_property
    def _units(self) -> tuple[Codes, Codes, Codes]:
        """Of each pair of rater and unit the number of items and the rater; of each comparison its pair."""
        width = int(self.unit.max(initial=0)) + 1
        key, own, size = np.unique(self.rater * width + self.unit, return_inverse=True, return_counts=True)
        return size, key // width, own


def left_out_comparisons(
    people: Coded, judge: ArrayLike, score: str | ArrayLike, *, clustered: bool
) -> LeftOut:
    """Compare the judge with each person, as scored against the other people who rated the item.

    ``judge`` is (n_items,) codes, -1 for no verdict; ``score`` as in
    :func:`~voirdire.stats.alternative_annotator.alternative_annotator_test`.
    """
    verdict = np.asarray(judge)
    if verdict.shape != (people.n_items,) or not ((verdict >= -1) & (verdict < people.q)).all():
        raise UserError(
            f"verdicts of shape {verdict.shape}",
            expected=f"({people.n_items},) codes from -1 to {people.q - 1}",
        )
    rows = (people.ratings_per_item()[people.item] > 1) & (verdict[people.item] >= 0)
    item, label = people.item[rows].astype(np.int64), people.label[rows].astype(np.int64)
    gap = _gap(people, item, label, verdict[item].astype(np.int64), score)
    by_cluster = clustered and people.cluster is not None
    unit = people.cluster[item].astype(np.int64) if by_cluster and people.cluster is not None else item
    return LeftOut(
        people.rater[rows].astype(np.int64),
        unit,
        item,
        (gap >= 0).astype(np.float64),
        (gap <= 0).astype(np.float64),
        people.n_raters,
        by_cluster,
    )


def _gap(people: Coded, item: Codes, label: Codes, verdict: Codes, score: str | ArrayLike) -> Floats:
    """Whether the judge's score (m,) is above, equal to or below the person's: positive, 0 or negative."""
    if isinstance(score, str) and score not in ("accuracy", "neg_rmse"):
        raise UserError(f"no score named '{score}'", expected="accuracy, neg_rmse or a (q, q) array")
    if isinstance(score, str) and score == "neg_rmse":
        return _distance_gap(people, item, label, verdict)
    if isinstance(score, str):
        counts = people.counts()
        judge = counts[item, verdict] - (verdict == label)
        more: Floats = (judge - (counts[item, label] - 1)).astype(np.float64)
        return more
    alike = np.asarray(score, dtype=np.float64)
    if alike.shape != (people.q, people.q) or not np.isfinite(alike).all():
        raise UserError(f"similarities of shape {alike.shape}", expected=f"({people.q}, {people.q}) numbers")
    sums = people.counts() @ alike.T
    gap = (sums[item, verdict] - alike[verdict, label]) - (sums[item, label] - alike[label, label])
    return _rounded(gap, float(np.abs(alike).max()) * people.n_raters)


def _distance_gap(people: Coded, item: Codes, label: Codes, verdict: Codes) -> Floats:
    """The sign of RMSE(person) - RMSE(judge) over the m others k of an item.

    sum_k (h - y_k)² - sum_k (f - y_k)² = (h - f) (m (h + f) - 2 sum_k y_k), whose factors round to 0 apart.
    """
    if not people.has_order:
        raise UserError(
            "a distance needs an order of the labels", fix="declare the categories in their order"
        )
    x = np.arange(people.q, dtype=np.float64) if people.values is None else people.values
    x = x - x.mean() if len(x) else x
    own = x[people.label]
    n = people.ratings_per_item()[item] - 1
    others = np.bincount(people.item, own, minlength=people.n_items)[item] - x[label]
    h, f = x[label], x[verdict]
    span = float(np.ptp(x)) if len(x) else 0.0
    middle = _rounded(n * (h + f) - 2 * others, people.n_raters * span)
    return np.sign(_rounded(h - f, span)) * np.sign(middle)


def _rounded(gap: Floats, scale: float) -> Floats:
    """``gap`` with what is rounding alone set to 0, so that ties are ties."""
    return np.where(np.abs(gap) <= ROUNDING * scale, 0.0, gap)
