"""What the replacement tests found, person by person, and how it is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voirdire.align.plain import plain
from voirdire.decide.distributional import DistributionalAnnotator, DistributionalTest
from voirdire.decide.expertise import rater_kind
from voirdire.decide.lines import aligned, printable
from voirdire.decide.replacement_options import ReplacementOptions
from voirdire.stats.alternative_annotator import (
    FEW_ITEMS,
    AlternativeAnnotator,
    AlternativeAnnotatorTest,
    fewest_items,
)
from voirdire.stats.estimate import Estimate
from voirdire.study.rater import Rater

__all__ = ["MEANING", "Person", "Replacement", "ReplacementTests", "both", "meanings"]

PASSES = 0.5
MEANING = {
    True: (
        "A judge that passes by labels alone matches people about as well as one of them does; that it tells "
        "more of the others than one person's label does is not shown. Always giving the commonest label can "
        "pass so, for a tie counts for the judge."
    ),
    False: (
        "A judge that passes by distribution alone tells more of the others, once aligned, than one person's "
        "label does, while its single labels do not pass: use the distribution, not the verdict."
    ),
}
"""What it means that a judge passes by labels and not by distribution, and the other way round."""
WORDS = {True: "passes", False: "not shown", None: "cannot tell"}


@dataclass(frozen=True)
class Person:
    """The judge against one person: ``kind`` is expert, skilled or crowd; a test not made is None."""

    id: str
    kind: str
    labels: AlternativeAnnotator | None
    distribution: DistributionalAnnotator | None


@dataclass(frozen=True)
class Replacement:
    """Both tests of one judge on one metric.

    By single labels (the alternative annotator test): ``winning_rate`` and ``advantage``, labels compared by
    ``score``. By the aligned distribution: ``share_worth``, the share of people than whose label it is worth
    more, and ``gain``, in nats for each label of another person. None where a test could not be made, which
    ``no_labels`` or ``no_distribution`` explains.
    """

    metric: str
    judge: str
    score: str
    people: tuple[Person, ...]
    winning_rate: Estimate | None
    advantage: Estimate | None
    share_worth: Estimate | None
    gain: Estimate | None
    level: float
    no_labels: str = ""
    no_distribution: str = ""

    @property
    def tested(self) -> tuple[AlternativeAnnotator, ...]:
        """The tests by single labels, one a person."""
        return tuple(one.labels for one in self.people if one.labels is not None)

    @property
    def weighed(self) -> tuple[DistributionalAnnotator, ...]:
        """The tests by distribution, one a person."""
        return tuple(one.distribution for one in self.people if one.distribution is not None)

    @property
    def able(self) -> int:
        """How many people share enough items for a judge that never differs from them to win."""
        needed = {one.epsilon: self.items_needed(one.epsilon) for one in self.tested}
        return sum(0 < needed[one.epsilon] <= one.n_units for one in self.tested)

    @property
    def small(self) -> int:
        """How many people share fewer than 30 items with the judge."""
        return sum(one.n_items < FEW_ITEMS for one in self.tested)

    @property
    def passes(self) -> bool | None:
        """Whether the judge wins over half of the people or more by single labels.

        None where it could not be tested, or too few people share enough items for any judge to pass.
        """
        if self.winning_rate is None:
            return None
        passed = self.winning_rate.value >= PASSES
        return True if passed else False if self.able >= PASSES * len(self.tested) else None

    @property
    def passes_by_distribution(self) -> bool | None:
        """Whether its distribution is worth more than the label of half of the people or more."""
        return None if self.share_worth is None else self.share_worth.value >= PASSES

    @property
    def disagree(self) -> bool:
        """Whether one test is passed and the other is not."""
        answers = self.passes, self.passes_by_distribution
        return None not in answers and answers[0] is not answers[1]

    def items_needed(self, epsilon: float) -> int:
        """Items that a person must share for a judge that never differs from them to win, 0 for never."""
        return fewest_items(epsilon, len(self.tested), level=self.level)

    @property
    def warning(self) -> str:
        """That the two tests disagree, and how; empty where they do not."""
        if not self.disagree:
            return ""
        one, other = ("labels", "distribution") if self.passes else ("distribution", "labels")
        return f"{self._where}: the tests disagree; passed by {one} and not by {other}."

    @property
    def notes(self) -> tuple[str, ...]:
        """What the two answers do not say: why there is none, too few items, tests that disagree."""
        where, said = self._where, [self.warning] if self.disagree else []
        if self.no_labels:
            said.append(f"{where}: not tested: {self.no_labels}.")
        elif self.passes is None:
            epsilon = min(one.epsilon for one in self.tested)
            said.append(
                f"{where}: {self.able} of {len(self.tested)} people share enough items to be won over by a "
                f"judge that never differs from them; at epsilon {epsilon:g} that takes "
                f"{self.items_needed(epsilon)} each."
            )
        if self.no_distribution and self.no_distribution != self.no_labels:
            said.append(f"{where}: no test by distribution: {self.no_distribution}.")
        if self.together and self.gain is not None:
            said.append(
                f"{where}: over all people together its distribution is worth more than one person's label "
                f"({self.gain} nats), and over too few of them one by one."
            )
        return tuple(said)

    @property
    def together(self) -> bool:
        """Whether the distribution gains over all people together, and over too few of them alone."""
        return self.passes_by_distribution is False and self.gain is not None and self.gain.low > 0

    @property
    def _where(self) -> str:
        return f"{self.judge} on {self.metric}"


@dataclass(frozen=True)
class ReplacementTests:
    """The tests of every judge and metric asked for. Printing them gives a table and its notes."""

    tests: tuple[Replacement, ...]
    options: ReplacementOptions

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of every test, a warning wherever the two tests disagree, and what that means."""
        return tuple(note for one in self.tests for note in one.notes) + meanings(self.tests)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        tests = [
            {
                **plain(one),
                "passes": one.passes,
                "passes_by_distribution": one.passes_by_distribution,
                "notes": list(one.notes),
            }
            for one in self.tests
        ]
        return {"options": plain(self.options), "tests": tests}

    def __str__(self) -> str:
        head = ["metric", "judge", "wins over", "rho", "labels", "worth more than", "Delta", "distribution"]
        rows = [head, *([one.metric, one.judge, *_cells(one)] for one in self.tests)]
        return "\n".join([*aligned(rows), *map(printable, self.notes)])


