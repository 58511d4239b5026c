"""Endpoints fail in every way; each call ends in exactly one recorded status, and nothing is lost."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from voirdire.judges.judge import load_judge
from voirdire.judges.planning import make_plan
from voirdire.judges.runner import Outcome, run_plan
from voirdire.opening import open as open_study
from voirdire.store.schema import replies, verdicts
from voirdire.store.sql import open_store
from voirdire.testing.fault_server import FAULTS, FaultServer

STUDY = """
tables:
  - file: labels.csv
  - {file: texts.csv, kind: items}
metrics:
  good:
    rubric: Is it good?
    scale: {kind: binary, labels: [fail, pass]}
"""
EXPECTED = {
    "too_many": "ok",
    "too_many_for_a_second": "ok",
    "too_many_for_milliseconds": "ok",
    "too_many_until_a_date": "ok",
    "no_money": "error",
    "wrong_key": "error",
    "http_500": "ok",
    "hang": "ok",
    "reset": "ok",
    "drip": "ok",
    "cut": "ok",
    "html": "ok",
    "html_500": "ok",
    "wrong_type": "ok",
    "no_json": "ok",
    "empty_body": "ok",
    "filtered_prompt": "refusal",
    "filtered_reply": "refusal",
    "no_choices": "ok",
    "null_content": "unparsed",
    "null_choice": "ok",
    "huge": "unparsed",
    "wrong_schema": "ok",
    "error_in_200": "ok",
    "twice": "ambiguous",
    "truncated": "truncated",
}
"""What a verdict ends as when its first call meets the fault and every later one is answered."""


def study(folder: Path, n: int) -> Path:
    (folder / "labels.csv").write_text(
        "item_id,metric,rater_id,rater_kind,label\n"
        + "".join(f"i{k},good,ann,human,{'pass' if k % 2 else 'fail'}\n" for k in range(n))
    )
    (folder / "texts.csv").write_text(
        "item_id,text\n" + "".join(f"i{k},Reply number {k}\n" for k in range(n))
    )
    (folder / "study.yaml").write_text(STUDY)
    return folder


def judged(folder: Path, server: FaultServer, limits: str = "{}", **options: Any) -> Outcome:
    """The outcome of judging the study in ``folder`` through the true client."""
    text = f"judge: j\nmodel: m\nrecipe: rubric\nendpoint: {{url: '%s'}}\nlimits: {limits}\n"

    async def work() -> Outcome:
        async with server:
            (folder / "j.yaml").write_text(text % server.url)
            with open_store(folder) as store:
                plan = make_plan(open_study(folder), load_judge(folder / "j.yaml"), store)
                return await run_plan(plan, store, **options)

    return asyncio.run(work())


def rows(folder: Path, table: sql.Table) -> list[dict[str, Any]]:
    with open_store(folder) as store:
        return store.rows(sql.select(table))


def test_every_fault_is_expected() -> None:
    assert set(EXPECTED) == set(FAULTS)


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_fault_ends_in_one_recorded_status(fault: str, tmp_path: Path) -> None:
    server = FaultServer(script=[fault])
    outcome = judged(study(tmp_path, 1), server, "{timeout: 0.5}")
    (verdict,) = rows(tmp_path, verdicts)
    (reply,) = rows(tmp_path, replies)
    assert verdict["status"] == EXPECTED[fault]
    assert outcome.statuses == {EXPECTED[fault]: 1}
    assert reply["attempts"] == len(server.bodies)
    assert (reply["status"] == "error") == (reply["error"] != "" and verdict["status"] == "error")


def test_a_storm_of_faults_loses_nothing(tmp_path: Path) -> None:
    quick = [name for name in sorted(FAULTS) if name not in ("hang", "drip", "too_many_until_a_date")]
    server = FaultServer(script=quick * 3)
    outcome = judged(study(tmp_path, 60), server, "{concurrency: 20, timeout: 2, retries: 8}")
    assert outcome.made == len(rows(tmp_path, verdicts)) == 60
    assert len({row["item_id"] for row in rows(tmp_path, verdicts)}) == 60
    assert sum(row["attempts"] for row in rows(tmp_path, replies)) == len(server.bodies)
    assert server.most_at_once <= 20


def test_an_endpoint_that_asks_to_wait_is_left_alone(tmp_path: Path) -> None:
    start = time.monotonic()
    server = FaultServer(script=["too_many_for_a_second"])
    outcome = judged(study(tmp_path, 8), server, "{concurrency: 4}")
    assert outcome.statuses == {"ok": 8}
    assert time.monotonic() - start >= 1
    assert len(server.bodies) == 9


def test_requests_a_minute_hold(tmp_path: Path) -> None:
    start = time.monotonic()
    outcome = judged(study(tmp_path, 30), FaultServer(), "{concurrency: 30, requests_per_minute: 600}")
    assert outcome.made == 30
    assert time.monotonic() - start >= (30 - 10) / 10 - 0.1


def test_retries_end(tmp_path: Path) -> None:
    server = FaultServer(script=["http_500"] * 10)
    outcome = judged(study(tmp_path, 1), server, "{retries: 2}")
    assert outcome.statuses == {"error": 1}
    (reply,) = rows(tmp_path, replies)
    assert (reply["attempts"], len(server.bodies)) == (3, 3)
    assert "HTTP 500" in reply["error"]


def test_a_reply_that_was_cut_is_asked_for_once_more_with_more_room(tmp_path: Path) -> None:
    folder = study(tmp_path, 1)
    (folder / "study.yaml").write_text(STUDY.replace("[fail, pass]", "[absent, present]"))
    labels = (folder / "labels.csv").read_text().replace("fail", "absent").replace("pass", "present")
    (folder / "labels.csv").write_text(labels)

    async def work() -> None:
        async with FaultServer(script=["truncated"], answer=lambda body: '{"verdict": "present"}') as server:
            (folder / "j.yaml").write_text(
                f"judge: j\nmodel: m\nrecipe: binary_rubric\nendpoint: {{url: '{server.url}'}}\n"
                "parameters: {max_tokens: 50}\n"
            )
            with open_store(folder) as store:
                plan = make_plan(open_study(folder), load_judge(folder / "j.yaml"), store)
                outcome = await run_plan(plan, store)
            assert outcome.statuses == {"ok": 1}
            assert [body["max_tokens"] for body in server.bodies] == [50, 200]

    asyncio.run(work())
    assert [row["status"] for row in rows(folder, replies)] == ["truncated", "ok"]
    assert len(rows(folder, verdicts)[0]["requests"]) >= 1


def test_a_key_that_an_endpoint_repeats_is_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sk-planted-51c0de"
    monkeypatch.setenv("PLANTED_KEY", secret)
    folder = study(tmp_path, 4)
    echo = f"pass, and your key is {secret}"

    async def work() -> None:
        async with FaultServer(script=["wrong_key"], answer=lambda body: echo) as server:
            (folder / "j.yaml").write_text(
                f"judge: j\nmodel: m\nrecipe: rubric\nendpoint: {{url: '{server.url}', key: PLANTED_KEY}}\n"
            )
            with open_store(folder) as store:
                plan = make_plan(open_study(folder), load_judge(folder / "j.yaml"), store)
                await run_plan(plan, store)
            assert server.keys == [f"bearer {secret}"] * 4

    asyncio.run(work())
    assert any("***" in row["text"] for row in rows(folder, replies))
    assert not [file for file in folder.rglob("*") if file.is_file() and secret.encode() in file.read_bytes()]
