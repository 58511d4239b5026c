"""Checklist: several yes-or-no questions about an item, rolled up by weights."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from voirdire.errors import UserError
from voirdire.judges.call import Ask
from voirdire.judges.parsing import read_answer
from voirdire.judges.prompts import Prompt, spelled
from voirdire.judges.recipe import JudgedItem, Verdict
from voirdire.judges.recipes.rubric import label_probabilities
from voirdire.judges.wording import CRITERION, MATERIAL, context_of
from voirdire.registry import register
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale

__all__ = ["Checklist", "nearest_label"]

SYSTEM = (
    f"You answer a question about a text with yes or no. {MATERIAL} Reply with yes or no and nothing else."
)
USER = (
    CRITERION
    + """
{{ item }}

{{ question }} Reply with yes or no alone."""
)
YES_NO = Scale("binary", ("no", "yes"))


class Question(BaseModel):
    """One question with its weight; ``wanted`` is the answer that counts for the metric."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str = Field(min_length=1, description="A short name: the part's name in the verdicts.")
    ask: str = Field(min_length=1, description="The question, to be answered with yes or no.")
    weight: float = Field(default=1.0, gt=0, description="How much it counts.")
    wanted: Literal["yes", "no"] = Field(default="yes", description="The answer that counts for the metric.")


@register("recipe", "checklist")
class Checklist:
    """Ask every question of a list with yes or no, and roll the answers up to the metric's scale.

    Each question's probability of yes is kept as a part of the verdict. ``score`` is the weighted share of
    wanted answers, from 0 to 1; the label is the one whose place on the scale is nearest. Weights may be
    fitted to people's labels later, from the parts.
    """

    class Options(BaseModel):
        """``questions`` with their weights; an answer that is missing leaves the whole without a verdict."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        questions: tuple[Question, ...] = Field(min_length=1, description="The questions.")

        @model_validator(mode="after")
        def _names_differ(self) -> Checklist.Options:
            names = [question.name for question in self.questions]
            if len(set(names)) < len(names):
                raise ValueError("questions whose names differ")
            return self

    WORDING: ClassVar[str] = SYSTEM + USER
    takes: ClassVar[Literal["one", "pair", "list"]] = "one"

    def __init__(self, options: Options, prompt: Prompt | None) -> None:
        self.options, self.prompt = options, prompt or Prompt(USER, SYSTEM)

    def check(self, metric: Metric) -> None:
        """Refuse a metric whose labels have no order to roll up to."""
        if len(metric.scale.labels) > 2 and not metric.scale.ordered:
            raise UserError(
                f"the labels of metric '{metric.name}' have no order",
                where="recipe checklist",
                expected="two labels, the wanted one last, or labels in order",
            )
        self.prompt.check(**context_of(metric), question="?")

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """The whole verdict on one item, and the answer to each question."""
        (item,) = items
        parts = await asyncio.gather(
            *(self._answer(items, metric, ask, question) for question in self.options.questions)
        )
        requests = tuple(one for part in parts for one in part.requests)
        failed = [part.status for part in parts if part.label is None]
        if failed:
            return [Verdict(item.id, metric.name, None, failed[0], requests=requests), *parts]
        weights = [question.weight for question in self.options.questions]
        wanted = [
            _share(part) if question.wanted == "yes" else 1 - _share(part)
            for part, question in zip(parts, self.options.questions, strict=True)
        ]
        score = math.fsum(w * s for w, s in zip(weights, wanted, strict=True)) / math.fsum(weights)
        label = nearest_label(score, metric.scale)
        return [Verdict(item.id, metric.name, label, score=score, requests=requests), *parts]

    async def _answer(
        self, items: Sequence[JudgedItem], metric: Metric, ask: Ask, question: Question
    ) -> Verdict:
        messages = self.prompt.messages(item=spelled(items), **context_of(metric), question=question.ask)
        reply = await ask(messages)
        answer = read_answer(reply, YES_NO)
        shares, mass = label_probabilities(reply, YES_NO) if answer.label is not None else (None, None)
        return Verdict(
            items[0].id,
            metric.name,
            answer.label,
            answer.status,
            probabilities=shares,
            mass=mass,
            requests=(reply.request_hash,),
            part=question.name,
            extra={"labels": list(YES_NO.labels)},
        )


def _share(part: Verdict) -> float:
    """The probability of yes, or the plain answer where there is none."""
    return part.probabilities["yes"] if part.probabilities is not None else float(part.label == "yes")


def nearest_label(score: float, scale: Scale) -> str:
    """The label whose place from 0 (first) to 1 (last) is nearest to ``score``; the higher of two.

    >>> nearest_label(0.5, Scale("ordinal", ("bad", "fair", "good"), ordered=True))
    'fair'
    """
    top = len(scale.labels) - 1
    return scale.labels[math.floor(score * top + 0.5)]
