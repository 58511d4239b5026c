"""The example, killed at twenty random moments and taken up again, ends as if nothing had happened."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from bench.runs import run_folder
from voirdire.bench.manifest import run_called
from voirdire.bench.running import results_of_run
from voirdire.bench.starting import start_bench
from voirdire.store.schema import metadata
from voirdire.store.sql import FILE, open_store

KILLS = 20
TIMES = ("created_at", "applied_at", "latency")
UNDER_WAY = ("turns", "conversations", "replies", "verdicts")


def dump(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, times aside."""
    with open_store(folder) as store:
        return {
            table.name: [
                {name: value for name, value in row.items() if name not in TIMES}
                for row in store.rows(sql.select(table).order_by(*table.primary_key))
            ]
            for table in metadata.sorted_tables
        }


def figures(folder: Path) -> str:
    with open_store(folder) as store:
        results = results_of_run(run_called(store, "last"), store)
    return json.dumps(results.to_dict(), sort_keys=True, allow_nan=False)


def rows(folder: Path) -> dict[str, int]:
    if not (folder / FILE).exists():
        return dict.fromkeys(UNDER_WAY, 0)
    found = dump(folder)
    return {name: len(found[name]) for name in UNDER_WAY}


def begun(folder: Path) -> Path:
    start_bench(folder, example=True)
    return folder


def test_killed_at_twenty_random_moments_it_ends_the_same(tmp_path: Path) -> None:
    whole = begun(tmp_path / "whole")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["bench.runs", "voirdire.judges.recipes.binary_rubric"])
    start = time.monotonic()
    reference = context.Process(target=run_folder, args=(whole,))
    reference.start()
    reference.join()
    took = time.monotonic() - start
    assert reference.exitcode == 0
    wanted, told = dump(whole), figures(whole)

    draw, killed, folders, states = random.Random(7), 0, [begun(tmp_path / "0")], []
    while killed < KILLS:
        process = context.Process(target=run_folder, args=(folders[-1],))
        process.start()
        process.join(draw.uniform(0.05, 0.5) * took)
        if process.is_alive():
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            killed += 1
            states.append(tuple(rows(folders[-1]).values()))
        else:  # it ended before it could be killed: the next kills are another folder's
            assert process.exitcode == 0
            folders.append(begun(tmp_path / str(len(folders))))
    # most kills came while something was being made
    ends = tuple(len(wanted[name]) for name in UNDER_WAY)
    assert sum((0,) * 4 < state < ends for state in states) >= KILLS // 3
    for folder in folders:
        run_folder(folder)
        assert dump(folder) == wanted
        assert figures(folder) == told
