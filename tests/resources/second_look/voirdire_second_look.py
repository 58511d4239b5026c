"""A judge that is asked twice, the second time with its first answer before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.judges.call import Ask, Message
from voirdire.judges.parsing import read_answer
from voirdire.judges.prompts import Prompt, harmless, spelled
from voirdire.judges.recipe import JudgedItem, Verdict
from voirdire.judges.wording import CRITERION, MATERIAL, context_of
from voirdire.registry import register
from voirdire.study.metric import Metric

SYSTEM = f"You judge by a written criterion. {MATERIAL} Reply with one label and nothing else."
USER = CRITERION + "\n{{ item }}\n\nWhich label fits: {{ options }}? Reply with the label alone."
AGAIN = "Look at it once more, and reply with the label that you stand by."


@register("recipe", "second_look")
class SecondLook:
    """Ask for a label, show the answer to the model, and take the label that it stands by.

    ``confidence`` is 1 where both answers agree, else 0.5. The first answer is kept as the part ``first``.
    """

    class Options(BaseModel):
        """``again`` is what is said before the second answer."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        again: str = Field(default=AGAIN, min_length=1, description="What is said before the second answer.")

    WORDING: ClassVar[str] = SYSTEM + USER + AGAIN
    takes: ClassVar[Literal["one", "pair", "list"]] = "one"

    def __init__(self, options: Options, prompt: Prompt | None) -> None:
        self.options, self.prompt = options, prompt or Prompt(USER, SYSTEM)

    def check(self, metric: Metric) -> None:
        """Refuse metrics on pairs and without a list of labels."""
        if metric.scale.kind in ("pairwise", "numeric"):
            raise UserError(f"metric '{metric.name}' is {metric.scale.kind}", where="recipe second_look")
        self.prompt.check(**context_of(metric))

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """The label that the model stands by, and its first one."""
        (item,) = items
        messages = self.prompt.messages(item=spelled(items), **context_of(metric))
        reply = await ask(messages)
        first = read_answer(reply, metric.scale)
        part = Verdict(
            item.id, metric.name, first.label, first.status, requests=(reply.request_hash,), part="first"
        )
        if first.label is None:
            return [Verdict(item.id, metric.name, None, first.status, requests=part.requests), part]
        said = Message("assistant", harmless(reply.text))
        second = await ask([*messages, said, Message("user", self.options.again)])
        answer = read_answer(second, metric.scale)
        whole = Verdict(
            item.id,
            metric.name,
            answer.label,
            answer.status,
            confidence=1.0 if answer.label == first.label else 0.5,
            requests=(*part.requests, second.request_hash),
        )
        return [whole, part]
