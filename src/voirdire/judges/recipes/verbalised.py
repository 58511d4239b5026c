"""Verbalised: the model states how people's labels would be distributed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.judges.call import Ask, Reply
from voirdire.judges.parsing import Parsed, labels_in, objects_in, read_answer
from voirdire.judges.prompts import Prompt, fence, spelled
from voirdire.judges.recipe import JudgedItem, Verdict
from voirdire.judges.wording import CRITERION, MATERIAL, context_of, reply_schema
from voirdire.registry import register
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale

__all__ = ["Verbalised"]

SYSTEM = f"You say how many of 100 people would give each label by a written criterion. {MATERIAL}"
USER = (
    CRITERION
    + """
{% for example in examples %}{{ example.text }}
What people said of it: {{ example.said }}

{% endfor %}{{ item }}

Of 100 people, how many would give each label: {{ options }}?
Reply with one JSON object that gives each label its number."""
)


class Example(BaseModel):
    """Something that people labelled: its text, and one label or the share of people that gave each."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    text: str = Field(description="What was judged.")
    label: str = Field(default="", description="The label most people gave (a hard example).")
    shares: dict[str, float] = Field(
        default_factory=dict, description="The share of each label (a soft one)."
    )

    @property
    def said(self) -> str:
        """What people said, in words."""
        if not self.shares:
            return self.label
        return ", ".join(f"{label}: {share:g}" for label, share in self.shares.items())


@register("recipe", "verbalised")
class Verbalised:
    """Ask how many of 100 people would give each label.

    The numbers are scaled to 1 over the labels after a floor of ``floor``; ``mass`` is what they summed to as
    a share of 100 (or of 1, where they sum to about that). The label is the one most people would give; where
    several lead it is left open.
    """

    class Options(BaseModel):
        """``examples`` are shown with what people said, as one label or as shares."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        floor: float = Field(default=0.005, ge=0, lt=0.2, description="Least share of a label.")
        form: bool = Field(default=True, description="Send a JSON schema, where the endpoint knows them.")
        examples: tuple[Example, ...] = Field(default=(), description="Items with what people said of them.")

    WORDING: ClassVar[str] = SYSTEM + USER
    takes: ClassVar[Literal["one", "pair", "list"]] = "one"

    def __init__(self, options: Options, prompt: Prompt | None) -> None:
        self.options, self.prompt = options, prompt or Prompt(USER, SYSTEM)

    def check(self, metric: Metric) -> None:
        """Refuse metrics on pairs and without a list of labels."""
        if metric.scale.kind in ("pairwise", "numeric"):
            raise UserError(f"metric '{metric.name}' is {metric.scale.kind}", where="recipe verbalised")
        self.prompt.check(**self._context(metric))

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """One verdict on one item."""
        (item,) = items
        parameters = {"response_format": _form(metric.scale)} if self.options.form else {}
        messages = self.prompt.messages(item=spelled(items), **self._context(metric))
        reply = await ask(messages, parameters=parameters, whole=True)
        stated, mass, status = _stated(reply, metric.scale)
        if stated is None:
            return [Verdict(item.id, metric.name, None, status, mass=mass, requests=(reply.request_hash,))]
        floored = {label: max(share, self.options.floor) for label, share in stated.items()}
        whole = math.fsum(floored.values())
        shares = {label: share / whole for label, share in floored.items()}
        most = max(stated.values())
        leaders = [label for label, share in stated.items() if share == most]
        label = leaders[0] if len(leaders) == 1 else None
        return [
            Verdict(
                item.id,
                metric.name,
                label,
                "ok" if label is not None else "ambiguous",
                probabilities=shares,
                mass=mass,
                requests=(reply.request_hash,),
            )
        ]

    def _context(self, metric: Metric) -> dict[str, Any]:
        examples = [{"text": fence("example", one.text), "said": one.said} for one in self.options.examples]
        return {**context_of(metric), "examples": examples}


def _form(scale: Scale) -> dict[str, Any]:
    return reply_schema("people", {label: {"type": "number"} for label in scale.labels})


def _stated(reply: Reply, scale: Scale) -> tuple[Mapping[str, float] | None, float | None, Any]:
    """The stated shares, what they summed to, and why there are none."""
    found = [shares for one in objects_in(reply.text) if (shares := _shares(one, scale)) is not None]
    if reply.status in ("error", "refusal") or not found:
        missing: Parsed = read_answer(reply, Scale("nominal", ()))
        return None, None, missing.status
    if any(shares != found[0] for shares in found):
        return None, None, "ambiguous"
    total = math.fsum(found[0].values())
    if not total:
        return None, 0.0, "invalid"
    of = 1.0 if total <= 2 else 100.0
    return {label: share / total for label, share in found[0].items()}, total / of, "ok"


def _shares(one: Mapping[str, Any], scale: Scale) -> dict[str, float] | None:
    """Shares where the object names at least one label, else None."""
    named = {str(name).strip().casefold() for name in one} & {label.casefold() for label in scale.labels}
    return labels_in(one, scale) if named else None
