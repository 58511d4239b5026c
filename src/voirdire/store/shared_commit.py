"""One commit for many: transactions of SQLite that wait for one another are kept by one write to the disk."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import sqlalchemy as sql

from voirdire.store.sql import Store

__all__ = ["SharedCommit"]

MOST = 64
"""So many transactions share a commit at most, so that nobody waits for a queue that never ends."""


@dataclass(eq=False)
class Batch:
    """Transactions that are kept together; ``problem`` is why they were not."""

    connection: sql.Connection
    size: int = 0
    problem: BaseException | None = None
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def is_whole(self) -> bool:
        """Whether its transaction still stands: SQLite undoes all of it by itself on some errors."""
        return bool(self.connection.connection.dbapi_connection.in_transaction)  # type: ignore[union-attr]


class SharedCommit:
    """Takes turns at writing one SQLite store from many threads.

    SQLite has one writer at a time, and a commit waits for the disk far longer than its rows take to write.
    Each transaction here is a savepoint, which fails alone. It returns when the commit that it shares is on
    the disk, and raises where that failed. It must not be used within itself.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turn = threading.Lock()
        self._counting = threading.Lock()
        self._waiting = 0
        self._batch: Batch | None = None
        self._refused: tuple[float, Exception] | None = None

    @contextmanager
    def transaction(self) -> Iterator[sql.Connection]:
        """A connection whose changes are kept when the block ends, or not at all."""
        came = time.monotonic()
        self._count(1)
        with self._turn:
            self._count(-1)
            batch = self._batch = self._batch or self._begin(came)
            batch.size += 1
            own = batch.connection.begin_nested()
            try:
                yield batch.connection
                own.commit()
            except BaseException as problem:
                if batch.is_whole:
                    own.rollback()
                else:
                    batch.problem = problem
                raise
            finally:
                # whoever waits for the turn ends the batch instead, or leaves it to the next who waits
                if not self._waiting or batch.size == MOST or batch.problem is not None:
                    self._batch = None
                    _end(batch)
        batch.ended.wait()
        if batch.problem is not None:
            raise batch.problem

    def _count(self, change: int) -> None:
        with self._counting:
            self._waiting += change

    def _begin(self, came: float) -> Batch:
        """A new transaction of the store; whoever waited while none could be had is refused alike."""
        if self._refused is not None and came < self._refused[0]:
            raise self._refused[1]
        connection = self._store.engine.connect()
        try:
            connection.begin()
        except Exception as problem:
            connection.close()
            self._refused = time.monotonic(), problem
            raise
        return Batch(connection)


def _end(batch: Batch) -> None:
    """Commit what stands, and tell everybody in the batch."""
    try:
        if batch.problem is None:
            batch.connection.commit()
    except Exception as problem:
        batch.problem = problem
    finally:
        with contextlib.suppress(sql.exc.SQLAlchemyError):
            if batch.problem is not None:
                batch.connection.invalidate()  # nobody knows what such a connection still holds
            batch.connection.close()
        batch.ended.set()