def meanings(tests: Sequence[Replacement]) -> tuple[str, ...]:
    """What the disagreements among ``tests`` mean, each kind once."""
    return tuple(
        MEANING[kind] for kind in (True, False) if any(t.disagree and t.passes is kind for t in tests)
    )


def both(
    names: tuple[str, str],
    score: str,
    classic: tuple[AlternativeAnnotatorTest | None, Sequence[Rater], str],
    told: tuple[DistributionalTest | None, Sequence[Rater], str],
) -> Replacement:
    """Both tests of one metric and judge, each with the raters its numbers mean, or why there is none."""
    labels, raters, no_labels = classic
    spread, others, no_distribution = told
    one = {raters[each.rater].id: each for each in labels.annotators} if labels else {}
    two = {others[each.rater].id: each for each in spread.annotators} if spread else {}
    given = labels.winning_rate if labels else spread.gain if spread else None
    return Replacement(
        *names,
        score,
        _people({rater.id: rater for rater in others}, one, two),
        labels.winning_rate if labels else None,
        labels.advantage if labels else None,
        spread.share_rejected if spread else None,
        spread.gain if spread else None,
        given.level if given else 0.95,
        no_labels,
        no_distribution,
    )


def _people(
    raters: Mapping[str, Rater],
    labels: Mapping[str, AlternativeAnnotator],
    spread: Mapping[str, DistributionalAnnotator],
) -> tuple[Person, ...]:
    return tuple(
        Person(name, rater_kind(rater.expertise), labels.get(name), spread.get(name))
        for name, rater in raters.items()
        if name in labels or name in spread
    )


def _cells(one: Replacement) -> list[str]:
    def won(tests: Sequence[AlternativeAnnotator | DistributionalAnnotator]) -> str:
        return f"{sum(each.rejected for each in tests)} of {len(tests)}" if tests else "-"

    def told(estimate: Estimate | None) -> str:
        return "-" if estimate is None else str(estimate)

    return [
        won(one.tested),
        told(one.advantage),
        WORDS[one.passes],
        won(one.weighed),
        told(one.gain),
        WORDS[one.passes_by_distribution],
    ]
