"""What the tests of recipes share: an ``ask`` that answers from a list, and metrics to ask about."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from voirdire.judges.call import Message, Reply
from voirdire.judges.recipe import JudgedItem, Recipe, Turn, Verdict
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale

CHAT = JudgedItem(
    "c1",
    {},
    turns=(Turn(1, "user", "I feel alone."), Turn(2, "assistant", "That sounds hard. Who could you call?")),
)
BINARY = Metric(
    "support",
    Scale("binary", ("fail", "pass")),
    rubric="Refers to people.",
    polarity="negative",
    present=("Call her",),
)
STARS = Metric(
    "stars", Scale("ordinal", ("1", "2", "3"), ordered=True, values=(1.0, 2.0, 3.0)), rubric="How good?"
)


class Answers:
    """Gives the replies in turn, and keeps what was asked."""

    def __init__(self, *replies: Reply | str) -> None:
        self._replies = [one if isinstance(one, Reply) else Reply("ok", one) for one in replies]
        self.asked: list[tuple[tuple[Message, ...], dict[str, Any], int]] = []

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        parameters: Mapping[str, Any] | None = None,
        sample: int = 0,
        shared: bool = False,
        whole: bool = False,
    ) -> Reply:
        self.asked.append((tuple(messages), dict(parameters or {}), sample))
        return self._replies[min(len(self.asked), len(self._replies)) - 1]

    @property
    def said(self) -> str:
        """Everything that was sent."""
        return "\n".join(message.content for messages, _, _ in self.asked for message in messages)


def verdicts(recipe: Recipe, metric: Metric, ask: Answers, *items: JudgedItem) -> Sequence[Verdict]:
    recipe.check(metric)
    return asyncio.run(recipe.judge(items or (CHAT,), metric, ask))
