"""The one door to a model: what is kept is not asked again, limits hold, and every call is recorded."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from voirdire.errors import UserError
from voirdire.judges.call import Failure, Message, Reply, Request
from voirdire.judges.keeping import KeptReplies, Key
from voirdire.judges.limits import Budget
from voirdire.judges.records import reply_row
from voirdire.judges.routes import Lost, Route, Routes
from voirdire.store.group_commit import GroupCommit
from voirdire.store.schema import replies, storable
from voirdire.store.sql import Store

__all__ = ["Door", "Price", "Target", "more_room"]

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
"""Seconds before the second attempt, doubled with each further one up to the longest."""
LETTERS_A_TOKEN = 4
"""A rough length of tokens, to keep a rate until the endpoint says what a call took."""
REPLY_TOKENS = 256
LIMITS = ("max_completion_tokens", "max_tokens")
"""Parameters that limit a reply."""
MORE_ROOM = 4
"""How much longer a reply may be when it is asked for again because it was cut."""


@dataclass(frozen=True, kw_only=True)
class Price:
    """Money a million tokens."""

    input: float = 0.0
    output: float = 0.0

    def of(self, reply: Reply) -> float | None:
        """What ``reply`` cost; None where its tokens are not known."""
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            return None
        return (reply.prompt_tokens * self.input + reply.completion_tokens * self.output) / 1e6


@dataclass(frozen=True, kw_only=True)
class Target:
    """Whom a judge asks, and how patiently: ``retries`` further attempts, ``timeout`` seconds for each."""

    judge: str
    version: str
    endpoint: str
    model: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    price: Price | None = None
    timeout: float = 120.0
    retries: int = 5

    def request(
        self, messages: Sequence[Message], parameters: Mapping[str, Any] | None, *, run: int, sample: int
    ) -> Request:
        """What is sent: ``parameters`` go before the judge's own, and None takes one away."""
        merged = {**self.parameters, **(parameters or {})}
        sent = {name: value for name, value in merged.items() if value is not None}
        return Request(self.endpoint, self.model, tuple(messages), sent, run, sample)


class Door:
    """Every call of one judge goes through here; ``for_run(n)`` is the ``ask`` that recipes get."""

    def __init__(
        self,
        target: Target,
        routes: Routes,
        *,
        budget: Budget,
        store: Store,
        commit: GroupCommit,
    ) -> None:
        self.target, self._routes = target, routes
        self._budget, self._commit = budget, commit
        self._random = random.Random(0)
        self._kept = KeptReplies(store)
        self._under_way: dict[Key, asyncio.Future[Reply]] = {}

    def for_run(self, run: int) -> Asker:
        """The door for repeat number ``run``."""
        return Asker(self, run)

    async def settled(self) -> None:
        """Wait for the calls under way, also those whose task has given up for another call's sake."""
        while self._under_way:
            await asyncio.wait(list(self._under_way.values()))
            await asyncio.sleep(0)

    async def reply(self, request: Request, run: int, sample: int) -> Reply:
        """The kept reply, that of the same call under way, or a new one."""
        key = (request.hash, run, sample)
        if key in self._kept:
            return await self._kept.read(key)
        if key in self._under_way:
            return replace(await asyncio.shield(self._under_way[key]), kept=True)
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._under_way[key] = future
        try:
            reply = await self._asked(request, run, sample, self._kept.retry(key))
            future.set_result(reply)
            return reply
        except BaseException as problem:
            future.set_exception(problem)
            future.exception()  # nobody else may be waiting, and that is no fault
            raise
        finally:
            del self._under_way[key]

    async def _asked(self, request: Request, run: int, sample: int, retry: int) -> Reply:
        reply = await self._attempts(request)
        # read again from the store it must be the same reply
        reply = replace(reply, text=storable(reply.text), request_hash=request.hash, sample=sample)
        price = self.target.price
        reply = replace(reply, cost=price.of(reply) if price is not None else None)
        self._budget.add(reply.cost)
        named = {"judge": self.target.judge, "version": self.target.version}
        await self._commit.add(replies, reply_row(request, reply, run=run, retry=retry, **named))
        self._kept.note((request.hash, run, sample), reply)
        return reply

    async def _attempts(self, request: Request) -> Reply:
        """One reply, after as many attempts as it takes and are allowed."""
        for attempt in range(1, self.target.retries + 2):
            found = await self._attempt(request, attempt)
            if isinstance(found, Reply):
                return replace(found, attempts=attempt)
            failure, wait = found
            if not failure.again or attempt > self.target.retries:
                return Reply("error", error=failure.reason, attempts=attempt)
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns")

    async def _attempt(self, request: Request, attempt: int) -> Reply | tuple[Failure, float]:
        """What one attempt comes to, with the seconds before the next; made anew where a route is lost."""
        expected = sum(len(one.content) for one in request.messages) / LETTERS_A_TOKEN + REPLY_TOKENS
        while True:
            with self._routes.one() as route:
                async with route.limiter.place(expected):
                    if route.lost:
                        continue
                    self._budget.take()
                    found = await self._called(route, request)
                    if isinstance(found, Lost):
                        route.lost = found.reason
                        continue
                    if isinstance(found, Reply):
                        took = (found.prompt_tokens or 0) + (found.completion_tokens or 0)
                        route.limiter.used(expected, took or expected)
                        return found
                    wait = self._wait(found, attempt)
                    if found.limited:
                        route.limiter.refused(wait)
                    return found, wait

    async def _called(self, route: Route, request: Request) -> Reply | Failure:
        timeout = self.target.timeout
        try:
            async with asyncio.timeout(timeout):
                return await route.client.complete(request, timeout=timeout)
        except TimeoutError:
            return Failure(f"no whole reply within {timeout:g} s", again=True)
        except Failure as problem:
            return problem
        except UserError:
            raise
        except Exception as problem:  # a client's own fault on one answer must not lose the others
            return Failure(f"{type(problem).__name__}: {problem}", again=True)

    def _wait(self, failure: Failure, attempt: int) -> float:
        """Seconds before the next attempt: as the endpoint says, else doubled each time, varied a little."""
        if failure.after is not None:
            return failure.after
        longest = min(FIRST_WAIT * 2.0 ** (attempt - 1), LONGEST_WAIT)
        return longest * self._random.uniform(0.5, 1.0)


@dataclass(frozen=True)
class Asker:
    """``ask`` for one repeat."""

    door: Door
    run: int

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        parameters: Mapping[str, Any] | None = None,
        sample: int = 0,
        shared: bool = False,
        whole: bool = False,
    ) -> Reply:
        """As :class:`voirdire.judges.call.Ask` says."""
        run = 0 if shared else self.run
        request = self.door.target.request(messages, parameters, run=run, sample=sample)
        reply = await self.door.reply(request, run, sample)
        more = more_room(request) if whole and reply.status == "truncated" else None
        return reply if more is None else await self.door.reply(more, run, sample)


def more_room(request: Request) -> Request | None:
    """The request with room for a longer reply, None where it has no limit to raise."""
    for name in LIMITS:
        limit = request.parameters.get(name)
        if isinstance(limit, int):
            return replace(request, parameters={**request.parameters, name: limit * MORE_ROOM})
    return None
