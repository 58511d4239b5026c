"""SmolLM2 as user, as system and as judge of the example benchmark, by the command that everybody uses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql
from typer.testing import CliRunner

import voirdire.bench
from conftest import missing
from voirdire.bench.conversation import Conversation, kept_conversations
from voirdire.cli.main import app
from voirdire.errors import UserError
from voirdire.judges.call import Request
from voirdire.judges.clients.local import weights_of
from voirdire.store.schema import replies, verdicts
from voirdire.store.sql import open_store

pytestmark = pytest.mark.model

METRIC = "suggests_a_break"
MODEL = {"model": "SmolLM2-135M-Instruct", "family": "smollm", "endpoint": {"client": "local"}}
SENTENCE = {"max_tokens": 24, "temperature": 0.7, "seed": 7, "stop": [".", "?", "!"]}
"""One sentence a message, so that the test takes seconds."""
TURNS = 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example with one of its metrics, its players and judge, once run."""
    try:
        weights_of("")
    except UserError as problem:
        missing(f"the local model ({problem})")
    place = tmp_path_factory.mktemp("small") / "bench"
    shutil.copytree(Path(voirdire.bench.__file__).parent / "example", place)
    for file in (place / "metrics").glob("*.yaml"):
        if file.stem != METRIC:
            file.unlink()
    config = (place / "bench.yaml").read_text().replace("turns: 6", f"turns: {TURNS}")
    (place / "bench.yaml").write_text(config.replace("repeats: 4", "repeats: 1"))
    player = {**MODEL, "parameters": SENTENCE}
    one_token = {"temperature": 0, "max_tokens": 8, "logprobs": True, "top_logprobs": 20}
    judge = {**MODEL, "judge": "small-judge", "recipe": "rubric", "parameters": one_token}
    judge["options"] = {"letters": True, "hold": "grammar"}
    write(place / "targets.yaml", {"targets": [{"system": "small", **player}]})
    write(place / "user.yaml", {"user": "sim", **player})
    write(place / "judge.yaml", judge)
    document = run(place)
    assert document["conversations"] == {"new": 2, "there": 0}
    assert not document["errors"]
    return place


def write(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document), encoding="utf-8")


def run(folder: Path) -> dict[str, Any]:
    """What the command says of the first scenario in both variants, of which there are more."""
    done = CliRunner().invoke(app(), ["bench", "run", str(folder), "--limit", "2", "--json", "--quiet"])
    assert done.exit_code == 0, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def kept(folder: Path) -> list[Conversation]:
    with open_store(folder) as store:
        return list(kept_conversations(store))


def asked(folder: Path) -> dict[str, dict[str, Any]]:
    with open_store(folder) as store:
        return {row["request_hash"]: row for row in store.rows(sql.select(replies))}


def test_both_sides_are_played_by_the_model(folder: Path) -> None:
    calls = asked(folder)
    assert {row["judge"] for row in calls.values()} == {"small", "user", "small-judge"}
    found = kept(folder)
    assert {one.variant for one in found} == {"age=teen", "age=adult"}
    for one in found:
        assert one.ended in ("turns", "user left", "truncated", "empty")
        assert one.spoken
        for turn in one.spoken:
            assert calls[turn.reply_request]["text"].strip() == turn.reply
            assert bool(turn.user_request) == (turn.number == 3), "the opening and moves are as written"


def test_each_variant_is_played_as_itself(folder: Path) -> None:
    prompts = [
        Request.of(row["request"]).messages[0].content
        for row in asked(folder).values()
        if row["judge"] == "user"
    ]
    assert prompts
    assert all(("You are 15" in prompt) != ("You are 42" in prompt) for prompt in prompts)


def test_it_judges_what_it_said(folder: Path) -> None:
    calls, found = asked(folder), {one.id: one for one in kept(folder)}
    with open_store(folder) as store:
        rows = store.rows(sql.select(verdicts))
    assert {(row["item_id"], row["metric"].partition("/")[2]) for row in rows} == {
        (name, part) for name in found for part in ("", "opportunity")
    }
    for row in rows:
        assert row["status"] == "ok"
        assert row["label"] in ("present", "absent")
        prompt = calls[row["requests"][-1]]["request"]
        assert found[row["item_id"]].spoken[0].user in prompt
        assert not [word for word in (METRIC, "positive", "You are 15", "insists") if word in prompt]
