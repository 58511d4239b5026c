"""A stand-in answers a judge's calls by a rule, and leaves nothing running."""

from __future__ import annotations

import asyncio
import threading

from voirdire.judges.call import Message, Reply, Request
from voirdire.judges.clients.openai_compatible import OpenAICompatible
from voirdire.testing.stand_in import StandIn


async def ask(url: str, words: str) -> Reply:
    client = OpenAICompatible(url, None)
    try:
        return await client.complete(Request(url, "m", (Message("user", words),)), timeout=5)
    finally:
        await client.close()


def test_it_answers_by_its_rule_and_is_gone_afterwards() -> None:
    before = threading.active_count()
    with StandIn(lambda request: request.messages[0].content.upper()) as server:
        replies = [asyncio.run(ask(server.url, words)) for words in ("good", "bad")]
        assert [reply.text for reply in replies] == ["GOOD", "BAD"]
    assert threading.active_count() == before
