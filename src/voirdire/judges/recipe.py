"""Recipe: one way to ask a judge. It turns items and a metric into verdicts through one door, ``ask``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from pydantic import BaseModel

from voirdire.judges.call import Ask
from voirdire.study.metric import Metric

__all__ = ["Citation", "JudgedItem", "Learner", "Recipe", "Turn", "Verdict", "VerdictStatus"]

VerdictStatus = Literal["ok", "unparsed", "ambiguous", "refusal", "truncated", "invalid", "error"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a transcript, numbered from 1."""

    number: int
    role: str
    text: str


@dataclass(frozen=True)
class JudgedItem:
    """What a judge may see of an item: the columns that its file names, and the transcript's turns.

    Of a pair there are two, with one ``id`` and the same ``shared`` fields; ``side`` is then ``first`` or
    ``second`` as the study holds them. What the judge may not see (system, polarity, script, reference) is
    not in here.
    """

    id: str
    fields: Mapping[str, str]
    shared: Mapping[str, str] = field(default_factory=dict)
    turns: tuple[Turn, ...] = ()
    side: Literal["", "first", "second"] = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that the judge relied on; ``found`` says whether the quote stands in that turn."""

    turn: int | None
    quote: str
    found: bool


@dataclass(frozen=True)
class Verdict:
    """A judge's answer on one item and metric.

    ``label`` is one of the scale's, None unless ``status`` is ok. ``probabilities`` sum to 1 over the labels
    where the recipe gives a distribution; ``mass`` is the probability that the reply gave to the labels at
    all, before. ``score`` is a number where the recipe computes one. ``presented`` is the order in which a
    pair was shown. ``requests`` are the hashes of the calls behind it. ``part`` names a question, a
    rubric's leaf or a persona and is empty for the verdict itself; where its labels are not the metric's,
    ``extra`` lists them in order as ``labels``.
    """

    item_id: str
    metric: str
    label: str | None
    status: VerdictStatus = "ok"
    probabilities: Mapping[str, float] | None = None
    mass: float | None = None
    score: float | None = None
    confidence: float | None = None
    rationale: str = ""
    citations: tuple[Citation, ...] = ()
    presented: str = ""
    requests: tuple[str, ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    latency: float | None = None
    part: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


class Recipe(Protocol):
    """One way to ask, registered as a class by ``@register("recipe", name)``.

    The class is called with its ``Options`` (a pydantic model, read from the judge's file) and the judge's
    own prompt or None. ``WORDING`` is the text of its default prompt, which is part of the judge's version.
    """

    Options: ClassVar[type[BaseModel]]
    WORDING: ClassVar[str]
    takes: ClassVar[Literal["one", "pair", "list"]]
    """What an item is to it: a single item, the two sides of a pair, or all items at once."""

    def check(self, metric: Metric) -> None:
        """Raise a user's error where ``metric`` cannot be judged this way, or the prompt does not fit."""

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """Verdicts on ``items``: a single one, the two sides of a pair, or a list; parts after the whole."""


@runtime_checkable
class Learner(Protocol):
    """A recipe that shows labels people gave as examples."""

    def learned(self, study: Any, view: Any) -> Recipe:
        """The recipe with examples drawn from a study, as a :class:`~voirdire.judges.viewing.View` shows."""

    def examples_of(self, metric: Metric) -> tuple[frozenset[str], str]:
        """The ids of items used as examples, which are not judged, and a hash of what is shown of them."""
