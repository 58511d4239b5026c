"""Score: a number on a numeric metric, as the model states it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.judges.call import Ask
from voirdire.judges.parsing import objects_in, read_number
from voirdire.judges.prompts import Prompt, spelled
from voirdire.judges.recipe import JudgedItem, Verdict
from voirdire.judges.wording import CRITERION, MATERIAL, context_of, reply_schema
from voirdire.registry import register
from voirdire.study.metric import Metric

__all__ = ["Score"]

SYSTEM = f"You score by a written criterion. {MATERIAL}"
USER = (
    CRITERION
    + """
{{ item }}

Reply with one JSON object:
{"justification": one or two sentences, "score": a number from {{ low }} to {{ high }}}"""
)


@register("recipe", "score")
class Score:
    """Ask for a number from ``low`` to ``high``; one outside is invalid, never moved to the nearest end."""

    class Options(BaseModel):
        """The ends default to the lowest and highest value of the metric's scale."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        low: float | None = Field(default=None, description="The least score.")
        high: float | None = Field(default=None, description="The greatest score.")
        form: bool = Field(default=True, description="Send a JSON schema, where the endpoint knows them.")

    WORDING: ClassVar[str] = SYSTEM + USER
    takes: ClassVar[Literal["one", "pair", "list"]] = "one"

    def __init__(self, options: Options, prompt: Prompt | None) -> None:
        self.options, self.prompt = options, prompt or Prompt(USER, SYSTEM)

    def check(self, metric: Metric) -> None:
        """Refuse a metric without numbers or ends."""
        low, high = self._ends(metric)
        self.prompt.check(**context_of(metric), low=f"{low:g}", high=f"{high:g}")

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """One verdict on one item."""
        (item,) = items
        low, high = self._ends(metric)
        parameters = {"response_format": FORM} if self.options.form else {}
        messages = self.prompt.messages(
            item=spelled(items), **context_of(metric), low=f"{low:g}", high=f"{high:g}"
        )
        reply = await ask(messages, parameters=parameters, whole=True)
        value, status = read_number(reply, low=low, high=high)
        said = objects_in(reply.text)
        return [
            Verdict(
                item.id,
                metric.name,
                None if value is None else f"{value:g}",
                status,
                score=value,
                rationale=str(said[-1].get("justification") or "") if said else "",
                requests=(reply.request_hash,),
            )
        ]

    def _ends(self, metric: Metric) -> tuple[float, float]:
        values = metric.scale.values or ()
        low = self.options.low if self.options.low is not None else min(values, default=None)
        high = self.options.high if self.options.high is not None else max(values, default=None)
        if low is None or high is None or low >= high:
            raise UserError(
                f"the ends of metric '{metric.name}' are not known",
                where="recipe score",
                fix="give low and high under options",
            )
        return low, high


FORM = reply_schema("score", {"justification": {"type": "string"}, "score": {"type": "number"}})
