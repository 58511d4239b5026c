"""What a plan would take, before anything is asked: verdicts, calls, tokens and money."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from voirdire.judges.asking import LETTERS_A_TOKEN, LIMITS, REPLY_TOKENS
from voirdire.judges.call import Message, Reply
from voirdire.judges.planning import Plan

__all__ = ["Estimated", "estimate"]

SAMPLE = 20
"""Tasks whose prompts are written out to tell what the others will take."""


@dataclass(frozen=True)
class Estimated:
    """Verdicts that are there and to get, with the calls, tokens and money they are expected to take.

    ``cost`` is None where the judge's file gives no price.
    """

    done: int
    verdicts: int
    calls: float
    prompt_tokens: float
    completion_tokens: float
    cost: float | None

    def __str__(self) -> str:
        there = f"{self.done:,} verdicts are there, {self.verdicts:,} would be asked for"
        calls = f"about {self.calls:,.0f} calls, {self.prompt_tokens:,.0f} tokens sent"
        parts = f"{there}: {calls}, {self.completion_tokens:,.0f} received at most"
        return f"{parts}, cost up to {self.cost:.4g}." if self.cost is not None else f"{parts}."


@dataclass
class _Recording:
    """An ``ask`` that asks nobody, and notes what was said."""

    sent: list[int] = field(default_factory=list)

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        parameters: Mapping[str, Any] | None = None,
        sample: int = 0,
        shared: bool = False,
        whole: bool = False,
    ) -> Reply:
        self.sent.append(sum(len(message.content) for message in messages))
        return Reply("error", error="nobody was asked")


def estimate(plan: Plan) -> Estimated:
    """What ``plan`` would take, from the prompts of some of its tasks.

    A recipe that goes by what a reply says may call more often than is seen here.
    """
    n = len(plan)
    step = max(n // SAMPLE, 1)
    tasks = plan.tasks[::step][:SAMPLE]
    recording = _Recording()

    async def write() -> None:
        for task in tasks:
            await plan.judge.recipe.judge(plan.items(task), plan.metric(task), recording)

    asyncio.run(write())
    scale = n / len(tasks) if tasks else 0.0
    calls = len(recording.sent) * scale
    prompt = sum(recording.sent) / LETTERS_A_TOKEN * scale
    limits = [plan.judge.config.parameters.get(name) for name in LIMITS]
    reply = calls * next((limit for limit in limits if isinstance(limit, int)), REPLY_TOKENS)
    price = plan.judge.config.price
    cost = None if price is None else (prompt * price.input + reply * price.output) / 1e6
    return Estimated(plan.done, n, calls, prompt, reply, cost)
