"""Rows move to Parquet parts whole or not at all, and are read with those that stayed."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import time
from typing import Any

import pytest
import sqlalchemy as sql

from store.conftest import Place
from voirdire.errors import UserError
from voirdire.store import parts as module
from voirdire.store.parts import compact, stored
from voirdire.store.schema import parts, verdicts
from voirdire.store.sql import Store

COLUMNS = ["content_hash", "run", "label", "probabilities", "cost", "status"]


def verdict(k: int, status: str = "ok", **other: Any) -> dict[str, Any]:
    return {
        "content_hash": f"h{k:05}",
        "run": k % 3,
        "part": "",
        "item_id": f"i{k}",
        "retry": 0,
        "metric": "m",
        "rater_id": "j",
        "judge_version": "v",
        "label": None if status != "ok" else "päss",
        "status": status,
        "probabilities": {"päss": 0.25, "fail": 0.75} if k % 2 else None,
        "requests": [f"r{k}"],
        "cost": k / 7 if k % 5 else None,
        "manifest": "a",
        "created_at": "2026-01-01",
        **other,
    }


def everything(store: Store) -> list[tuple[Any, ...]]:
    return sorted((row["content_hash"], *map(str, row.values())) for row in stored(store, verdicts, COLUMNS))


def test_nothing_is_lost_or_doubled_and_errors_stay(place: Place) -> None:
    with place.open() as store:
        store.add(verdicts, [verdict(k, "error" if k % 10 == 0 else "ok") for k in range(100)])
        before = everything(store)
        moved = compact(store)
        assert moved.rows == {"replies": 0, "verdicts": 90}
        assert everything(store) == before
        assert {row["status"] for row in store.rows(sql.select(verdicts.c.status))} == {"error"}
        store.add(verdicts, [verdict(k) for k in range(100, 130)])
        assert len(everything(store)) == 130
        assert compact(store).rows["verdicts"] == 30
        assert str(compact(store)) == "Nothing to move."
        assert len(stored(store, verdicts, ["run"], run=1)) == len([k for k in range(130) if k % 3 == 1])


def test_a_key_that_comes_again_after_its_row_has_moved_is_the_first_row(place: Place) -> None:
    with place.open() as store:
        for cost in (1.0, 2.0, 3.0):
            store.add(verdicts, [verdict(1, cost=cost)])
            compact(store)
        store.add(verdicts, [verdict(1, cost=4.0), verdict(2, cost=5.0)])
        assert sorted(row["cost"] for row in stored(store, verdicts, ["cost"])) == [1.0, 5.0]
        named = stored(store, verdicts, ["run"], content_hash=["h00001", "h00002", "h00003"], status="ok")
        assert sorted(row["run"] for row in named) == [1, 2]


def test_parts_without_their_folder_are_a_users_error(place: Place) -> None:
    with place.open() as store:
        store.add(verdicts, [verdict(1)])
        compact(store)
        with pytest.raises(UserError, match="in a study's folder"):
            stored(dataclasses.replace(store, folder=None), verdicts, ["cost"])


def test_a_file_that_no_transaction_listed_does_not_count(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with place.open() as store:
        store.add(verdicts, [verdict(k) for k in range(10)])
        before = everything(store)

        def stop(*arguments: Any) -> Any:
            raise KeyboardInterrupt

        real = module._write
        monkeypatch.setattr(module, "_write", lambda *arguments: (real(*arguments), stop())[0])
        with pytest.raises(KeyboardInterrupt):
            compact(store)
        monkeypatch.undo()
        assert everything(store) == before
        (orphan,) = (place.folder / "voirdire-parts").glob("*.parquet")
        os.utime(orphan, (0, 0))
        compact(store)
        assert everything(store) == before
        assert (
            len(list((place.folder / "voirdire-parts").glob("*.parquet")))
            == len(store.rows(sql.select(parts)))
            == 1
        )


def test_a_missing_part_is_named(place: Place) -> None:
    with place.open() as store:
        store.add(verdicts, [verdict(1)])
        (file,) = compact(store).files
        file.unlink()
        with pytest.raises(UserError, match=file.name):
            stored(store, verdicts, COLUMNS)


def move_in_small_parts(place: Place) -> None:
    module.ROWS_A_PART = 3  # type: ignore[misc]
    with place.open() as store:
        compact(store)


@pytest.mark.parametrize("files", [1, 7, 20])
def test_a_kill_at_any_moment_loses_and_doubles_nothing(files: int, place: Place) -> None:
    with place.open() as store:
        store.add(verdicts, [verdict(k) for k in range(300)])
        before = everything(store)
    worker = multiprocessing.get_context("spawn").Process(target=move_in_small_parts, args=(place,))
    worker.start()
    while worker.is_alive() and len(list(place.folder.rglob("*.parquet"))) < files:
        time.sleep(0.002)
    worker.kill()
    worker.join()
    with place.open() as store:
        assert len(store.rows(sql.select(verdicts.c.run))) > 0, "the kill came too late"
        assert everything(store) == before
        compact(store)
        assert everything(store) == before
