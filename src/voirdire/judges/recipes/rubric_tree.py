"""Rubric tree: a criterion divided into weighted parts, judged at the leaves and rolled up."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from voirdire.errors import UserError
from voirdire.judges.call import Ask
from voirdire.judges.parsing import read_answer
from voirdire.judges.prompts import Prompt, spelled
from voirdire.judges.recipe import JudgedItem, Verdict, VerdictStatus
from voirdire.judges.recipes.checklist import nearest_label
from voirdire.judges.recipes.rubric import label_probabilities
from voirdire.judges.wording import CRITERION, MATERIAL, context_of, options
from voirdire.registry import register
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale

__all__ = ["Node", "RubricTree"]

SYSTEM = f"You judge one part of a written criterion. {MATERIAL} Reply with one label and nothing else."
USER = (
    CRITERION
    + """
The part to judge: {{ part }}

{{ item }}

How far does the text meet this part: {{ part_options }}? Reply with the label alone."""
)


class Node(BaseModel):
    """A part of a rubric: divided further, or a leaf that is judged."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str = Field(min_length=1, description="A short name: the part's name in the verdicts.")
    asks: str = Field(default="", description="What is judged, for a leaf.")
    weight: float = Field(default=1.0, gt=0, description="How much it counts among its siblings.")
    needed: bool = Field(default=False, description="A leaf that is not met leaves the whole at 0.")
    parts: tuple[Node, ...] = Field(default=(), description="Further parts, in place of asks.")

    @model_validator(mode="after")
    def _leaf_or_not(self) -> Node:
        if bool(self.asks) == bool(self.parts):
            raise ValueError("either asks or parts")
        return self

    def leaves(self) -> Iterator[Node]:
        """The leaves below this node, itself if it is one."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()

    def score(self, of: Mapping[str, float]) -> float:
        """The weighted mean of the parts' scores, from those of the leaves by name."""
        if not self.parts:
            return of[self.name]
        weights = math.fsum(part.weight for part in self.parts)
        return math.fsum(part.weight * part.score(of) for part in self.parts) / weights


@register("recipe", "rubric_tree")
class RubricTree:
    """Judge every leaf of a weighted rubric and roll the scores up to the metric's scale.

    Each leaf is a part of the verdict with its label and probabilities. A leaf's score is its mean place on
    ``labels``, from 0 (first) to 1 (last); a node's is the weighted mean of its parts'; a needed leaf whose
    label is the first makes the whole 0.
    """

    class Options(BaseModel):
        """``parts`` of the criterion, and the ``labels`` that leaves get, from not met to met."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        parts: tuple[Node, ...] = Field(min_length=1, description="The first level of the tree.")
        labels: tuple[str, ...] = Field(
            default=("not met", "partly met", "met"), min_length=2, description="What a leaf may be."
        )

        @model_validator(mode="after")
        def _names_differ(self) -> RubricTree.Options:
            names = [leaf.name for part in self.parts for leaf in part.leaves()]
            if len(set(names)) < len(names):
                raise ValueError("leaves whose names differ")
            return self

    WORDING: ClassVar[str] = SYSTEM + USER
    takes: ClassVar[Literal["one", "pair", "list"]] = "one"

    def __init__(self, options: Options, prompt: Prompt | None) -> None:
        self.options, self.prompt = options, prompt or Prompt(USER, SYSTEM)
        self._root = Node(name="whole", parts=options.parts)
        self._scale = Scale("ordinal", options.labels, ordered=True)

    def check(self, metric: Metric) -> None:
        """Refuse a metric whose labels have no order to roll up to."""
        if len(metric.scale.labels) > 2 and not metric.scale.ordered:
            raise UserError(f"the labels of metric '{metric.name}' have no order", where="recipe rubric_tree")
        self.prompt.check(**context_of(metric), part="?", part_options="?")

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """The whole verdict on one item, and that of each leaf."""
        (item,) = items
        leaves = list(self._root.leaves())
        parts = await asyncio.gather(*(self._leaf(items, metric, ask, leaf) for leaf in leaves))
        requests = tuple(one for part in parts for one in part.requests)
        failed: list[VerdictStatus] = [part.status for part in parts if part.label is None]
        if failed:
            return [Verdict(item.id, metric.name, None, failed[0], requests=requests), *parts]
        scores = {part.part: part.score or 0.0 for part in parts}
        first = self.options.labels[0]
        lacking = any(leaf.needed and part.label == first for leaf, part in zip(leaves, parts, strict=True))
        score = 0.0 if lacking else self._root.score(scores)
        whole = Verdict(
            item.id, metric.name, nearest_label(score, metric.scale), score=score, requests=requests
        )
        return [whole, *parts]

    async def _leaf(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask, leaf: Node) -> Verdict:
        about = {**context_of(metric), "part": leaf.asks, "part_options": options(self._scale)}
        reply = await ask(self.prompt.messages(item=spelled(items), **about))
        answer = read_answer(reply, self._scale)
        shares, mass = label_probabilities(reply, self._scale) if answer.label is not None else (None, None)
        return Verdict(
            items[0].id,
            metric.name,
            answer.label,
            answer.status,
            probabilities=shares,
            mass=mass,
            score=self._place(answer.label, shares),
            requests=(reply.request_hash,),
            part=leaf.name,
            extra={"labels": list(self.options.labels)},
        )

    def _place(self, label: str | None, shares: Mapping[str, float] | None) -> float | None:
        if label is None:
            return None
        top = len(self._scale.labels) - 1
        known = shares or {label: 1.0}
        return math.fsum(share * self._scale.labels.index(one) for one, share in known.items()) / top
