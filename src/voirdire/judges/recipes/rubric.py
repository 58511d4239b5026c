"""Rubric: one label of the metric's scale, read off the probabilities of the reply's first token."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.judges.call import Ask, Reply, Token
from voirdire.judges.parsing import read_answer
from voirdire.judges.prompts import Prompt, spelled
from voirdire.judges.recipe import JudgedItem, Verdict
from voirdire.judges.wording import CRITERION, MATERIAL, Hold, context_of, held, lettered
from voirdire.registry import register
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale

__all__ = ["Rubric", "label_probabilities"]

SYSTEM = f"You judge by a written criterion. {MATERIAL} Reply with one label and nothing else."
USER = (
    CRITERION
    + """
{{ item }}

Which label fits: {{ options }}? Reply with the {{ "letter" if letters else "label" }} alone."""
)


@register("recipe", "rubric")
class Rubric:
    """Ask for one label; its distribution comes from the first token's probabilities where they are given.

    With ``parameters: {logprobs: true, top_logprobs: 20}`` in the judge's file the probabilities of all
    spellings of a label are summed and scaled to 1; ``mass`` is their sum before. Without them the label
    stands alone. Labels that begin alike (-1 and -0.5) are told apart by one token only as ``letters``.
    """

    class Options(BaseModel):
        """``letters`` names labels by letters, ``hold`` keeps a reply to them, ``thin`` flags little mass."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        letters: bool = Field(default=False, description="Ask for a letter that stands for the label.")
        hold: Hold = Field(
            default="", description="Have the endpoint reply with a label and nothing else, its way."
        )
        thin: float = Field(default=0.5, ge=0, le=1, description="Mass on labels under which it is flagged.")

    WORDING: ClassVar[str] = SYSTEM + USER
    takes: ClassVar[Literal["one", "pair", "list"]] = "one"

    def __init__(self, options: Options, prompt: Prompt | None) -> None:
        self.options, self.prompt = options, prompt or Prompt(USER, SYSTEM)

    def check(self, metric: Metric) -> None:
        """Refuse pairs and open numbers, which have no list of labels to choose from."""
        if metric.scale.kind in ("pairwise", "numeric"):
            raise UserError(
                f"metric '{metric.name}' is {metric.scale.kind}",
                where="recipe rubric",
                expected="a metric with labels on single items",
            )
        self.prompt.check(**self._context(metric))

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """One verdict on one item."""
        (item,) = items
        answers = self._answers(metric.scale)
        scale = Scale("nominal", tuple(answers))
        messages = self.prompt.messages(item=spelled(items), **self._context(metric))
        reply = await ask(messages, parameters=held(self.options.hold, scale.labels))
        answer = read_answer(reply, scale)
        if answer.label is None:
            return [Verdict(item.id, metric.name, None, answer.status, requests=(reply.request_hash,))]
        shares, mass = label_probabilities(reply, scale)
        thin = mass is not None and mass < self.options.thin
        return [
            Verdict(
                item.id,
                metric.name,
                answers[answer.label],
                probabilities=None if shares is None else {answers[one]: shares[one] for one in shares},
                mass=mass,
                requests=(reply.request_hash,),
                extra={"thin": True} if thin else {},
            )
        ]

    def _answers(self, scale: Scale) -> dict[str, str]:
        """The label that each possible reply stands for."""
        return lettered(scale) if self.options.letters else {label: label for label in scale.labels}

    def _context(self, metric: Metric) -> dict[str, Any]:
        context = {**context_of(metric), "letters": self.options.letters}
        if self.options.letters:
            named = ", ".join(f'{letter} for "{label}"' for letter, label in lettered(metric.scale).items())
            context["options"] = named + (" (from lowest to highest)" if metric.scale.ordered else "")
        return context


def label_probabilities(reply: Reply, scale: Scale) -> tuple[dict[str, float] | None, float | None]:
    """Each label's probability at the reply's first word, scaled to 1, and their sum before.

    A token counts for the one label that it spells or begins, capitals and leading blanks apart; one that
    begins several counts for none. A label that no token begins gets half of the least probability seen.
    None without probabilities, where no token belongs to a label, and where the reply's own first token
    begins several, as of labels that begin alike.
    """
    first = next((token for token in reply.tokens if token.text.strip(' \n"*`')), None)
    if first is None or not first.top or len(_begun(first.text, scale)) > 1:
        return None, None
    shares = _by_label(first, scale)
    mass = math.fsum(shares.values())
    if not mass:
        return None, 0.0
    least = math.exp(min(value for _, value in first.top)) / 2
    floored = {label: shares.get(label) or least for label in scale.labels}
    whole = math.fsum(floored.values())
    return {label: value / whole for label, value in floored.items()}, min(mass, 1.0)


def _by_label(token: Token, scale: Scale) -> Mapping[str, float]:
    shares: dict[str, float] = {}
    for text, logprob in token.top:
        begun = _begun(text, scale)
        if len(begun) == 1:
            shares[begun[0]] = shares.get(begun[0], 0.0) + math.exp(logprob)
    return shares


def _begun(text: str, scale: Scale) -> list[str]:
    """The labels that ``text`` spells, else those that it begins."""
    start = text.strip(' \n"*`').casefold()
    if not start:
        return []
    exact = [label for label in scale.labels if label.casefold() == start]
    return exact or [label for label in scale.labels if label.casefold().startswith(start)]
