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
    """What the estimates of one comparison have in common.

    ``counts`` are the estimate's ``n_...`` fields; ``caution`` is that of intervals in general and
    ``rare_labels`` that of intervals beyond chance.
    """

    counts: dict[str, Any]
    level: float
    target: str
    method: str
    df: int
    resamples: int = 0
    caution: str | None = None
    rare_labels: str | None = None

    @classmethod
    def on(cls, coded: Coded, sums: Sums, level: float, target: str, method: str, **rest: int) -> Maker:
        """For the items of ``coded``, counted and looked at for what weakens an interval."""
        r = coded.ratings_per_item()
        counts = {
            "n_items": int((r > 0).sum()),
            "n_ratings": coded.n_ratings,
            "n_pairable_items": int((r >= 2).sum()),
            "n_clusters": None if coded.cluster is None else sums.n,
        }
        few = interval_caution(coded, sums.n, rare=0.0)
        rare = interval_caution(coded, sums.n, rare=FEW_RARE_IN_DIFFERENCE)
        return cls(counts, level, target, method, caution=few, rare_labels=rare, **{"df": sums.n - 1, **rest})

    def estimate(self, value: float, error: float, lost: int = 0, *, by_share: bool = True) -> Estimate:
        """An estimate with its t interval, or with why it has none; ``by_share`` as in :class:`Form`."""
        if math.isnan(value):
            return undefined(
                "no_variation", n_items=self.counts["n_items"], n_ratings=self.counts["n_ratings"]
            )
        ends = self._ends(float(value), float(error), lost)
        caution = self.rare_labels if by_share else self.caution
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
            caution=caution if ends.none is None else None,
            **self.counts,
        )

    def _ends(self, value: float, error: float, lost: int) -> intervals.Bounds:
        if self.target == NEW_RATERS and self.df < 2:
            return intervals.none("insufficient_raters")
        if self.df < 1:
            return intervals.none("insufficient_items")
        if lost > (1 - FEWEST) * self.resamples:
            return intervals.none("too_few_resamples")
        return intervals.student(value, error, self.df, self.level)
