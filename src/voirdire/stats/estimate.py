"""The one form in which every number travels: value, interval, what it covers, or why it is undefined."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any

__all__ = ["NEW_RATERS", "REASONS", "THESE_RATERS", "Estimate", "undefined"]

THESE_RATERS = "these raters, new items"
NEW_RATERS = "new raters, new items"

REASONS = {
    "no_variation": "every label is the same",
    "insufficient_raters": "fewer than two raters",
    "too_few_annotators": "fewer than three people share items",
    "no_pairable_items": "no item has two labels",
    "insufficient_items": "too few items",
    "no_order": "the labels have no declared order",
    "not_numeric": "the labels are not numbers",
    "no_labels": "no label to count",
    "not_identifiable": "the data cannot determine it",
    "too_many_labels": "too many distinct labels to count",
    "too_many_raters": "too many raters to pair",
    "negative_values": "a ratio scale has no values below zero",
    "singular": "the covariance cannot be inverted",
    "too_few_resamples": "too few resamples gave a value",
    "unbounded": "the interval has no lower end",
    "zero_width": "the data show no spread from which to build an interval",
    "insufficient_systems": "too few systems to compare",
    "no_interval_method": "no interval is known for it",
    "undecided_pairs": "some pairs have no winner",
    "undefeated": "some systems never lost to the others, or never won",
    "disconnected": "some systems never met the others",
    "no_upsets": "all wins go one way: ties hide abilities",
    "not_converged": "the fit did not converge",
    "separated": "a threshold parts wins from losses: no finite coefficient",
    "unconfirmed": "people confirm no gap in the judge's scores",
    "too_large": "the design is too large for this method",
    "scale_mismatch": "the judge's scale differs, without a declared map",
    "people_tell_nothing": "one more person predicts no better than base rates",
}
"""Why a number can be undefined: the machine's word and the reader's."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A number with its interval, the interval's target and method, and the counts it rests on.

    ``value`` is NaN exactly when ``undefined`` names one of :data:`REASONS`; ``low`` and ``high`` may be NaN
    beside a value that exists, and ``no_interval`` then says why. ``target`` is what the interval speaks
    about: these raters on new items, or new raters too. ``n_pairable_items`` counts the items with two labels
    or more and ``n_clusters`` the resampled clusters, where the statistic has them. ``caution`` is a sentence
    for an interval that exists and is known to be less certain than its level says.

    >>> print(Estimate(0.6123, 0.55, 0.68, n_items=162, method="percentile", target=THESE_RATERS))
    0.61 [0.55, 0.68]
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    level: float = 0.95
    n_items: int = 0
    n_ratings: int = 0
    method: str = ""
    target: str = ""
    undefined: str | None = None
    no_interval: str | None = None
    resamples: int = 0
    undefined_resamples: int = 0
    n_pairable_items: int | None = None
    n_clusters: int | None = None
    caution: str | None = None

    def __post_init__(self) -> None:
        assert math.isnan(self.value) == (self.undefined is not None), (
            "NaN needs a reason, a reason needs NaN"
        )
        assert self.undefined is None or self.undefined in REASONS, self.undefined
        assert self.no_interval is None or self.no_interval in REASONS, self.no_interval

    def __eq__(self, other: object) -> bool:
        """Whether every field is the same; NaN equals NaN here, so that one audit equals its repetition."""
        return isinstance(other, Estimate) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        values = (getattr(self, field.name) for field in fields(self))
        return tuple(None if value != value else value for value in values)

    @property
    def has_interval(self) -> bool:
        """Whether both bounds exist."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary in which NaN is ``None``, as JSON needs it."""
        return {
            key: None if isinstance(item, float) and not math.isfinite(item) else item
            for key, item in asdict(self).items()
        }

    def __str__(self) -> str:
        if self.undefined is not None:
            return f"undefined ({REASONS[self.undefined]})"
        value, low, high = (_spelled(number) for number in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]" if self.has_interval else value


def _spelled(number: float) -> str:
    text = f"{number:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")


def undefined(reason: str, *, n_items: int = 0, n_ratings: int = 0) -> Estimate:
    """An estimate that has no value, with its reason.

    >>> undefined("no_variation").undefined
    'no_variation'
    """
    return Estimate(math.nan, n_items=n_items, n_ratings=n_ratings, undefined=reason)
