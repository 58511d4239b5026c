"""Simulated annotators: each prompt shows labels of one real person, and the answers are averaged."""

from __future__ import annotations

import asyncio
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.judges.call import Ask, content_hash
from voirdire.judges.parsing import read_answer
from voirdire.judges.prompts import Prompt, spelled
from voirdire.judges.recipe import JudgedItem, Verdict
from voirdire.judges.recipes.rubric import label_probabilities
from voirdire.judges.viewing import View
from voirdire.judges.wording import CRITERION, MATERIAL, context_of
from voirdire.registry import register
from voirdire.study.metric import Metric
from voirdire.study.study import Study

__all__ = ["Annotator", "SimulatedAnnotators"]

SYSTEM = (
    f"You label texts by a written criterion as one particular person does. {MATERIAL} Reply with one label "
    "alone."
)
USER = (
    CRITERION
    + """
{% for example in examples %}{{ example.text }}
This person's label: {{ example.label }}

{% endfor %}{{ item }}

This person's label, one of {{ options }}:"""
)


@dataclass(frozen=True)
class Annotator:
    """One real person's labels on items, as examples."""

    name: str
    examples: tuple[tuple[JudgedItem, str], ...]

    @property
    def shown(self) -> list[dict[str, str]]:
        """The examples as a prompt shows them."""
        return [{"text": spelled([item]), "label": label} for item, label in self.examples]


@register("recipe", "simulated_annotators")
class SimulatedAnnotators:
    """Ask once for each of several real people, showing labels that this person gave.

    The whole's probabilities are the mean of the answers', ``confidence`` the largest of them (Jung et al.
    2025, section 2.2). Each answer is a part named after its place, not after the person. Items used as
    examples are not judged.
    """

    class Options(BaseModel):
        """How many people are simulated, each by how many labels; ``seed`` draws both."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        annotators: int = Field(default=5, ge=1, le=100, description="People to simulate.")
        examples: int = Field(default=5, ge=1, le=50, description="Labels of each that are shown.")
        seed: int = Field(default=0, ge=0, description="Draws people and examples.")

    WORDING: ClassVar[str] = SYSTEM + USER
    takes: ClassVar[Literal["one", "pair", "list"]] = "one"

    def __init__(
        self, options: Options, prompt: Prompt | None, people: Mapping[str, Sequence[Annotator]] | None = None
    ) -> None:
        self.options, self.prompt, self.people = options, prompt or Prompt(USER, SYSTEM), dict(people or {})

    def learned(self, study: Study, view: View) -> SimulatedAnnotators:
        """The recipe with examples drawn from the people's labels of ``study``."""
        drawn = {
            metric.name: _drawn(study, metric, view, self.options)
            for metric in study.metrics
            if len(study.rows(metric.name, kind="human"))
        }
        return SimulatedAnnotators(self.options, self.prompt, drawn)

    def examples_of(self, metric: Metric) -> tuple[frozenset[str], str]:
        """The items used as examples, and a hash of what is shown of them."""
        people = self.people.get(metric.name, ())
        used = frozenset(item.id for one in people for item, _ in one.examples)
        return used, content_hash([one.shown for one in people])

    def check(self, metric: Metric) -> None:
        """Refuse metrics on pairs, without a list of labels, and with too few people's labels."""
        if metric.scale.kind in ("pairwise", "numeric"):
            raise UserError(
                f"metric '{metric.name}' is {metric.scale.kind}", where="recipe simulated_annotators"
            )
        if not self.people.get(metric.name):
            raise UserError(
                f"nobody gave {self.options.examples} labels on '{metric.name}' to learn from",
                where="recipe simulated_annotators",
                fix="set examples lower, or collect labels first",
            )
        self.prompt.check(**context_of(metric), examples=[])

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """The whole verdict on one item, and that of each simulated person."""
        (item,) = items
        people = self.people[metric.name]
        parts = await asyncio.gather(
            *(self._as(place, person, items, metric, ask) for place, person in enumerate(people, start=1))
        )
        requests = tuple(one for part in parts for one in part.requests)
        told = [part for part in parts if part.probabilities is not None]
        if not told:
            return [Verdict(item.id, metric.name, None, parts[0].status, requests=requests), *parts]
        shares = {
            label: math.fsum((part.probabilities or {})[label] for part in told) / len(told)
            for label in metric.scale.labels
        }
        most = max(shares.values())
        leaders = [label for label, share in shares.items() if math.isclose(share, most)]
        whole = Verdict(
            item.id,
            metric.name,
            leaders[0] if len(leaders) == 1 else None,
            "ok" if len(leaders) == 1 else "ambiguous",
            probabilities=shares,
            mass=len(told) / len(parts),
            confidence=most,
            requests=requests,
        )
        return [whole, *parts]

    async def _as(
        self, place: int, person: Annotator, items: Sequence[JudgedItem], metric: Metric, ask: Ask
    ) -> Verdict:
        about = {**context_of(metric), "examples": person.shown}
        reply = await ask(self.prompt.messages(item=spelled(items), **about))
        answer = read_answer(reply, metric.scale)
        shares = None
        if answer.label is not None:
            stated, _ = label_probabilities(reply, metric.scale)
            shares = stated or {label: float(label == answer.label) for label in metric.scale.labels}
        return Verdict(
            items[0].id,
            metric.name,
            answer.label,
            answer.status,
            probabilities=shares,
            requests=(reply.request_hash,),
            part=f"person {place}",
        )


def _drawn(
    study: Study, metric: Metric, view: View, options: SimulatedAnnotators.Options
) -> tuple[Annotator, ...]:
    """People with enough labels, and items that serve as examples for as many of them as can be."""
    rng = np.random.default_rng([options.seed, zlib.crc32(metric.name.encode())])
    rows = study.rows(metric.name, kind="human")
    labels: dict[int, dict[int, str]] = {}
    for row in rows.tolist():
        label = metric.scale.labels[study.ratings.label[row]]
        labels.setdefault(int(study.ratings.rater[row]), {})[int(study.ratings.item[row])] = label
    able = sorted(rater for rater, given in labels.items() if len(given) >= options.examples)
    people = sorted(rng.permutation(able)[: options.annotators].tolist())
    order = rng.permutation(sorted({item for rater in people for item in labels[rater]})).tolist()
    # items that more people labelled come first, so that few items are spent as examples
    order.sort(key=lambda item: -sum(item in labels[rater] for rater in people))
    found = []
    for rater in people:
        items = [item for item in order if item in labels[rater]][: options.examples]
        shown = tuple((view.item(item), labels[rater][item]) for item in items)
        found.append(Annotator(study.raters[rater].id, shown))
    return tuple(found)
