"""When a label card may grade: every rule in one place, each with the reason that a reader is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from voirdire.bench.audited import CorrectedRate
from voirdire.bench.card_people import PeopleOn
from voirdire.bench.shares import PassRate
from voirdire.decide.rates_options import FEWEST

__all__ = ["RULES", "Basis", "Grade", "Graded", "grade"]

Grade = Literal["yes", "with care", "withheld"]
FEWEST_JUDGED = 30
"""Conversations of a system below which a rate says little whoever judges."""
MOST_MISSING = 0.10
"""Share of verdicts that may be missing: with more, the rate depends on what they would have said."""
WEAK, FAIR = 1 / 3, 2 / 3
"""Krippendorff's alpha below which people mean different things, and below which they often disagree (his own
limit for tentative conclusions)."""
WIDEST, WIDE = 0.40, 0.25
"""Widths of the 95 % interval that leave open whether things mostly go well, and that deserve a warning."""
RULES = (
    "people’s labels on some conversations, given without seeing the judge’s verdict",
    f"at least {FEWEST_JUDGED} judged conversations of the system",
    f"at most {MOST_MISSING:.0%} of the verdicts missing",
    f"at least {FEWEST} of the system's own conversations labelled by people, to correct the judge's errors",
    "two people or more on some of them, so that their agreement is known",
    f"people's agreement (Krippendorff's alpha) at least {WEAK:.2f}; with care below {FAIR:.2f}",
    f"an interval of at most {100 * WIDEST:.0f} points; with care above {100 * WIDE:.0f}",
    "with care where the judge is of the system's own family, or may not stand in for people",
)
"""What a card demands before it grades, in order, as pages print it."""


@dataclass(frozen=True)
class Basis:
    """What is known of one behaviour of one system: the judge's rate, the corrected one, and people.

    ``judge_kin`` says that the judge is the system or of its family, ``judge_errs`` that an audit found that
    it may not stand in for people here.
    """

    rate: PassRate | None
    corrected: CorrectedRate | None
    people: PeopleOn
    judge_kin: bool = False
    judge_errs: bool = False


@dataclass(frozen=True)
class Graded:
    """May the card say how often it went well? ``reason`` in at most ten words."""

    grade: Grade
    reason: str


def grade(basis: Basis) -> Graded:
    """The first rule that withholds, else the first that asks for care, else yes.

    >>> grade(Basis(None, None, PeopleOn()))
    Graded(grade='withheld', reason='no conversation judged')
    """
    for reason in _withholds(basis):
        return Graded("withheld", reason)
    for reason in _cautions(basis):
        return Graded("with care", reason)
    assert basis.corrected is not None, "without it the grade is withheld"
    each = f"{basis.people.per_item:.1f}".removesuffix(".0")
    return Graded("yes", f"{each} people an item, {basis.people.items:,} items")


def _withholds(basis: Basis) -> Iterator[str]:
    rate, corrected, people = basis.rate, basis.corrected, basis.people
    if rate is None or not rate.judged:
        yield "no conversation judged"
        return
    if not people.items:
        yield "nobody has checked the judge here"
    if rate.judged < FEWEST_JUDGED:
        yield f"{rate.judged} conversations, {FEWEST_JUDGED} needed"
    if rate.missing > MOST_MISSING * (rate.judged + rate.missing):
        yield f"{rate.missing:,} of {rate.judged + rate.missing:,} verdicts are missing"
    if corrected is None or corrected.corrected.undefined is not None:
        yield f"people checked {people.items:,} conversations: too few"
    elif corrected.labelled < FEWEST:
        # a rate that borrows from other systems says little of this one, however narrow its interval
        yield f"people checked {corrected.labelled} of its conversations, {FEWEST} needed"
    elif people.alpha.undefined is not None:
        one = people.labels == people.items
        yield f"one person an item, {people.items:,} items" if one else "people’s agreement is not measurable"
    elif people.alpha.value < WEAK:
        yield "people disagree on what it means"
    elif not corrected.corrected.has_interval:
        yield "too few metrics for an interval"
    elif corrected.corrected.high - corrected.corrected.low > WIDEST:
        yield "the interval is too wide"


def _cautions(basis: Basis) -> Iterator[str]:
    assert basis.corrected is not None, "without it the grade is withheld"
    corrected, people = basis.corrected, basis.people
    if people.alpha.value < FAIR:
        yield "people often disagree"
    if basis.judge_kin:
        yield "the judge is of the same family"
    if basis.judge_errs:
        yield "the judge often errs here; corrected"
    if corrected.metrics < corrected.of:
        yield f"people checked {corrected.metrics} of {corrected.of} metrics"
    if corrected.corrected.high - corrected.corrected.low > WIDE:
        yield "the interval is wide"
