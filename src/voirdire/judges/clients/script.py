"""A judge that is no model: rules say which words make a behaviour present."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.judges.call import Failure, Reply, Request
from voirdire.registry import register
from voirdire.study.documents import validated

__all__ = ["Script"]

FENCED = re.compile(r"<(?P<mark>[^<>\n]+ [0-9a-f]{12})>\n(?P<text>.*?)\n</(?P=mark)>", re.DOTALL)
"""What is judged, as prompts fence it."""
TURN = re.compile(r"^\[(\d+)\] [^\n:]*: ", re.MULTILINE)


class Rule(BaseModel):
    """One rule: where its words stand in what is judged, its verdict is given."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    when: str = Field(default="", description="Words in what is judged, in any case; empty always fits.")
    asked: str = Field(default="", description="Words in what is asked; empty for any question.")
    verdict: Literal["present", "absent"]


class Rules(BaseModel):
    """The parameters of a scripted judge; the first rule that fits counts, and absent where none does."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    rules: list[Rule] = Field(min_length=1)


@register("client", "script")
class Script:
    """Answers as the recipe ``binary_rubric`` asks, by the ``rules`` under the judge's ``parameters``.

    It is there to try a benchmark, and to test one, without a model. The words that decided are quoted with
    their turn. Rules are part of the judge's version, as all parameters are.
    """

    def __init__(self, url: str, key: str | None) -> None:
        """Nothing to reach."""

    async def complete(self, request: Request, *, timeout: float) -> Reply:
        """The verdict of the first rule that fits."""
        try:
            rules = validated(Rules, request.parameters, where="parameters of a scripted judge").rules
        except UserError as problem:
            raise Failure(str(problem), again=False) from None
        content = "\n".join(message.content for message in request.messages)
        shown, asked = FENCED.search(content), FENCED.sub("", content)
        text = shown["text"] if shown else ""
        for rule in rules:
            if _found(rule.asked, asked) and _found(rule.when, text):
                answer = _answer(rule.verdict, list(_citations(rule.when, text)))
                break
        else:
            answer = _answer("absent", [])
        return Reply("ok", answer, finish_reason="stop", model=request.model, raw=answer)

    async def close(self) -> None:
        """Nothing to let go of."""


def _answer(verdict: str, citations: list[dict[str, object]]) -> str:
    why = "The words of a rule are there." if citations else "No rule's words are there."
    return json.dumps({"justification": why, "citations": citations, "verdict": verdict}, ensure_ascii=False)


def _citations(words: str, text: str) -> Iterator[dict[str, object]]:
    found = _found(words, text)
    if found and words:
        before = [int(turn[1]) for turn in TURN.finditer(text, 0, found.start())]
        yield {"turn": before[-1] if before else None, "quote": found[0]}


def _found(words: str, text: str) -> re.Match[str] | None:
    return re.search(re.escape(words), text, re.IGNORECASE)
