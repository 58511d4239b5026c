"""Persona: the same question as seen by several kinds of people, with the certainty that each states."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from voirdire.errors import UserError
from voirdire.judges.call import Ask
from voirdire.judges.parsing import read_answer, read_number
from voirdire.judges.prompts import Prompt, spelled
from voirdire.judges.recipe import JudgedItem, Verdict
from voirdire.judges.wording import CRITERION, MATERIAL, context_of, reply_schema
from voirdire.registry import register
from voirdire.study.metric import Metric

__all__ = ["Persona"]

SYSTEM = f"You answer as this person would: {{{{ persona }}}}. {MATERIAL}"
USER = (
    CRITERION
    + """
{{ item }}

Which label would this person give: {{ options }}? Reply with one JSON object:
{"label": the label, "certainty": from 0 (a guess) to 100 (certain)}"""
)


class Person(BaseModel):
    """One kind of people, and how many of all it stands for."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str = Field(min_length=1, description="A short name: the part's name in the verdicts.")
    who: str = Field(min_length=1, description="A description, as in: a mother of two who works nights.")
    weight: float = Field(default=1.0, gt=0, description="How many of all people it stands for.")


@register("recipe", "persona")
class Persona:
    """Ask as each of several personas, with the certainty it states; together they are a distribution.

    Each persona's answer is a part of the verdict with its certainty as ``confidence``. The whole's
    probabilities are the weighted shares of answers, each spread over the labels by its certainty.
    """

    class Options(BaseModel):
        """The ``personas``."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        personas: tuple[Person, ...] = Field(min_length=1, description="Who is asked.")
        form: bool = Field(default=True, description="Send a JSON schema, where the endpoint knows them.")

        @model_validator(mode="after")
        def _names_differ(self) -> Persona.Options:
            names = [person.name for person in self.personas]
            if len(set(names)) < len(names):
                raise ValueError("personas whose names differ")
            return self

    WORDING: ClassVar[str] = SYSTEM + USER
    takes: ClassVar[Literal["one", "pair", "list"]] = "one"

    def __init__(self, options: Options, prompt: Prompt | None) -> None:
        self.options, self.prompt = options, prompt or Prompt(USER, SYSTEM)

    def check(self, metric: Metric) -> None:
        """Refuse metrics on pairs and without a list of labels."""
        if metric.scale.kind in ("pairwise", "numeric"):
            raise UserError(f"metric '{metric.name}' is {metric.scale.kind}", where="recipe persona")
        self.prompt.check(**context_of(metric), persona="someone")

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """The whole verdict on one item, and that of each persona."""
        (item,) = items
        people = self.options.personas
        parts = await asyncio.gather(*(self._asked(items, metric, ask, person) for person in people))
        requests = tuple(one for part in parts for one in part.requests)
        given = [
            (one, part) for one, part in zip(people, parts, strict=True) if part.probabilities is not None
        ]
        if not given:
            return [Verdict(item.id, metric.name, None, parts[0].status, requests=requests), *parts]
        total = math.fsum(person.weight for person, _ in given)
        shares = {
            label: math.fsum(one.weight * (part.probabilities or {})[label] for one, part in given) / total
            for label in metric.scale.labels
        }
        most = max(shares, key=lambda label: shares[label])
        mass = total / math.fsum(person.weight for person in people)
        whole = Verdict(item.id, metric.name, most, probabilities=shares, mass=mass, requests=requests)
        return [whole, *parts]

    async def _asked(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask, person: Person) -> Verdict:
        labels = metric.scale.labels
        form = reply_schema(
            "answer", {"label": {"type": "string", "enum": list(labels)}, "certainty": {"type": "number"}}
        )
        messages = self.prompt.messages(item=spelled(items), **context_of(metric), persona=person.who)
        form_of = {"response_format": form} if self.options.form else {}
        reply = await ask(messages, parameters=form_of, whole=True)
        answer = read_answer(reply, metric.scale)
        certainty, _ = read_number(reply, low=0, high=100, key="certainty")
        shares = None
        if answer.label is not None:
            # a guess is spread evenly, certainty lies on the label alone; without one stated the label counts
            sure = 1.0 if certainty is None else certainty / 100
            shares = {one: (1 - sure) / len(labels) + sure * (one == answer.label) for one in labels}
        return Verdict(
            items[0].id,
            metric.name,
            answer.label,
            answer.status,
            probabilities=shares,
            confidence=None if certainty is None else certainty / 100,
            requests=(reply.request_hash,),
            part=person.name,
        )
