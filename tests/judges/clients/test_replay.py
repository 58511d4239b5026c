"""A recorded run can be had again without a model."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
import sqlalchemy as sql

from judges.studies import JUDGE, kept, write_study
from voirdire.errors import UserError
from voirdire.judges.call import Failure, Message, Reply, Request
from voirdire.judges.clients.replay import Replay, write_replies
from voirdire.judges.judge import load_judge
from voirdire.judges.planning import make_plan
from voirdire.judges.runner import Outcome, run_plan
from voirdire.opening import open as open_study
from voirdire.store.parts import compact
from voirdire.store.schema import replies, verdicts
from voirdire.store.sql import open_store
from voirdire.testing.clients import FakeClient, spread

COLUMNS = ("item_id", "run", "label", "probabilities", "mass", "status")


def differing(request: Request) -> Reply | Failure:
    """Another answer for every item and run, and a call that fails."""
    if "number 7" in request.text:
        return Failure("HTTP 500: broken", again=False)
    share = 0.1 + 0.05 * (len(request.text) % 7) + 0.3 * request.run
    return spread({"warm": share, "cold": 0.95 - share, "x": 0.05})


def run(folder: Path, client: FakeClient | None, *, runs: int = 2) -> Outcome:
    with open_store(folder) as store:
        plan = make_plan(open_study(folder), load_judge(folder / "tone.yaml"), store, runs=runs)
        return asyncio.run(run_plan(plan, store, client=client or "local"))


def told(folder: Path) -> list[tuple[str, ...]]:
    return sorted(tuple(str(row[name]) for name in COLUMNS) for row in kept(folder, verdicts))


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    folder = write_study(tmp_path / "recorded")
    run(folder, FakeClient(differing))
    return folder


def replaying(folder: Path, url: Path) -> Path:
    write_study(folder)
    endpoint = f'endpoint: {{client: replay, url: "{url}"}}'
    (folder / "tone.yaml").write_text(JUDGE.replace('endpoint: {url: "http://127.0.0.1:9/v1"}', endpoint))
    return folder


@pytest.mark.parametrize("form", ["folder", "parts", "jsonl"])
def test_a_replay_ends_as_the_recorded_run(recorded: Path, tmp_path: Path, form: str) -> None:
    source = recorded
    with open_store(recorded) as store:
        if form == "parts":
            compact(store)
        if form == "jsonl":
            source = tmp_path / "replies.jsonl"
            assert write_replies(store, source) == 20
    again = replaying(tmp_path / "again", source)
    assert run(again, None).statuses == {"ok": 18, "error": 2}
    assert told(again) == told(recorded)
    latencies = {row["latency"] for row in kept(again, replies) if row["status"] == "ok"}
    assert latencies == {row["latency"] for row in kept(recorded, replies) if row["status"] == "ok"}


def test_a_later_run_gets_its_own_replies(recorded: Path, tmp_path: Path) -> None:
    again = replaying(tmp_path / "again", recorded)
    run(again, None, runs=1)
    run(again, None, runs=2)
    assert set(told(again)) == set(told(recorded))


def test_a_missing_reply_is_an_error_that_names_the_request(recorded: Path, tmp_path: Path) -> None:
    again = replaying(tmp_path / "again", recorded)
    assert run(again, None, runs=3).statuses == {"ok": 18, "error": 12}
    lost = [row for row in kept(again, replies) if row["run"] == 2]
    assert len(lost) == 10
    assert all(row["request_hash"][:12] in row["error"] and "run 2" in row["error"] for row in lost)


def test_a_retry_takes_the_place_of_the_error(recorded: Path, tmp_path: Path) -> None:
    run(recorded, FakeClient(lambda request: spread({"warm": 1.0})))
    again = replaying(tmp_path / "again", recorded)
    assert run(again, None).statuses == {"ok": 20}


def test_what_holds_no_replies_is_refused(tmp_path: Path) -> None:
    for url in ("", str(tmp_path), str(tmp_path / "none.jsonl")):
        with pytest.raises(UserError):
            Replay(url, None)
    file = tmp_path / "bad.jsonl"
    file.write_text('{"run": 0}\n')
    with pytest.raises(UserError, match="line 1"):
        Replay(str(file), None)


def test_a_line_end_of_another_kind_within_a_text_splits_no_line(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "recorded", text="one\u2028two\u0085three")
    run(folder, FakeClient(differing), runs=1)
    file = tmp_path / "replies.jsonl"
    with open_store(folder) as store:
        write_replies(store, file)
        request = Request.of(store.rows(sql.select(replies.c.request))[0]["request"])
    assert all(json.loads(line) for line in file.read_text(encoding="utf-8").strip().split("\n"))
    assert asyncio.run(Replay(str(file), None).complete(request, timeout=1)).status == "ok"
    other = Request("", "m", (Message("user", "x"),))
    with pytest.raises(Failure, match="no reply"):
        asyncio.run(Replay(str(file), None).complete(other, timeout=1))
