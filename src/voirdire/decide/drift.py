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
from scipy.special import stdtrit

from voirdire.align.aligner import Aligner
from voirdire.align.identity import check_labels, training_hash
from voirdire.align.numerics import PRIOR_MASS
from voirdire.align.observe import features_of
from voirdire.align.plain import plain
from voirdire.decide.drift_scores import Scored, moment, scored
from voirdire.decide.lines import printable
from voirdire.errors import UserError, check_share
from voirdire.stats.confidence_sequence import confidence_sequence
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.study.study import Study

__all__ = ["Alarm", "Drift", "DriftOptions", "drift", "first_alarm", "largest_loss"]

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
    metrics = [metric.name for metric in study.metrics if metric.name in aligner.encoding.metrics]
    if not metrics:
        raise UserError(
            "no metric of the aligner is in the study",
            where=study.name,
            expected=f"one of {', '.join(aligner.encoding.metrics)}",
        )
    read = aligner.encoding.read if aligner.encoding.aspects else metrics
    aligner.identity.check(study, read, where=study.name)
    check_labels(study, aligner.encoding, metrics, where=study.name)
    rows = features_of(study, metrics=metrics, encoding=aligner.encoding).labelled
    if len(rows) and training_hash(rows, study) == aligner.data_hash:
        raise UserError(
            "these are the labels that the aligner was fitted on", where=study.name, fix="give newer labels"
        )
    return _judged(aligner, metrics, scored(aligner, study, rows, since=chosen.since), chosen)


def largest_loss(aligner: Aligner) -> float:
    """The largest log score a label can have, -log(0.01 of its smallest base rate), in nats."""
    least = min(float(member.floor.table.min()) for member in aligner.model.members)
    return -math.log(PRIOR_MASS * least)


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


def _judged(aligner: Aligner, metrics: list[str], new: Scored, options: DriftOptions) -> Drift:
    reference = _reference(aligner, options.level)
    change = undefined("no_labels")
    first = 0
    if reference.undefined is not None:
        change = undefined(reference.undefined)
    elif not reference.has_interval:
        change = undefined("insufficient_items")
    elif len(new.score):
        found = first_alarm(
            new.score,
            (reference.value, reference.low, reference.high),
            largest=largest_loss(aligner),
            tolerance=options.tolerance,
            level=options.level,
        )
        first = int(found.at)
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
    return Drift(
        tuple(metrics), change, reference, options.tolerance, first, new.n_labels, new.order, new.notes
    )


def _reference(aligner: Aligner, level: float) -> Estimate:
    """The out-of-fold log score at fitting, each bound missed with chance (1 - level) / 2."""
    model = aligner.evaluation.model(aligner.evaluation.chosen)
    if model is None:
        return undefined("not_identifiable")
    found = model.log
    if not found.has_interval or found.n_clusters is None:
        return found
    df = found.n_clusters - 1
    error = (found.high - found.low) / 2 / float(stdtrit(df, (1 + found.level) / 2))
    reach = float(stdtrit(df, (1 + level) / 2)) * error
    return Estimate(
        found.value,
        found.value - reach,
        found.value + reach,
        level,
        n_items=found.n_items,
        n_ratings=found.n_ratings,
        method=found.method,
        target=found.target,
        n_clusters=found.n_clusters,
    )
