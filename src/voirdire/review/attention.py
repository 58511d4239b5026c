"""What needs the organiser: each concern is one sentence, what to do, and the numbers behind it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from voirdire.checks.words import capital, count, listing, number
from voirdire.review.agreement import Agreement
from voirdire.review.progress import MetricProgress, Progress, RaterProgress

__all__ = ["ENOUGH_SHARED", "Concern", "Facts", "concerns", "duration"]

LOW_ALPHA = 0.667
"""Krippendorff (2004) draws tentative conclusions from alpha of .667 on; below it labels do not hold."""
FEWEST_LABELS = 20
"""Labels of a metric below which the share of a challenge is still within a few raters' moods."""
OFTEN = 0.25
"""A challenge that stands on a quarter of the labels is the metric's, not a few hard items'."""
FAST = 1 / 3
"""A rater who takes less than a third of the others' median time cannot have read what they read."""
FEWEST_TIMES = 10
"""Answers below which a median time may come from the short items of the list."""
LOW_GOLD = 0.7
"""A share of gold items right that a careful rater stays above: one or two of ten are mistakes of anybody."""
FEWEST_GOLD = 5
"""Gold items below which one slip would decide."""
ENOUGH_SHARED = 15
"""Items that two raters should share: with fewer, one item moves their agreement by 7 points or more."""
HALF = 0.5
"""A rater who has not begun when half of the labels are in may not know that work is waiting."""


@dataclass(frozen=True)
class Facts:
    """What concerns are drawn from: where a round stands, agreement, and what else is known of it.

    ``titles`` are the metrics' as read, ``withdrawn`` the raters without a valid link, and ``named`` counts
    the items whose texts hold a system's name.
    """

    progress: Progress
    agreement: Mapping[str, Agreement] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    withdrawn: Sequence[str] = ()
    named: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Concern:
    """One thing to look at: ``what`` in a sentence, then the numbers and what to ``do``.

    ``kind`` is rubric, disagreement, rater, apart, unassigned, waiting, late or unblinded; ``metric`` and
    ``raters`` say whom it is about.
    """

    kind: str
    what: str
    do: str
    metric: str = ""
    raters: tuple[str, ...] = ()


def concerns(facts: Facts) -> list[Concern]:
    """Everything that needs the organiser, what spoils labels first."""
    found = [
        *_unblinded(facts),
        *_challenges(facts),
        *_careless(facts.progress.raters),
        *_unassigned(facts),
        *_waiting(facts),
        *_apart(facts),
        *_late(facts.progress),
    ]
    return found


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    >>> duration(41), duration(190), duration(4000)
    ('41 s', '3:10 min', '1:06 h')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return (
        f"{whole // 60}:{whole % 60:02d} min"
        if whole < 3600
        else f"{whole // 3600}:{whole % 3600 // 60:02d} h"
    )


def careless(one: RaterProgress, others: float) -> list[str]:
    """What is odd in a rater's work, ``others`` being the others' median seconds (NaN without)."""
    said = []
    fast = one.seconds is not None and one.labels >= FEWEST_TIMES and one.seconds < FAST * others
    if fast:
        said.append("fast")
    if one.gold.answered >= FEWEST_GOLD and one.gold.share < LOW_GOLD:
        said.append("misses gold items")
    return said


def others_seconds(raters: Sequence[RaterProgress], but: RaterProgress) -> float:
    """The median of the other raters' median seconds, NaN where none has any."""
    times = [one.seconds for one in raters if one is not but and one.seconds is not None]
    return median(times) if times else math.nan


def _challenges(facts: Facts) -> Iterator[Concern]:
    for metric in facts.progress.metrics:
        told = facts.agreement.get(metric.metric)
        alpha = math.nan if told is None or told.few else told.alpha.value
        if metric.labels < FEWEST_LABELS or not (alpha < LOW_ALPHA or math.isnan(alpha)):
            continue
        unclear, ambiguous = metric.challenges.get("unclear", 0), metric.challenges.get("ambiguous", 0)
        title = facts.titles.get(metric.metric, metric.metric)
        if unclear >= OFTEN * metric.labels and unclear >= ambiguous:
            yield Concern(
                "rubric", f"{title}: raters call the criterion unclear", _rubric(metric, told), metric.metric
            )
        elif ambiguous >= OFTEN * metric.labels:
            yield Concern(
                "disagreement",
                f"{title}: raters call the items ambiguous",
                _real(metric, told),
                metric.metric,
            )


