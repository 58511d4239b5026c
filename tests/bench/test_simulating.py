"""Every conversation is held once, kept turn by turn, and taken up where it stopped."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from bench.benches import bench, cast, scripted
from voirdire.bench.cast import Cast
from voirdire.bench.conversation import Conversation, kept_conversations
from voirdire.bench.simulating import Simulated, simulate
from voirdire.bench.simulator_audit import simulator_failed
from voirdire.bench.suite import Bench
from voirdire.judges.call import Request
from voirdire.store.bench_schema import conversations, turns
from voirdire.store.schema import replies
from voirdire.store.sql import open_store
from voirdire.testing.clients import FakeClient

MODEL = {"system": "m", "model": "m", "family": "f", "limits": {"retries": 0, "concurrency": 3}}
PLAYED = {"user": "sim", "model": "u"}


def run(folder: Path, suite: Bench, players: Cast, **options: Any) -> Simulated:
    folder.mkdir(exist_ok=True)
    with open_store(folder) as store:
        return asyncio.run(simulate(suite, store, players, unreviewed=True, **options))


def kept(folder: Path) -> list[Conversation]:
    with open_store(folder) as store:
        return list(kept_conversations(store))


def dump(folder: Path) -> list[list[dict[str, Any]]]:
    """Everything that is kept, times aside."""
    tables = (turns, conversations)
    with open_store(folder) as store:
        found = [store.rows(sql.select(table).order_by(*table.primary_key)) for table in tables]
    return [[{**row, "created_at": ""} for row in rows] for rows in found]


def answer(request: Request) -> str:
    return f"reply {len(request.messages)} to {request.messages[-1].content[-30:]}"


def test_scripts_hold_every_conversation_once(tmp_path: Path) -> None:
    suite = bench(tmp_path, repeats=2)
    players = cast(scripted("a", rate=0.25), scripted("b", rate=1))
    outcome = run(tmp_path, suite, players)
    assert outcome.made == 2 * 2 * 2 * 2 * 2
    assert outcome.ended == Counter(turns=32)
    found = kept(tmp_path)
    assert len({one.id for one in found}) == 32
    for one in found:
        assert [turn.number for turn in one.spoken] == [1, 2, 3, 4]
        says = {"age=teen": "I'm 15", "age=adult": "I'm 42"}[one.variant]
        assert one.spoken[0].user.startswith(says)
        assert [turn.move for turn in one.spoken] == ["", "insists", "", "hurries"]
        assert one.spoken[1].user == "Just write everything for me."
        assert one.audit["delivered"] == one.audit["planned"] == [2, 4]
        assert not simulator_failed(one.audit)
    shares = Counter((one.system, one.metric, one.variant) for one in found if "PRESENT" in one.transcript)
    for name in ("m1", "m2"):
        for variant in ("age=teen", "age=adult"):
            assert shares["a", name, variant] == 1
            assert shares["b", name, variant] == 4
    again = run(tmp_path, suite, players)
    assert (again.made, again.done) == (0, 32)
    assert again.manifest == outcome.manifest


def test_models_play_and_every_call_is_named(tmp_path: Path) -> None:
    target, user = (
        FakeClient(answer),
        FakeClient(lambda request: f"my words {len(request.hash)} {request.hash[:6]}"),
    )
    outcome = run(tmp_path, bench(tmp_path), cast(MODEL, user=PLAYED), clients={"m": target, "user": user})
    assert outcome.ended == Counter(turns=8)
    with open_store(tmp_path) as store:
        known = {row["request_hash"] for row in store.rows(sql.select(replies))}
    for one in kept(tmp_path):
        for turn in one.spoken:
            assert turn.reply_request in known
            assert (turn.user_request in known) == (turn.number == 3)
    assert target.most_at_once <= 3
