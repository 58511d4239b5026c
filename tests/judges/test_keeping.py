"""Kept replies: one that cannot be found again fails its task, and makes nobody wait."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from voirdire.judges.call import Reply
from voirdire.judges.keeping import KeptReplies
from voirdire.store.sql import open_store


def test_a_reply_that_is_gone_fails_whoever_waits_for_it(tmp_path: Path) -> None:
    async def read() -> None:
        with open_store(tmp_path) as store:
            kept = KeptReplies(store)
            kept.note(("gone", 0, 0), Reply("ok"))
            assert ("gone", 0, 0) in kept
            async with asyncio.timeout(10):
                await kept.read(("gone", 0, 0))

    with pytest.raises(KeyError, match="gone"):
        asyncio.run(read())
