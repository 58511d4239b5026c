"""Replies that are kept: which there are, and each one when it is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from voirdire.judges.call import Reply
from voirdire.judges.records import reply_of
from voirdire.store.parts import stored
from voirdire.store.schema import replies
from voirdire.store.sql import Store

__all__ = ["KeptReplies", "Key"]

Key = tuple[str, int, int]
"""A request's hash, the run and the sample."""


class KeptReplies:
    """What a store holds when a run begins, and what that run adds.

    Replies that several tasks want are read together: while one look is under way the next one fills.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._retries = _retries(store)
        self._wanted: dict[Key, asyncio.Future[Reply]] = {}
        self._task: asyncio.Task[None] | None = None

    def __contains__(self, key: Key) -> bool:
        return self._retries.get(key, 0) < 0

    def retry(self, key: Key) -> int:
        """The number of the next retry after errors, 0 where nothing is kept."""
        return self._retries.get(key, 0)

    def note(self, key: Key, reply: Reply) -> None:
        """Take note of a reply that has been committed."""
        self._retries[key] = self.retry(key) + 1 if reply.status == "error" else -1

    async def read(self, key: Key) -> Reply:
        """The kept reply of ``key``."""
        reply = self._wanted.setdefault(key, asyncio.get_running_loop().create_future())
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())
        return await asyncio.shield(reply)

    async def _look(self) -> None:
        while self._wanted:
            batch, self._wanted = self._wanted, {}
            try:
                found = await asyncio.to_thread(self._found, {key[0] for key in batch})
                kept = {key: found[key] for key in batch}
            except Exception as problem:
                for reply in batch.values():
                    reply.set_exception(problem)
                return
            for key, reply in batch.items():
                reply.set_result(kept[key])

    def _found(self, hashes: Collection[str]) -> dict[Key, Reply]:
        columns = [column.name for column in replies.columns]
        rows = stored(self._store, replies, columns, request_hash=list(hashes))
        return {
            (row["request_hash"], row["run"], row["sample"]): reply_of(row)
            for row in rows
            if row["status"] != "error"
        }


def _retries(store: Store) -> dict[Key, int]:
    """-1 for a reply, else the number of the next retry after errors."""
    kept: dict[Key, int] = {}
    for row in stored(store, replies, ["request_hash", "run", "sample", "retry", "status"]):
        key = (row["request_hash"], row["run"], row["sample"])
        if row["status"] != "error":
            kept[key] = -1
        elif kept.get(key, 0) >= 0:
            kept[key] = max(kept.get(key, 0), row["retry"] + 1)
    return kept
