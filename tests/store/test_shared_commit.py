"""Transactions that share a commit: each fails alone, none returns early, and a failed commit fails all."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from voirdire.store.review_schema import people
from voirdire.store.shared_commit import SharedCommit
from voirdire.store.sql import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


def row(name: str) -> dict[str, str]:
    return {"rater_id": name, "created_at": "now"}


def known(store: Store) -> set[str]:
    return {found["rater_id"] for found in store.rows(sql.select(people.c.rater_id))}


def commits(store: Store) -> list[int]:
    """Grows by one with each commit."""
    seen: list[int] = []
    sql.event.listen(store.engine, "commit", lambda connection: seen.append(1))
    return seen


def hold(shared: SharedCommit, entered: threading.Event, go: threading.Event) -> None:
    with shared.transaction() as connection:
        connection.execute(people.insert(), row("first"))
        entered.set()
        go.wait()


def test_what_waits_together_is_kept_by_one_commit_and_each_returns_after_it(store: Store) -> None:
    shared, seen = SharedCommit(store), commits(store)
    entered, go = threading.Event(), threading.Event()

    def write(name: str) -> bool:
        with shared.transaction() as connection:
            connection.execute(people.insert(), row(name))
        return name in known(store)

    with ThreadPoolExecutor(9) as threads:
        first = threads.submit(hold, shared, entered, go)
        entered.wait()
        others = [threads.submit(write, f"R{number}") for number in range(8)]
        while shared._waiting < 8:
            time.sleep(0.001)
        assert known(store) == set()
        go.set()
        first.result()
        assert all(one.result() for one in others)
    assert len(known(store)) == 9
    assert len(seen) == 1


def test_one_that_fails_leaves_nothing_and_the_others_stay(store: Store) -> None:
    shared = SharedCommit(store)
    entered, go = threading.Event(), threading.Event()

    def write(number: int) -> None:
        with shared.transaction() as connection:
            connection.execute(people.insert(), row(f"R{number}"))
            if number % 2:
                raise ValueError(number)

    with ThreadPoolExecutor(7) as threads:
        first = threads.submit(hold, shared, entered, go)
        entered.wait()
        others = [threads.submit(write, number) for number in range(6)]
        go.set()
        first.result()
        assert [one.exception() is None for one in others] == [True, False] * 3
    assert known(store) == {"first", "R0", "R2", "R4"}


def test_a_commit_that_fails_is_told_to_everybody_in_it(store: Store) -> None:
    shared = SharedCommit(store)
    entered, go = threading.Event(), threading.Event()

    def fail(connection: Any) -> None:
        raise sql.exc.OperationalError("commit", None, OSError("disk I/O error"))

    def write(name: str) -> None:
        with shared.transaction() as connection:
            connection.execute(people.insert(), row(name))

    sql.event.listen(store.engine, "commit", fail)
    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(hold, shared, entered, go)
        entered.wait()
        others = [threads.submit(write, name) for name in ("a", "b")]
        while shared._waiting < 2:
            time.sleep(0.001)
        go.set()
        problems = [one.exception() for one in (first, *others)]
    assert all(isinstance(problem, sql.exc.OperationalError) for problem in problems)
    sql.event.remove(store.engine, "commit", fail)
    assert known(store) == set()
    write("after")
    assert known(store) == {"after"}


def test_where_sqlite_undoes_everything_itself_all_have_failed_and_the_next_begins_anew(store: Store) -> None:
    """A full disk ends the whole transaction, and what followed would be kept row by row."""
    shared = SharedCommit(store)
    entered, go = threading.Event(), threading.Event()

    def undo(name: str) -> None:
        with shared.transaction() as connection:
            connection.execute(people.insert(), row(name))
            connection.connection.dbapi_connection.rollback()  # type: ignore[union-attr]
            raise sql.exc.OperationalError("insert", None, OSError("database or disk is full"))

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(hold, shared, entered, go)
        entered.wait()
        second = threads.submit(undo, "second")
        while not shared._waiting:
            time.sleep(0.001)
        go.set()
        assert [type(one.exception()) for one in (first, second)] == [sql.exc.OperationalError] * 2
    assert known(store) == set()
    with shared.transaction() as connection:
        connection.execute(people.insert(), row("third"))
    assert known(store) == {"third"}


def test_many_threads_lose_nothing(store: Store) -> None:
    shared, seen = SharedCommit(store), commits(store)

    def write(number: int) -> None:
        with shared.transaction() as connection:
            connection.execute(people.insert(), row(f"R{number}"))

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(write, range(500)))
    assert len(known(store)) == 500
    assert len(seen) <= 500
