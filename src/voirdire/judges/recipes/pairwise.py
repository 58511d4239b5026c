"""Pairwise: which of two responses is better, asked in both orders."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.judges.call import Ask
from voirdire.judges.parsing import read_answer
from voirdire.judges.prompts import Prompt, spelled
from voirdire.judges.recipe import JudgedItem, Verdict, VerdictStatus
from voirdire.judges.recipes.rubric import label_probabilities
from voirdire.judges.wording import CRITERION, MATERIAL, Hold, context_of, held
from voirdire.registry import register
from voirdire.study.metric import Metric
from voirdire.study.scale import PAIRWISE_LABELS, Scale

__all__ = ["Pairwise", "combined"]

SYSTEM = (
    f"You compare two responses by a written criterion. {MATERIAL} Reply with one letter and nothing else."
)
USER = (
    CRITERION
    + """
{{ item }}

Which response is better: A (the first shown) or B (the second shown){{ tie }}?
Reply with the letter alone."""
)
TIE = ", or C if neither is better"
SIDES: tuple[Literal["first", "second"], ...] = ("first", "second")


@register("recipe", "pairwise")
class Pairwise:
    """Ask which of two responses is better, once in each order.

    Each order's verdict is kept with its ``presented`` (ab or ba), named as the study holds the sides. The
    whole verdict is the side that wins in both orders; where the orders differ it is a tie if the metric has
    that label, else it is left open as ambiguous. Its probabilities are the mean of both orders'.
    """

    class Options(BaseModel):
        """``both`` asks in both orders, ``tie`` offers a third answer, ``hold`` keeps a reply to a letter."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        both: bool = Field(
            default=True, description="Ask in both orders; false asks as the study holds them."
        )
        tie: bool = Field(default=True, description="Offer a tie, where the metric has that label.")
        hold: Hold = Field(
            default="", description="Have the endpoint reply with a letter and nothing else, its way."
        )

    WORDING: ClassVar[str] = SYSTEM + USER
    takes: ClassVar[Literal["one", "pair", "list"]] = "pair"

    def __init__(self, options: Options, prompt: Prompt | None) -> None:
        self.options, self.prompt = options, prompt or Prompt(USER, SYSTEM)

    def check(self, metric: Metric) -> None:
        """Refuse a metric that does not compare two sides."""
        if not {"first", "second"} <= set(metric.scale.labels):
            raise UserError(
                f"metric '{metric.name}' has no labels first and second",
                where="recipe pairwise",
                expected=", ".join(PAIRWISE_LABELS),
            )
        self.prompt.check(**context_of(metric), tie=TIE)

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """The whole verdict on the two sides, and that of each order."""
        orders = (False, True) if self.options.both else (False,)
        parts = await asyncio.gather(*(self._in_order(items, metric, ask, swapped) for swapped in orders))
        return [combined(parts, metric.scale), *parts]

    async def _in_order(
        self, items: Sequence[JudgedItem], metric: Metric, ask: Ask, swapped: bool
    ) -> Verdict:
        shown = list(reversed(items)) if swapped else list(items)
        first, second = (replace(item, side=side) for item, side in zip(shown, SIDES, strict=True))
        ties = self.options.tie and "tie" in metric.scale.labels
        answers = {"A": shown[0].side, "B": shown[1].side, **({"C": "tie"} if ties else {})}
        messages = self.prompt.messages(
            item=spelled([first, second]), **context_of(metric), tie=TIE if ties else ""
        )
        reply = await ask(messages, parameters=held(self.options.hold, list(answers)))
        letters = Scale("nominal", tuple(answers))
        answer = read_answer(reply, letters)
        shares, mass = label_probabilities(reply, letters) if answer.label is not None else (None, None)
        return Verdict(
            items[0].id,
            metric.name,
            None if answer.label is None else answers[answer.label],
            answer.status,
            probabilities=None if shares is None else {answers[one]: share for one, share in shares.items()},
            mass=mass,
            presented="ba" if swapped else "ab",
            requests=(reply.request_hash,),
            part="ba" if swapped else "ab",
        )


def combined(parts: Sequence[Verdict], scale: Scale) -> Verdict:
    """One verdict from those of the orders: the same winner in all, else a tie, or open without one.

    An order without a verdict leaves the whole without one, for the same reason.
    """
    labels = {part.label for part in parts}
    failed = [part.status for part in parts if part.label is None]
    status: VerdictStatus = failed[0] if failed else "ok"
    label = parts[0].label if len(labels) == 1 else "tie" if "tie" in scale.labels else None
    if status == "ok" and label is None:
        status = "ambiguous"
    known = [part.probabilities for part in parts if part.probabilities is not None]
    masses = [part.mass for part in parts if part.mass is not None]
    return Verdict(
        parts[0].item_id,
        parts[0].metric,
        label if status == "ok" else None,
        status,
        probabilities=_mean(known) if len(known) == len(parts) else None,
        mass=min(masses, default=None),
        requests=tuple(one for part in parts for one in part.requests),
        extra={"consistent": len(labels) == 1} if len(parts) > 1 and not failed else {},
    )


def _mean(shares: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {label: math.fsum(one[label] for one in shares) / len(shares) for label in shares[0]}
