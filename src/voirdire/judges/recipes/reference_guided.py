"""Reference-guided: does an answer say the same as a reference, written by people or by the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.judges.call import Ask
from voirdire.judges.parsing import read_answer
from voirdire.judges.prompts import Prompt, fence, spelled
from voirdire.judges.recipe import JudgedItem, Verdict
from voirdire.judges.recipes.rubric import label_probabilities
from voirdire.judges.wording import CRITERION, MATERIAL, context_of
from voirdire.registry import register
from voirdire.study.metric import Metric

__all__ = ["ReferenceGuided"]

WRITE = Prompt(
    """{{ item }}

Write the best answer that you can to this, in a few sentences. Do not judge anything.""",
    MATERIAL,
)
SYSTEM = (
    f"You judge by a written criterion, with a reference answer. {MATERIAL} Reply with one label and nothing "
    "else."
)
USER = (
    CRITERION
    + """
{{ item }}

{{ reference }}

The reference is one good answer; other words for the same are as good. Which label fits: {{ options }}?
Reply with the label alone."""
)


@register("recipe", "reference_guided")
class ReferenceGuided:
    """Judge with a reference answer: from a column that people wrote, or written by the model first.

    ``reference: human`` takes the text of ``column``, which must be among the columns that the judge sees
    and is shown as a reference only; an item without one is not judged. ``synthetic`` has the model answer
    ``question`` first, once for all runs. ``none`` judges without, to compare.
    """

    class Options(BaseModel):
        """Where the reference comes from."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        reference: Literal["human", "synthetic", "none"] = Field(default="human", description="Who wrote it.")
        column: str = Field(default="reference", description="The column of a human reference.")
        question: str = Field(default="", description="The column that a synthetic reference answers.")

    WORDING: ClassVar[str] = WRITE.user + SYSTEM + USER
    takes: ClassVar[Literal["one", "pair", "list"]] = "one"

    def __init__(self, options: Options, prompt: Prompt | None) -> None:
        self.options, self.prompt = options, prompt or Prompt(USER, SYSTEM)

    def check(self, metric: Metric) -> None:
        """Refuse metrics on pairs and without a list of labels, and a synthetic reference to nothing."""
        if metric.scale.kind in ("pairwise", "numeric"):
            raise UserError(f"metric '{metric.name}' is {metric.scale.kind}", where="recipe reference_guided")
        if self.options.reference == "synthetic" and not self.options.question:
            raise UserError("no question to answer", where="recipe reference_guided", fix="name its column")
        self.prompt.check(**context_of(metric), reference="")

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """One verdict on one item."""
        (item,) = items
        reference, requests = await self._reference(item, ask)
        if reference is None:
            return [Verdict(item.id, metric.name, None, "error", rationale="no reference", requests=requests)]
        fields = {name: text for name, text in item.fields.items() if name != self.options.column}
        shown = spelled([replace(item, fields=fields)])
        messages = self.prompt.messages(item=shown, **context_of(metric), reference=reference)
        reply = await ask(messages)
        answer = read_answer(reply, metric.scale)
        shares, mass = label_probabilities(reply, metric.scale) if answer.label is not None else (None, None)
        return [
            Verdict(
                item.id,
                metric.name,
                answer.label,
                answer.status,
                probabilities=shares,
                mass=mass,
                requests=(*requests, reply.request_hash),
            )
        ]

    async def _reference(self, item: JudgedItem, ask: Ask) -> tuple[str | None, tuple[str, ...]]:
        """The reference, fenced; empty where none is wanted, None where there is none."""
        if self.options.reference == "none":
            return "", ()
        if self.options.reference == "human":
            text = item.fields.get(self.options.column)
            return (fence("reference", text) if text else None), ()
        question: Mapping[str, str] = {
            name: text for name, text in item.fields.items() if name == self.options.question
        }
        if not question:
            return None, ()
        messages = WRITE.messages(item=spelled([JudgedItem(item.id, question)]))
        written = await ask(messages, parameters=LONG, shared=True, whole=True)
        text = written.text.strip() if written.status == "ok" else ""
        return (fence("reference", text) if text else None), (written.request_hash,)


LONG = {"max_tokens": 400, "logprobs": None, "top_logprobs": None}
"""A reference needs room, and its probabilities say nothing."""
