"""What comparisons of a judge with people share: the sums they rest on and the estimates they make."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from voirdire.stats import intervals
from voirdire.stats.coded import Coded
from voirdire.stats.estimate import NEW_RATERS, Estimate, undefined
from voirdire.stats.judge_form import Verdicts, judge_form, judge_form_reason
from voirdire.stats.sums import Sums, tally
from voirdire.stats.weak import FEW_RARE_IN_DIFFERENCE, interval_caution
from voirdire.stats.weights import By, Weights

__all__ = ["FEWEST", "Maker", "sums_with_people"]

FEWEST = 0.5  # share of resamples that must have a value


def sums_with_people(
    people: Coded, judge: ArrayLike, weights: Weights, by: By, *, fewest_people: int, raters: bool = False
) -> tuple[str, Sums | None, Coded]:
    """Sums over the items that count, or why there are none."""
    verdicts = Verdicts.of(judge, people)
    reason = judge_form_reason(people, weights, by)
    counted = (verdicts.kind >= 0) & (people.ratings_per_item() >= fewest_people)
    if reason is None and not counted.any():
        lacking = people.n_ratings == 0 or not (verdicts.kind >= 0).any()
        reason = "no_labels" if lacking else "no_pairable_items"
    if reason is not None:
        return reason, None, people
    coded = people.select(counted[people.item])
    form = judge_form(coded, verdicts, weights, by, fewest_people)
    [sums] = tally(coded, [form], tag=verdicts.kind + 1, raters=raters)
    return "", sums, coded


@dataclass(frozen=True, slots=True)
class Maker:
    """What the estimates of one comparison have in common."""

    coded: Coded
    sums: Sums
    level: float
    target: str
    method: str
    df: int
    resamples: int

    def estimate(self, value: float, error: float, lost: int = 0, *, by_share: bool = True) -> Estimate:
        """An estimate with its t interval, or with why it has none; ``by_share`` as in :class:`Form`."""
        counts: dict[str, Any] = {"n_items": self.n_items, "n_ratings": self.coded.n_ratings}
        if math.isnan(value):
            return undefined("no_variation", **counts)
        if self.target == NEW_RATERS and self.df < 2:
            ends = intervals.none("insufficient_raters")
        elif self.df < 1:
            ends = intervals.none("insufficient_items")
        elif lost > (1 - FEWEST) * self.resamples:
            ends = intervals.none("too_few_resamples")
        else:
            ends = intervals.student(float(value), float(error), self.df, self.level)
        rare = FEW_RARE_IN_DIFFERENCE if by_share else 0.0
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
            caution=interval_caution(self.coded, self.sums.n, rare=rare) if ends.none is None else None,
            **counts,
        )

    @property
    def n_items(self) -> int:
        """Items that count."""
        return int((self.coded.ratings_per_item() > 0).sum())
