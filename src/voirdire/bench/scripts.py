"""Scripts: a user and systems that say what is written for them, with behaviour planted at exact rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import count
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from voirdire.bench.conversation import Spoken
from voirdire.bench.dialogue import Part, Said
from voirdire.bench.suite import Case
from voirdire.judges.call import content_hash

__all__ = [
    "Cue",
    "Planted",
    "Script",
    "ScriptedSystem",
    "ScriptedUser",
    "lasts",
    "planted",
    "rule_of",
    "written",
]

GO_ON = "Go on, please."
"""What a scripted user says while nothing is written and a move is still to come."""
SAID = ["I see. Could you tell me more?"]
Shape = Literal["present", "absent", "off_topic"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Planted(_Part):
    """Behaviour planted in the conversations of some metrics and variants; the last rule that fits counts."""

    metric: str = Field(default="*", description="The metric, or a pattern with * for several.")
    variant: str = Field(default="*", description="The variant as results name it, or a pattern: age=teen.")
    rate: float = Field(ge=0, le=1, description="The share of conversations in which it is present, exactly.")
    present: str = Field(min_length=1, description="What the system says where it is present.")
    absent: str = Field(min_length=1, description="What it says where it is absent.")
    turn: int = Field(default=1, ge=1, le=100, description="The turn at which it says so.")
    off_topic: str = Field(default="", description="What it says instead where there is no occasion.")
    off_topic_rate: float = Field(
        default=0, ge=0, le=1, description="The share without occasion; the rate is of the others."
    )


class Script(_Part):
    """A system that is no model: what it says, and which behaviour is planted how often."""

    says: list[str] = Field(default=SAID, min_length=1, description="Replies at all other turns, in a round.")
    planted: list[Planted] = Field(default_factory=list, description="What is planted where.")


@dataclass(frozen=True)
class Cue:
    """What a scripted system says in one conversation: ``words`` at ``turn``, and ``says`` elsewhere."""

    says: tuple[str, ...]
    words: str = ""
    turn: int = 0


class ScriptedSystem:
    """Says what its cue holds; it calls nothing and costs nothing."""

    async def say(self, part: Part, spoken: Sequence[Spoken], heard: str) -> Said:
        """The cue's words at their turn, else the next reply of its round."""
        cue: Cue = part.cue
        number = len(spoken) + 1
        return Said(cue.words if number == cue.turn else cue.says[(number - 1) % len(cue.says)])


class ScriptedUser:
    """Says the opening, each move at its turn and the scenario's script between, and leaves when all is said.

    >>> ScriptedUser.WORDING
    'Go on, please.'
    """

    WORDING = GO_ON

    async def say(self, part: Part, spoken: Sequence[Spoken], heard: str) -> Said:
        """What is written for the next turn."""
        return written(part.case, len(spoken) + 1)


def written(case: Case, number: int) -> Said:
    """What a scripted user says at turn ``number``; it leaves when nothing is left to say."""
    if number == 1:
        return Said(case.opening)
    moves = {move.turn: move.say for move in case.scenario.moves}
    if number in moves:
        return Said(moves[number])
    place = sum(turn not in moves for turn in range(2, number))
    if place < len(case.scenario.script):
        return Said(case.scenario.script[place])
    return Said(GO_ON) if number < max(moves, default=0) else Said("", "left")


def lasts(case: Case) -> int:
    """The turns for which a scripted user has words."""
    return next(number for number in count(1) if written(case, number + 1).status == "left")


def planted(script: Script, system: str, case: Case, repeats: int) -> Iterator[tuple[int, Cue]]:
    """What ``system`` says in each repeat of ``case``.

    Of the n conversations of a system, metric and variant exactly round(rate n) show the behaviour (a half is
    rounded up): those that come first by a hash of system, metric, variant, scenario and repeat.
    """
    rule = rule_of(script, case)
    if rule is None:
        yield from ((repeat, Cue(tuple(script.says))) for repeat in range(repeats))
        return
    shapes = _shapes(rule, system, case, repeats)
    for repeat in range(repeats):
        words = getattr(rule, shapes[case.scenario.id, repeat])
        yield repeat, Cue(tuple(script.says), words, rule.turn)


def rule_of(script: Script, case: Case) -> Planted | None:
    """The rule of ``script`` that counts in ``case``, None where nothing is planted."""
    metric, variant = case.metric.metric, case.variant.name
    fits = (
        rule
        for rule in reversed(script.planted)
        if fnmatchcase(metric, rule.metric) and fnmatchcase(variant, rule.variant)
    )
    return next(fits, None)


@lru_cache(maxsize=256)
def _ranked(
    system: str, metric: str, variant: str, scenarios: tuple[str, ...], repeats: int
) -> list[tuple[str, int]]:
    every = [(scenario, repeat) for scenario in scenarios for repeat in range(repeats)]
    return sorted(every, key=lambda one: content_hash([system, metric, variant, *one]))


def _shapes(rule: Planted, system: str, case: Case, repeats: int) -> dict[tuple[str, int], Shape]:
    """Present, absent or off topic, by scenario and repeat."""
    scenarios = tuple(scenario.id for scenario in case.metric.scenarios)
    ranked = _ranked(system, case.metric.metric, case.variant.name, scenarios, repeats)
    aside = _rounded(rule.off_topic_rate * len(ranked))
    shown = aside + _rounded(rule.rate * (len(ranked) - aside))
    return {
        one: "off_topic" if place < aside else "present" if place < shown else "absent"
        for place, one in enumerate(ranked)
    }


def _rounded(count: float) -> int:
    # 0.35 of 10 is not quite 3.5 in floating point
    return int(round(count, 9) + 0.5)
