"""Fake clients: answers made by a function, for tests of judges without a model."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping

from voirdire.judges.call import Failure, Reply, Request, Token

__all__ = ["FakeClient", "spread"]

Answer = Reply | str | Failure


class FakeClient:
    """A client whose replies are what ``answer`` says of each request; it keeps the requests it got.

    ``answer`` gives a reply, its text, or a :class:`~voirdire.judges.call.Failure` to raise. ``delay`` is in
    seconds.

    >>> client = FakeClient(lambda request: "pass")
    >>> asyncio.run(client.complete(Request("", "m", ()), timeout=1)).text
    'pass'
    """

    def __init__(self, answer: Callable[[Request], Answer], *, delay: float = 0.0) -> None:
        self._answer, self._delay = answer, delay
        self.requests: list[Request] = []
        self.at_once = self.most_at_once = 0

    async def complete(self, request: Request, *, timeout: float) -> Reply:
        """What ``answer`` says, after the delay."""
        self.requests.append(request)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(self._delay)
            answer = self._answer(request)
        finally:
            self.at_once -= 1
        if isinstance(answer, Failure):
            raise answer
        return answer if isinstance(answer, Reply) else Reply("ok", answer, raw=answer)

    async def close(self) -> None:
        """Nothing to let go of."""


def spread(shares: Mapping[str, float]) -> Reply:
    """A reply of one token, its likeliest label, that carries the probabilities ``shares``.

    >>> reply = spread({"pass": 0.7, "fail": 0.2})
    >>> reply.text, len(reply.tokens[0].top)
    ('pass', 2)
    """
    ranked = sorted(shares.items(), key=lambda pair: -pair[1])
    top = tuple((label, math.log(share)) for label, share in ranked if share > 0)
    return Reply("ok", ranked[0][0], (Token(ranked[0][0], top[0][1], top),), "stop", raw=ranked[0][0])
