"""Group commit: rows of many tasks in one transaction, each task told when its own row is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import sqlalchemy as sql

from voirdire.errors import UserError
from voirdire.store.sql import Store, added

__all__ = ["GroupCommit"]

Entry = tuple[sql.Table, tuple[Mapping[str, Any], ...], "asyncio.Future[None]"]


class GroupCommit:
    """Writes rows for the tasks of one event loop; while one transaction is under way the next one fills.

    Use it as ``async with GroupCommit(store) as commit: await commit.add(table, row)``. A row that is awaited
    is committed; a failed transaction fails every row in it, and a store that cannot be written (a full disk)
    is a user's error. Leaving the block waits for all rows.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[Entry] = []
        self._filled = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._closing = False

    async def add(self, table: sql.Table, *rows: Mapping[str, Any]) -> None:
        """Return when all ``rows`` are committed, together; one whose key exists stays as it was."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((table, rows, done))
        self._filled.set()
        await asyncio.shield(done)

    async def __aenter__(self) -> GroupCommit:
        self._task = asyncio.create_task(self._work())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing = True
        self._filled.set()
        assert self._task is not None
        await self._task

    async def _work(self) -> None:
        while True:
            await self._filled.wait()
            self._filled.clear()
            batch, self._waiting = self._waiting, []
            if batch:
                await self._commit(batch)
            if self._closing and not self._waiting:
                return

    async def _commit(self, batch: list[Entry]) -> None:
        try:
            await asyncio.to_thread(self._write, batch)
        except Exception as problem:
            failure = _in_words(problem, self._store.where)
            for _, _, done in batch:
                if not done.done():
                    done.set_exception(failure)
            return
        for _, _, done in batch:
            if not done.done():
                done.set_result(None)

    def _write(self, batch: list[Entry]) -> None:
        by_table: dict[sql.Table, list[Mapping[str, Any]]] = {}
        for table, rows, _ in batch:
            by_table.setdefault(table, []).extend(rows)
        with self._store.transaction() as connection:
            for table, every in by_table.items():
                added(connection, table, every)


def _in_words(problem: Exception, where: str) -> Exception:
    """A store that cannot be written as a user's error; other faults are ours and stay as they are."""
    if isinstance(problem, sql.exc.OperationalError):
        said = str(problem.orig).splitlines()[0]
        return UserError(f"cannot be written: {said}", where=where, fix="see to that, then go on")
    return problem
