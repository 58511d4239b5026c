"""Requests leave as a provider's batch and come back as replies, and verdicts are made of those as always."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judges.studies import JUDGE, kept, write_study
from voirdire.errors import UserError
from voirdire.judges.batches import Imported, export_batch, import_batch
from voirdire.judges.call import Request
from voirdire.judges.judge import load_judge
from voirdire.judges.planning import Plan, make_plan
from voirdire.judges.runner import Outcome, run_plan
from voirdire.opening import open as open_study
from voirdire.store.schema import replies, verdicts
from voirdire.store.sql import Store, open_store
from voirdire.testing.clients import FakeClient, spread
from voirdire.testing.fault_server import completion

Answer = Callable[[dict[str, Any]], dict[str, Any]]
SHARES = {"warm": 0.7, "cold": 0.2, "x": 0.1}


def good(body: dict[str, Any]) -> dict[str, Any]:
    return {"response": {"status_code": 200, "body": completion("warm", shares=SHARES)}, "error": None}


def exported(folder: Path, **options: Any) -> list[dict[str, Any]]:
    with open_store(folder) as store:
        count = export_batch(_plan(folder, store, **options), store, folder / "out.jsonl")
    lines = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert len(lines) == count
    return lines


def imported(
    folder: Path, lines: list[dict[str, Any]], answer: Answer = good, **options: Any
) -> tuple[Imported, Outcome]:
    """The answers to ``lines`` kept, and the verdicts made of them by a client that must not be asked."""
    answers = [{"custom_id": line["custom_id"], **answer(line["body"])} for line in reversed(lines)]
    (folder / "in.jsonl").write_text("\n".join(json.dumps(one) for one in answers))
    silent = FakeClient(lambda request: pytest.fail("asked a model"))
    with open_store(folder) as store:
        found = import_batch(_plan(folder, store, **options), store, folder / "in.jsonl")
        outcome = asyncio.run(run_plan(found.answered, store, client=silent))
    assert silent.requests == []
    return found, outcome


def _plan(folder: Path, store: Store, **options: Any) -> Plan:
    return make_plan(open_study(folder), load_judge(folder / "tone.yaml"), store, **options)


def test_a_batch_ends_as_a_run_would(tmp_path: Path) -> None:
    folder, other = write_study(tmp_path / "batch"), write_study(tmp_path / "run")
    lines = exported(folder, runs=2)
    assert len({line["custom_id"] for line in lines}) == 20
    assert all(len(line["custom_id"]) <= 64 for line in lines)
    assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
    found, outcome = imported(folder, lines, runs=2)
    assert (found.replies, found.errors, found.unneeded) == (20, 0, 0)
    assert outcome.statuses == {"ok": 20}
    client = FakeClient(lambda request: spread(SHARES))
    with open_store(other) as store:
        asyncio.run(run_plan(_plan(other, store, runs=2), store, client=client))
    assert [line["body"] for line in lines] == [request.body for request in client.requests]
    columns = ("content_hash", "run", "item_id", "label", "probabilities", "mass", "requests")
    for table, names in ((verdicts, columns), (replies, ("request_hash", "run", "request", "text"))):
        one, two = (
            sorted(str([row[name] for name in names]) for row in kept(f, table)) for f in (folder, other)
        )
        assert one == two
    assert exported(folder, runs=2) == []


def test_every_line_ends_in_one_recorded_reply(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "batch")
    lines = exported(folder)
    ends: list[dict[str, Any]] = [
        good({}),
        {"response": {"status_code": 429, "body": {"error": {"message": "slow down", "code": None}}}},
        {"response": {"status_code": 400, "body": {"error": {"message": "no", "code": "content_filter"}}}},
        {"response": None, "error": {"code": "batch_expired", "message": "too late"}},
        {"response": {"status_code": 200, "body": {"result": []}}},
        {"response": {"status_code": 200, "body": completion("perhaps")}},
        {"response": {"status_code": 200, "body": completion('{"label": "wa', finish="length")}},
        {"response": {"status_code": 500, "body": "<html>"}},
        {},
        good({}),
    ]
    answers = iter(ends)
    found, outcome = imported(folder, lines, lambda body: next(answers))
    assert (found.replies, found.errors) == (10, 5)
    assert outcome.statuses == {"ok": 2, "refusal": 1, "unparsed": 1, "truncated": 1}
    assert len(kept(folder, replies)) == 10
    errors = [row["error"] for row in kept(folder, replies) if row["status"] == "error"]
    assert {"slow down", "too late"} < set(errors)
    assert all(row["response"] for row in kept(folder, replies))
    again = exported(folder)
    assert len(again) == 5
    found, outcome = imported(folder, again)
    assert outcome.statuses == {"ok": 5}
    assert sorted(row["retry"] for row in kept(folder, replies)) == [0] * 10 + [1] * 5


def test_an_import_counts_once_and_only_what_is_asked(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "batch")
    lines = exported(folder)
    imported(folder, lines[:6])
    found, outcome = imported(folder, [*lines, lines[-1]])
    assert (found.replies, found.unneeded, outcome.made) == (4, 7, 4)
    assert "7 lines" in str(found)
    (folder / "tone.yaml").write_text(JUDGE.replace("temperature: 0", "temperature: 1"))
    found, outcome = imported(folder, lines)
    assert (found.replies, found.unneeded, outcome.made) == (0, 10, 0)


def test_a_recipe_of_several_calls_takes_several_batches(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "batch")
    (folder / "tone.yaml").write_text(JUDGE.replace("recipe: rubric", "recipe: form_filling"))
    steps = exported(folder)
    assert len(steps) == 1  # the evaluation steps, which every item shares
    step = {"response": {"status_code": 200, "body": completion('{"steps": ["Look."]}')}}
    found, outcome = imported(folder, steps, lambda body: step)
    assert (found.replies, outcome.made) == (1, 0)
    assert len(exported(folder)) == 10


def test_a_reply_that_was_cut_is_asked_for_again_with_more_room(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "batch", items=1)
    text = JUDGE.replace(
        "recipe: rubric", "recipe: binary_rubric\noptions: {present: warm, absent: cold}"
    ).replace("temperature: 0", "max_tokens: 9")
    (folder / "tone.yaml").write_text(text)
    cut = {"response": {"status_code": 200, "body": completion('{"just', finish="length")}}
    first = exported(folder)
    assert imported(folder, first, lambda body: cut)[1].made == 0
    second = exported(folder)
    assert second[0]["body"] == {**first[0]["body"], "max_tokens": second[0]["body"]["max_tokens"]}
    assert second[0]["body"]["max_tokens"] > 9
    assert imported(folder, second, lambda body: cut)[1].statuses == {"truncated": 1}
    assert exported(folder) == []


def test_money_is_counted(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "batch")
    (folder / "tone.yaml").write_text(JUDGE + "price: {input: 1, output: 5}\n")
    imported(folder, exported(folder))
    assert {row["cost"] for row in kept(folder, verdicts)} == {(10 + 5) / 1e6}
    assert {row["latency"] for row in kept(folder, verdicts)} == {None}


def test_other_files_are_refused(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "batch")
    for text in ("no json", "[1]", '{"custom": 1}'):
        (folder / "in.jsonl").write_text("\n" + text)
        with open_store(folder) as store, pytest.raises(UserError, match="line 2"):
            import_batch(_plan(folder, store), store, folder / "in.jsonl")
    with open_store(folder) as store, pytest.raises(UserError, match="cannot be read"):
        import_batch(_plan(folder, store), store, folder / "none.jsonl")


def test_the_lines_say_what_a_request_says(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "batch")
    (line, *_) = exported(folder, limit=1)
    request = Request.of(json.dumps({"endpoint": "", **line["body"]}))
    assert request.body == line["body"]
    assert "positive" not in json.dumps(line)
