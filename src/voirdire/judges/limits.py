"""Limits on calls: how many at a time, how many and how many tokens a minute, and a budget."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

__all__ = ["Bucket", "Budget", "Limiter", "Limits", "OverBudget"]

MINUTE = 60.0


@dataclass(frozen=True, kw_only=True)
class Limits:
    """``concurrency`` calls at a time, at most so many requests and tokens a minute (0 for no limit)."""

    concurrency: int = 16
    requests_per_minute: float = 0.0
    tokens_per_minute: float = 0.0


class OverBudget(Exception):
    """The budget is spent: no further call is made."""


@dataclass
class Budget:
    """At most ``money`` and ``calls``, None for no limit; what is spent is counted up."""

    money: float | None = None
    calls: int | None = None
    spent: float = 0.0
    made: int = 0

    def take(self) -> None:
        """Count one call, or raise :class:`OverBudget`."""
        if self.calls is not None and self.made >= self.calls:
            raise OverBudget(f"the limit of {self.calls:,} calls is reached")
        if self.money is not None and self.spent >= self.money:
            raise OverBudget(f"the budget of {self.money:g} is spent")
        self.made += 1

    def add(self, cost: float | None) -> None:
        """Count what a call cost."""
        self.spent += cost or 0.0


class Bucket:
    """A token bucket: ``rate`` a minute, saved up for one second at most; 0 never makes anyone wait."""

    def __init__(self, rate: float, *, now: Callable[[], float] = time.monotonic) -> None:
        self.rate, self._now = rate, now
        self._level, self._at = max(rate / MINUTE, 1.0), now()

    def wait(self, amount: float) -> float:
        """Take ``amount`` and return the seconds to wait for it; who comes later waits for all before."""
        if not self.rate:
            return 0.0
        now = self._now()
        most = max(self.rate / MINUTE, 1.0)
        self._level = min(self._level + (now - self._at) * self.rate / MINUTE, most)
        self._at = now
        self._level -= amount
        return max(-self._level * MINUTE / self.rate, 0.0)

    def give_back(self, amount: float) -> None:
        """Return what was taken and not used, or take (negative) what was used beyond."""
        self._level += amount


class Limiter:
    """Lets calls through one after another as :class:`Limits` say, slower after an endpoint's refusals.

    After a refusal for too many requests nobody calls before the time that the endpoint named. Half as many
    calls are then let through at a time, and again one more after every round without a refusal.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._requests = Bucket(limits.requests_per_minute)
        self._tokens = Bucket(limits.tokens_per_minute)
        self._free = asyncio.Condition()
        self._held = 0
        self._places = float(limits.concurrency)
        self._closed_until = 0.0

    @asynccontextmanager
    async def place(self, tokens: float) -> AsyncIterator[None]:
        """Hold one of the places while in the block, entered when the rates allow ``tokens`` more."""
        async with self._free:
            await self._free.wait_for(lambda: self._held < max(int(self._places), 1))
            self._held += 1
        try:
            wait = max(self._requests.wait(1), self._tokens.wait(tokens))
            if wait:
                await asyncio.sleep(wait)
            while (closed := self._closed_until - time.monotonic()) > 0:
                await asyncio.sleep(closed)
            yield
        finally:
            async with self._free:
                self._held -= 1
                self._free.notify_all()

    def used(self, expected: float, actual: float) -> None:
        """Settle the difference between the tokens expected of a call and those it took."""
        self._tokens.give_back(expected - actual)
        self._places = min(self._places + 1 / self._places, self.limits.concurrency)

    def refused(self, after: float) -> None:
        """An endpoint refused: nobody calls for ``after`` seconds, and then half as many at a time.

        Refusals of calls that were under way together count once.
        """
        now = time.monotonic()
        if now >= self._closed_until:
            self._places = max(self._places / 2, 1.0)
        self._closed_until = max(self._closed_until, now + after)
