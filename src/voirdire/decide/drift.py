"""Drift: do people's labels still follow from the judge's output as they did when the aligner was fitted?

Every new label is scored against the aligner's prediction. The alarm is raised when a confidence sequence for
the mean log score lies above what it was at fitting, that value's own error counted in, by a tolerance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.align.aligner import Aligner
from voirdire.align.identity import check_labels, training_hash
from voirdire.align.observe import features_of
from voirdire.align.plain import plain
from voirdire.decide.drift_map import Followed, largest_loss
from voirdire.decide.drift_scores import Scored, moment, scored
from voirdire.decide.lines import printable
from voirdire.errors import UserError, check_share
from voirdire.stats.confidence_sequence import confidence_sequence
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.study.study import Study

__all__ = ["Alarm", "Drift", "DriftOptions", "drift", "first_alarm", "follow"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
TOLERANCE = 0.02
"""Nats: below this a worse score changes no decision."""


@dataclass(frozen=True, kw_only=True)
class DriftOptions:
    """Options of the drift alarm.

    ``tolerance`` is how much worse the mean log score may become, in nats. ``level``: without drift beyond it
    the alarm is raised with chance 1 - level at most, however often one looks. ``since`` leaves out labels
    created before it.
    """

    tolerance: float = TOLERANCE
    level: float = 0.95
    since: str = ""

    def __post_init__(self) -> None:
        check_share("level", self.level, 0.5)
        if not (math.isfinite(self.tolerance) and self.tolerance >= 0):
            raise UserError(f"tolerance is {self.tolerance}", expected="0 nats or more")
        if self.since:
            moment(self.since, "since")


@dataclass(frozen=True, eq=False)
class Alarm:
    """After each of n scores in order: the ``change`` of the mean since fitting between ``low`` and ``high``.

    Each end by itself holds with the level at every time. ``at`` is after how many scores ``low`` first was
    above the tolerance, 0 if it never was; arrays are (..., n), ``at`` is (...,).
    """

    change: Floats
    low: Floats
    high: Floats
    at: Positions


@dataclass(frozen=True)
class Drift:
    """Whether the mean log score became worse than at fitting by more than ``tolerance`` nats.

    ``change`` is the mean now less that at fitting; each end of its interval holds by itself with the level,
    at every time. ``first`` is after how many clusters the alarm was raised, 0 if it was not. ``order`` is
    what the labels were ordered by.
    """

    metrics: tuple[str, ...]
    change: Estimate
    reference: Estimate
    tolerance: float
    first: int
    n_labels: int
    order: str
    notes: tuple[str, ...] = field(default=())

    @property
    def alarm(self) -> bool:
        """Whether the alarm was raised at any time."""
        return self.first > 0

    @property
    def sentence(self) -> str:
        """The outcome in a sentence."""
        n = f"{self.change.n_clusters or 0:,} clusters with new labels"
        if self.change.undefined is not None:
            return f"Whether people's labels drifted cannot be told: {self.change}."
        if self.alarm:
            return (
                f"DRIFT: people's labels no longer follow from the judge's output as they did: the log score "
                f"is {self.change} nats worse. The alarm was raised after {self.first:,} of {n}."
            )
        if self.change.high <= self.tolerance:
            return (
                f"No drift: the log score changed by {self.change} nats, within {self.tolerance:g}, over {n}."
            )
        return (
            f"No alarm over {n}: the log score changed by {self.change} nats, of {self.tolerance:g} allowed."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"sentence": self.sentence, "alarm": self.alarm, **plain(self)}

    def __str__(self) -> str:
        return "\n".join([self.sentence, *map(printable, self.notes)])


def drift(aligner: Aligner, study: Study, options: DriftOptions | None = None) -> Drift:
    """Follow the aligner's score on the human labels of ``study``, which it must not have been fitted on.

    A cluster's rows, whose labels go together, count as one score at the time of their last label: by
    ``created_at`` where every label has one, else in order of the rows. Another judge, version or scale is a
    user's error, as are the labels that the aligner was fitted on.
    """
    chosen = options or DriftOptions()
    return follow(Followed.of(aligner, level=chosen.level), study, chosen)


def follow(followed: Followed, study: Study, options: DriftOptions) -> Drift:
    """The same for a map that was fitted for the purpose."""
    encoding = followed.encoding
    metrics = [metric.name for metric in study.metrics if metric.name in encoding.metrics]
    if not metrics:
        raise UserError(
            "no metric of the aligner is in the study",
            where=study.name,
            expected=f"one of {', '.join(encoding.metrics)}",
        )
    followed.identity.check(study, encoding.read if encoding.aspects else metrics, where=study.name)
    check_labels(study, encoding, metrics, where=study.name)
    rows = features_of(study, metrics=metrics, encoding=encoding).labelled
    if len(rows) and training_hash(rows, study) == followed.data_hash:
        raise UserError(
            "these are the labels that the aligner was fitted on", where=study.name, fix="give newer labels"
        )
    new = scored(followed.model, study, rows, since=options.since)
    change, first = _change(followed, new, options)
    return Drift(
        tuple(metrics),
        change,
        followed.reference,
        options.tolerance,
        first,
        new.n_labels,
        new.order,
        new.notes,
    )


def first_alarm(
    scores: Floats,
    reference: tuple[float | Floats, float | Floats, float | Floats],
    *,
    largest: float,
    tolerance: float = TOLERANCE,
    level: float = 0.95,
) -> Alarm:
    """Where a confidence sequence for the mean of ``scores`` (..., n) first is above the reference.

    ``reference`` is the mean at fitting and its one-sided bounds, each missed with chance (1 - level) / 2 at
    most. ``scores`` lie between 0 and ``largest``. The other half of 1 - level is the sequence's, so that
    without a change beyond ``tolerance`` an alarm has chance 1 - level at most. An end needs one bound of the
    scores only: the lower one is in units of a little more than the reference, whatever the largest score.
    """
    mean, low, high = (np.asarray(part, dtype=np.float64)[..., None] for part in reference)
    sequence = confidence_sequence(scores, bounds=(0.0, largest), scale=high + tolerance, level=level)
    above = sequence.low - high > tolerance
    at = np.where(above.any(axis=-1), above.argmax(axis=-1) + 1, 0) if scores.shape[-1] else 0
    return Alarm(sequence.mean - mean, sequence.low - high, sequence.high - low, np.asarray(at))


def _change(followed: Followed, new: Scored, options: DriftOptions) -> tuple[Estimate, int]:
    """The change of the mean so far, and after how many clusters the alarm was raised."""
    reference = followed.reference
    if reference.undefined is not None or not reference.has_interval:
        return undefined(reference.undefined or "insufficient_items"), 0
    if not len(new.score):
        return undefined("no_labels"), 0
    found = first_alarm(
        new.score,
        (reference.value, reference.low, reference.high),
        largest=largest_loss(followed.model),
        tolerance=options.tolerance,
        level=options.level,
    )
    change = Estimate(
        float(found.change[-1]),
        float(found.low[-1]),
        float(found.high[-1]),
        options.level,
        n_items=len(new.score),
        n_ratings=new.n_labels,
        method="confidence sequence, each end by itself",
        target=THESE_RATERS,
        n_clusters=len(new.score),
    )
    return change, int(found.at)
