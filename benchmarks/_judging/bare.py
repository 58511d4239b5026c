"""The least that asking takes: ``AsyncOpenAI`` in a loop of so many workers, nothing kept.

Run ``python bare.py URL CALLS CONCURRENCY``.
"""

from __future__ import annotations

import asyncio
import sys

from measure import Meter, messages_of
from openai import AsyncOpenAI

PARAMETERS = {"temperature": 0, "max_tokens": 5, "logprobs": True, "top_logprobs": 5}


async def ask(url: str, calls: int, concurrency: int) -> None:
    """Ask once for each number."""
    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    numbers = iter(range(calls))

    async def work() -> None:
        for number in numbers:
            reply = await client.chat.completions.create(  # type: ignore[call-overload]
                model="small", messages=messages_of(number), **PARAMETERS
            )
            assert reply.choices[0].message.content == "warm", "the endpoint's answer"

    with Meter(calls, "openai"):
        await asyncio.gather(*(work() for _ in range(concurrency)))
    await client.close()


if __name__ == "__main__":
    asyncio.run(ask(sys.argv[1] + "/judge", int(sys.argv[2]), int(sys.argv[3])))
