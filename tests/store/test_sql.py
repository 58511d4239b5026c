"""The store: one schema in SQLite and PostgreSQL, rows added once, several processes at a time."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from store.conftest import Place
from voirdire.errors import UserError
from voirdire.store.group_commit import GroupCommit
from voirdire.store.migrations import MIGRATIONS
from voirdire.store.schema import manifests, migrations
from voirdire.store.sql import FILE, open_store


def manifest(name: str, **document: Any) -> dict[str, Any]:
    return {"manifest": name, "kind": "judge", "document": document, "created_at": "2026-01-01T00:00:00"}


def test_a_row_is_kept_once_and_never_changed(place: Place) -> None:
    with place.open() as store:
        assert store.add(manifests, [manifest("a", n=1), manifest("b", n=2)]) == 2
        assert store.add(manifests, [manifest("a", n=3), manifest("c", n=4)]) == 1
        found = {row["manifest"]: row["document"]["n"] for row in store.rows(sql.select(manifests))}
    assert found == {"a": 1, "b": 2, "c": 4}


def test_opening_again_keeps_everything_and_migrates_once(place: Place) -> None:
    with place.open() as store:
        store.add(manifests, [manifest("a")])
    with place.open(create=False) as store:
        assert len(store.rows(sql.select(manifests))) == 1
        names = [row["name"] for row in store.rows(sql.select(migrations))]
    assert len(names) == len(set(names)) > 0


def test_a_newer_store_is_refused(place: Place) -> None:
    with place.open() as store:
        store.add(migrations, [{"name": "m999_later", "applied_at": "2030"}])
    with pytest.raises(UserError, match="newer version"):
        place.open()


def test_a_store_that_cannot_be_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(tmp_path) as store:
        store.add(manifests, [manifest("a")])
    before = sorted(tmp_path.iterdir())
    # the superuser may write wherever modes forbid it
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with open_store(tmp_path, create=False) as store:
        assert len(store.rows(sql.select(manifests))) == 1
        assert sorted(tmp_path.iterdir()) == before
        with pytest.raises(sql.exc.OperationalError, match="readonly"):
            store.add(manifests, [manifest("b")])


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no store there"):
        open_store(tmp_path, create=False)
    with pytest.raises(UserError, match="no such folder"):
        open_store(tmp_path / "missing" / FILE)
    with pytest.raises(UserError, match="mysql store"):
        open_store("mysql://someone:secret@host/base")
    (tmp_path / "text").write_text("this is no database, whatever its name says\n" * 100)
    with pytest.raises(UserError, match="cannot be opened"):
        open_store(tmp_path / "text")


def test_a_password_is_never_shown() -> None:
    with pytest.raises(UserError) as caught:
        open_store("postgresql://someone:secret@127.0.0.1:9/base")
    assert "secret" not in str(caught.value)


def test_readers_do_not_wait_for_a_writer(place: Place) -> None:
    with place.open() as store, place.open() as other, store.transaction() as connection:
        connection.execute(manifests.insert().values(**manifest("a")))
        assert other.rows(sql.select(manifests)) == []


def test_a_folder_holds_its_store(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.add(manifests, [manifest("a")])
    assert (tmp_path / FILE).is_file()
    with open_store(tmp_path / FILE, create=False) as store:
        assert len(store.rows(sql.select(manifests))) == 1


def add_many(place: Place, name: str, start: Any) -> None:
    start.wait()
    with place.open() as store:
        for k in range(50):
            store.add(manifests, [manifest(f"{name}-{k}"), manifest(f"shared-{k}")])


def test_several_processes_make_the_store_and_write_at_a_time(place: Place) -> None:
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(3)
    workers = [context.Process(target=add_many, args=(place, name, start)) for name in "abc"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    with place.open(create=False) as store:
        assert len(store.rows(sql.select(manifests))) == 4 * 50
        assert len(store.rows(sql.select(migrations))) == len(MIGRATIONS)


def test_a_row_that_is_awaited_is_committed(place: Place) -> None:
    async def work() -> list[int]:
        seen = []
        with place.open() as store, place.open() as other:

            async def one(k: int, commit: GroupCommit) -> None:
                await commit.add(manifests, manifest(str(k)))
                seen.append(len(other.rows(sql.select(manifests).where(manifests.c.manifest == str(k)))))

            async with GroupCommit(store) as commit:
                await asyncio.gather(*(one(k, commit) for k in range(100)))
        return seen

    assert asyncio.run(work()) == [1] * 100


def test_a_failed_transaction_fails_its_rows(place: Place) -> None:
    async def work() -> None:
        with place.open() as store:
            async with GroupCommit(store) as commit:
                with pytest.raises(sql.exc.IntegrityError):
                    await commit.add(manifests, {**manifest("a"), "kind": None})
                await commit.add(manifests, manifest("b"))
            assert [row["manifest"] for row in store.rows(sql.select(manifests))] == ["b"]

    asyncio.run(work())
