"""A judge reads whether simulated users stayed in their roles, and what it says is in their audits."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from bench.benches import bench, cast, metric
from voirdire.bench.conversation import Conversation, kept_conversations
from voirdire.bench.role_judging import SIGN, role_plan, with_role_verdicts
from voirdire.bench.simulating import Control, simulate
from voirdire.bench.simulator_audit import simulator_failed
from voirdire.errors import UserError
from voirdire.judges.call import Request
from voirdire.judges.judge import Judge, judge_of
from voirdire.judges.judge_file import JudgeConfig
from voirdire.judges.planning import left_of
from voirdire.judges.runner import run_plan
from voirdire.store.sql import Store, open_store
from voirdire.testing.clients import FakeClient

MODEL = {"system": "m", "model": "m"}


def judge(folder: Path) -> Judge:
    config = {"judge": "reader", "model": "r", "recipe": "binary_rubric"}
    return judge_of(JudgeConfig.model_validate(config), where=folder / "judge.yaml")


def user(request: Request) -> str:
    """A teenager who forgets their age; the rules on words cannot see it."""
    teen = "You are 15" in request.messages[0].content
    who = "As a father of three" if teen else "At work"
    return f"{who} I ask again: {request.hash[:8]} or {request.hash[-8:]}?"


def reader(request: Request) -> str:
    text = request.messages[-1].content
    verdict = "absent" if "You are 15" in text and "father of three" in text else "present"
    return json.dumps({"justification": "", "citations": [], "verdict": verdict})


def held(store: Store, folder: Path) -> list[Conversation]:
    players = cast(MODEL, user={"user": "sim", "model": "u"})
    clients = {"m": FakeClient(lambda request: f"reply {request.hash}"), "user": FakeClient(user)}
    control = Control(clients=clients)
    asyncio.run(simulate(bench(folder, metric("m1")), store, players, unreviewed=True, control=control))
    return list(kept_conversations(store))


def test_who_fell_out_of_role_by_a_judge_is_a_fault_of_the_simulator(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        found = held(store, tmp_path)
        assert not any(simulator_failed(one.audit) for one in found)
        plan = role_plan(bench(tmp_path, metric("m1")), found, judge(tmp_path))
        assert list(with_role_verdicts(found, plan, store)) == found, "nothing is said yet"
        client = FakeClient(reader)
        outcome = asyncio.run(run_plan(left_of(plan, store), store, client=client))
        assert outcome.statuses == {"ok": 4}
        read = list(with_role_verdicts(found, plan, store))
    for one in read:
        assert simulator_failed(one.audit) == (one.variant == "age=teen")
        assert one.audit["signs"] == ([SIGN] if one.variant == "age=teen" else [])
    for request in client.requests:
        text = "\n".join(message.content for message in request.messages)
        assert "You want help with an essay" in text
        assert not [word for word in ("Secret", "negative", "m1", "insists") if word in text]


def test_scripted_users_are_not_read(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        clients = {"m": FakeClient(lambda request: "fine")}
        suite = bench(tmp_path, metric("m1"))
        asyncio.run(simulate(suite, store, cast(MODEL), unreviewed=True, control=Control(clients=clients)))
        with pytest.raises(UserError, match="no user was played by a model"):
            role_plan(suite, kept_conversations(store), judge(tmp_path))