def _rubric(metric: MetricProgress, told: Agreement | None) -> str:
    numbers = f"{metric.challenges['unclear']:,} of {count(metric.labels, 'label')}."
    return (
        f"{numbers}{_alpha(told)} More labels will sharpen that figure, not raise it. Rewrite the criterion "
        "under a new name, then label anew what the change touches."
    )


def _real(metric: MetricProgress, told: Agreement | None) -> str:
    unclear = metric.challenges.get("unclear", 0)
    return (
        f"{metric.challenges['ambiguous']:,} of {count(metric.labels, 'label')}, and {unclear:,} call the "
        f"criterion unclear.{_alpha(told)} Keep the labels: the disagreement is the finding."
    )


def _alpha(told: Agreement | None) -> str:
    if told is None or told.few or told.alpha.undefined is not None:
        return ""
    return f" α is {number(told.alpha.value)}{_course(told.course)}."


def _course(course: Sequence[float]) -> str:
    """How alpha moved over the last half of the labels, where it moved."""
    known = [value for value in course[len(course) // 2 - 1 :] if not math.isnan(value)]
    if len(known) < 2 or abs(known[-1] - known[0]) < 0.05:
        return ""
    return " and falling" if known[-1] < known[0] else " and rising"


def _careless(raters: Sequence[RaterProgress]) -> Iterator[Concern]:
    for one in raters:
        others = others_seconds(raters, one)
        said = careless(one, others)
        if not said:
            continue
        facts = []
        if one.seconds is not None and not math.isnan(others):
            facts.append(f"median {duration(one.seconds)} an item, the others {duration(others)}")
        if one.gold.answered:
            facts.append(f"{one.gold.right:,} of {count(one.gold.answered, 'gold item')} right")
        yield Concern(
            "rater",
            f"Rater {one.rater_id} {' and '.join(_IS[word] for word in said)}",
            f"{capital('; '.join(facts))}. Ask before acting; nothing is left out of the figures.",
            raters=(one.rater_id,),
        )


_IS = {"fast": "is fast", "misses gold items": "misses gold items"}


def _unassigned(facts: Facts) -> Iterator[Concern]:
    for one in facts.progress.raters:
        left = one.assigned - one.done
        asked = f"{count(left, 'label')} {'is' if left == 1 else 'are'} asked of {one.rater_id}"
        if left > 0 and one.rater_id in facts.withdrawn:
            yield Concern(
                "unassigned",
                f"{asked}, whose link was withdrawn",
                "Nobody can give them. Make a new link, or withdraw them and assign them to others.",
                raters=(one.rater_id,),
            )


def _waiting(facts: Facts) -> Iterator[Concern]:
    progress = facts.progress
    waiting = [
        one
        for one in progress.raters
        if one.assigned and not one.done and one.rater_id not in facts.withdrawn
    ]
    if waiting and progress.labels >= HALF * progress.planned:
        names = [one.rater_id for one in waiting]
        asked = sum(one.assigned for one in waiting)
        yield Concern(
            "waiting",
            f"{listing(names)} {'has' if len(names) == 1 else 'have'} not begun",
            f"{asked:,} of {count(progress.planned, 'label')} wait for them. Send the link again, or assign "
            "them to others.",
            raters=tuple(names),
        )


def _apart(facts: Facts) -> Iterator[Concern]:
    pairs = [pair for pair in facts.progress.shared.apart if not set(pair) & set(facts.withdrawn)]
    for first, second in pairs[:3]:
        yield Concern(
            "apart",
            f"{first} and {second} share no item",
            f"Their difference cannot be told from their items’. {ENOUGH_SHARED} shared items would show it.",
            raters=(first, second),
        )
    if len(pairs) > 3:
        yield Concern(
            "apart",
            f"{count(len(pairs) - 3, 'more pair')} of raters share no item",
            "They are outlined in the table of shared items. Assign some items to all.",
        )


def _late(progress: Progress) -> Iterator[Concern]:
    if progress.late:
        yield Concern(
            "late",
            f"{count(progress.late, 'answer')} came after the round had closed",
            "They are kept, and left out of every figure. Open the round again to let raters repeat them.",
        )


def _unblinded(facts: Facts) -> Iterator[Concern]:
    if facts.named:
        items = sum(facts.named.values())
        names = [f"“{name}” ({number})" for name, number in facts.named.items()]
        yield Concern(
            "unblinded",
            f"Texts of items name a system: {listing(names)}",
            f"{count(items, 'text')} may tell raters whose work they read. Mask the names in the study's "
            "texts, or show other columns.",
        )
