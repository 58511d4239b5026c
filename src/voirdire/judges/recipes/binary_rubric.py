"""Binary rubric: is a behaviour present or absent, why, and at which turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.judges.call import Ask
from voirdire.judges.citations import SCHEMA, checked
from voirdire.judges.parsing import read_answer
from voirdire.judges.presence import presence_labels
from voirdire.judges.prompts import Prompt, spelled
from voirdire.judges.recipe import JudgedItem, Verdict
from voirdire.judges.wording import CRITERION, MATERIAL, context_of, reply_schema
from voirdire.registry import register
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale

__all__ = ["BinaryRubric"]

SYSTEM = (
    f"You decide whether a described behaviour is present in a conversation. {MATERIAL} Whether the "
    "behaviour is good or bad is not your question."
)
USER = (
    CRITERION
    + """
{{ item }}

Is the behaviour present or absent? Reply with one JSON object:
{"justification": one or two sentences,
 "citations": [{"turn": number of the turn or null, "quote": its exact words}],
 "verdict": "present" or "absent"}"""
)
ANSWERS = Scale("binary", ("present", "absent"))


@register("recipe", "binary_rubric")
class BinaryRubric:
    """Ask whether a behaviour is present, with a short justification and the passages relied on.

    The judge sees the criterion and the transcript: not the polarity, the system, a script or a reference.
    Quotes are checked against the transcript; one that does not stand there is kept and flagged.
    """

    class Options(BaseModel):
        """``present`` and ``absent`` name the metric's labels; ``form`` holds replies to a JSON schema."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        present: str = Field(default="", description="The metric's label for present.")
        absent: str = Field(default="", description="The metric's label for absent.")
        form: bool = Field(default=True, description="Send a JSON schema, where the endpoint knows them.")

    WORDING: ClassVar[str] = SYSTEM + USER
    takes: ClassVar[Literal["one", "pair", "list"]] = "one"

    def __init__(self, options: Options, prompt: Prompt | None) -> None:
        self.options, self.prompt = options, prompt or Prompt(USER, SYSTEM)

    def check(self, metric: Metric) -> None:
        """Refuse a metric without two labels of which one says present."""
        if metric.scale.kind == "pairwise":
            raise UserError(f"metric '{metric.name}' is pairwise", where="recipe binary_rubric")
        self._labels(metric)
        self.prompt.check(**context_of(metric))

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """One verdict on one item."""
        (item,) = items
        parameters = {"response_format": FORM} if self.options.form else {}
        messages = self.prompt.messages(item=spelled(items), **context_of(metric))
        reply = await ask(messages, parameters=parameters, whole=True)
        answer = read_answer(reply, ANSWERS, key="verdict")
        present, absent = self._labels(metric)
        label = {"present": present, "absent": absent}.get(answer.label or "")
        return [
            Verdict(
                item.id,
                metric.name,
                label,
                answer.status,
                rationale=str(answer.fields.get("justification") or ""),
                citations=checked(answer.fields.get("citations"), items),
                requests=(reply.request_hash,),
            )
        ]

    def _labels(self, metric: Metric) -> tuple[str, str]:
        return presence_labels(metric, present=self.options.present, absent=self.options.absent)


FORM = reply_schema(
    "verdict",
    {
        "justification": {"type": "string"},
        "citations": SCHEMA,
        "verdict": {"type": "string", "enum": ["present", "absent"]},
    },
)
