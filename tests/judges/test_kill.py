"""Killed at any moment and started again, a run ends with the verdicts of one that was never killed."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from judges.test_faults import study
from voirdire.store.parts import stored
from voirdire.store.schema import replies, verdicts
from voirdire.store.sql import open_store
from voirdire.testing.fault_server import FaultServer

ITEMS, KILLS, CONCURRENCY = 5_000, 20, 16
JUDGE = (
    "judge: j\nmodel: m\nrecipe: rubric\nendpoint: {url: '%s', key: PLANTED_KEY}\nlimits: {concurrency: %d}\n"
)
SECRET = "sk-planted-7d1f0a"


def label(body: dict[str, Any]) -> str:
    """A verdict that depends on the item alone."""
    return ("pass", "fail")[sum(json.dumps(body["messages"]).encode()) % 2]


def serve(pipe: Connection) -> None:
    """A server in a process of its own, which says how many calls it got when asked."""

    async def work() -> None:
        async with FaultServer(answer=label, delay=0.05) as server:
            pipe.send(server.port)
            while True:
                if await asyncio.to_thread(pipe.poll, 0.2):
                    pipe.recv()
                    pipe.send((len(server.bodies), server.most_at_once))

    asyncio.run(work())


@pytest.fixture
def endpoint() -> Any:
    mine, other = multiprocessing.Pipe()
    worker = multiprocessing.get_context("spawn").Process(target=serve, args=(other,), daemon=True)
    worker.start()
    port = mine.recv()
    yield f"http://127.0.0.1:{port}/v1", mine
    worker.kill()
    worker.join()


def start(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "voirdire", "judge", str(folder), "--judge", str(folder / "j.yaml")]
    return subprocess.Popen(
        command,
        env={**os.environ, "PLANTED_KEY": SECRET},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def kept(folder: Path) -> dict[str, str]:
    with open_store(folder) as store:
        rows = stored(store, verdicts, ["item_id", "label", "run", "part"])
    assert len({row["item_id"] for row in rows}) == len(rows), "an item with two verdicts"
    return {row["item_id"]: row["label"] for row in rows}


def count(folder: Path, table: sql.Table) -> int:
    with open_store(folder) as store:
        return int(store.rows(sql.select(sql.func.count().label("n")).select_from(table))[0]["n"])


def test_a_run_that_is_killed_twenty_times_loses_and_doubles_nothing(endpoint: Any, tmp_path: Path) -> None:
    url, pipe = endpoint
    folder = study(tmp_path, ITEMS)
    (folder / "j.yaml").write_text(JUDGE % (url, CONCURRENCY))
    rng = random.Random(7)
    kills = 0
    for _ in range(KILLS):
        process, before = (
            start(folder),
            count(folder, replies) if (folder / "voirdire.sqlite").exists() else 0,
        )
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if (folder / "voirdire.sqlite").exists() and count(folder, replies) > before + rng.randrange(100):
                break
            time.sleep(rng.random() * 0.05)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.communicate()
    assert kills >= KILLS - 2, "the run ended before it could be killed"
    last = start(folder)
    out, _ = last.communicate(timeout=300)
    assert last.returncode == 0, out
    found = kept(folder)
    assert len(found) == ITEMS
    assert set(found.values()) == {"pass", "fail"}
    pipe.send("how many")
    calls, at_once = pipe.recv()
    assert at_once <= CONCURRENCY
    assert ITEMS <= calls <= ITEMS + CONCURRENCY * kills
    assert count(folder, replies) == ITEMS
    assert not [file for file in folder.rglob("*") if file.is_file() and SECRET.encode() in file.read_bytes()]
    # an uninterrupted run gives the same verdicts
    (folder / "voirdire.sqlite").unlink()
    for more in folder.glob("voirdire.sqlite-*"):
        more.unlink()
    whole = start(folder)
    whole.communicate(timeout=300)
    assert kept(folder) == found


def test_ctrl_c_keeps_what_is_under_way(endpoint: Any, tmp_path: Path) -> None:
    url, pipe = endpoint
    folder = study(tmp_path, 2_000)
    (folder / "j.yaml").write_text(JUDGE % (url, 8))
    process = start(folder)
    while not (folder / "voirdire.sqlite").exists() or count(folder, verdicts) < 50:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert b"are left: stopped" in out
    pipe.send("how many")
    calls, _ = pipe.recv()
    assert len(kept(folder)) == count(folder, replies) == calls < 2_000
