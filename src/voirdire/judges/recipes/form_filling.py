"""Form filling: evaluation steps written once by the model, then a score weighted by its probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.judges.call import Ask
from voirdire.judges.parsing import read_answer
from voirdire.judges.prompts import Prompt, spelled
from voirdire.judges.recipe import JudgedItem, Verdict
from voirdire.judges.recipes.rubric import label_probabilities
from voirdire.judges.wording import CRITERION, MATERIAL, context_of
from voirdire.registry import register
from voirdire.study.metric import Metric

__all__ = ["FormFilling"]

STEPS = Prompt(
    CRITERION
    + """
Write the steps by which you would judge a text by this criterion, numbered, in at most six short sentences.
Do not judge anything yet."""
)
SYSTEM = f"You fill in an evaluation form. {MATERIAL} Reply with one label and nothing else."
USER = (
    CRITERION
    + """
Evaluation steps:
{{ steps }}

{{ item }}

Evaluation form (one of {{ options }}):
{{ metric }}:"""
)


@register("recipe", "form_filling")
class FormFilling:
    """Have the model write evaluation steps once, then fill in a form with them for each item.

    The steps are asked for without any item, kept with the replies, and the same for all items and runs; or
    they are given under ``steps``. Where labels have values, ``score`` is their mean under the label's
    probabilities (G-Eval; Liu et al. 2023, equation 1). Without probabilities ``samples`` replies are drawn
    and counted.
    """

    class Options(BaseModel):
        """``steps`` are yours in place of the model's; ``samples`` how many replies are drawn."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        steps: str = Field(default="", description="Evaluation steps to use; the model writes them if empty.")
        samples: int = Field(default=1, ge=1, le=100, description="Replies to draw where none has logprobs.")

    WORDING: ClassVar[str] = STEPS.user + SYSTEM + USER
    takes: ClassVar[Literal["one", "pair", "list"]] = "one"

    def __init__(self, options: Options, prompt: Prompt | None) -> None:
        self.options, self.prompt = options, prompt or Prompt(USER, SYSTEM)

    def check(self, metric: Metric) -> None:
        """Refuse metrics on pairs and without a list of labels."""
        if metric.scale.kind in ("pairwise", "numeric"):
            raise UserError(f"metric '{metric.name}' is {metric.scale.kind}", where="recipe form_filling")
        self.prompt.check(**context_of(metric), steps="1.")

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """One verdict on one item."""
        (item,) = items
        steps, about = self.options.steps, context_of(metric)
        requests: list[str] = []
        if not steps:
            written = await ask(STEPS.messages(**about, item=""), parameters=LONG, shared=True, whole=True)
            if written.status != "ok":
                return [Verdict(item.id, metric.name, None, written.status, rationale="no evaluation steps")]
            steps, requests = written.text.strip(), [written.request_hash]
        messages = self.prompt.messages(item=spelled(items), **about, steps=steps)
        replies = [await ask(messages, sample=k) for k in range(self.options.samples)]
        requests += [reply.request_hash for reply in replies]
        answers = [read_answer(reply, metric.scale) for reply in replies]
        given = [answer.label for answer in answers if answer.label is not None]
        if not given:
            return [Verdict(item.id, metric.name, None, answers[0].status, requests=tuple(requests))]
        shares, mass = label_probabilities(replies[0], metric.scale)
        if shares is None and len(replies) > 1:
            shares = {label: given.count(label) / len(given) for label in metric.scale.labels}
            mass = len(given) / len(replies)
        label = given[0] if shares is None else max(shares, key=lambda one: shares[one])
        score = _score(shares, metric) if shares is not None else None
        return [
            Verdict(
                item.id,
                metric.name,
                label,
                probabilities=shares,
                mass=mass,
                score=score,
                requests=tuple(dict.fromkeys(requests)),
            )
        ]


LONG = {"max_tokens": 400, "logprobs": False, "top_logprobs": None}
"""The steps need room, and their probabilities say nothing."""


def _score(shares: dict[str, float], metric: Metric) -> float | None:
    """The labels' mean value under ``shares``, None where they have no values."""
    values = metric.scale.values
    if values is None:
        return None
    return math.fsum(shares[label] * value for label, value in zip(metric.scale.labels, values, strict=True))
