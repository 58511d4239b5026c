"""SmolLM2 as user, as system and as judge, through the code path of every model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sql

from bench.benches import bench, cast, judged, metric, scenario
from conftest import missing
from voirdire.bench.conversation import Conversation, kept_conversations
from voirdire.bench.simulating import simulate
from voirdire.errors import UserError
from voirdire.judges.call import Request
from voirdire.judges.clients.local import weights_of
from voirdire.store.schema import replies
from voirdire.store.sql import open_store

pytestmark = pytest.mark.model

SMALL = {
    "model": "SmolLM2-135M-Instruct",
    "family": "smollm",
    "endpoint": {"client": "local"},
    "parameters": {"max_tokens": 40, "temperature": 0.7, "seed": 7, "stop": [".", "?", "!"]},
}
"""Of one sentence a message, so that the test takes seconds."""
TURNS = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        weights_of("")
    except UserError as problem:
        missing(f"the local model ({problem})")
    place = tmp_path_factory.mktemp("small")
    suite = bench(place, metric("m1", scenarios=[scenario("s1", moves=[])]), turns=TURNS)
    players = cast({"system": "small", **SMALL}, user={"user": "sim", **SMALL})
    with open_store(place) as store:
        outcome = asyncio.run(simulate(suite, store, players, unreviewed=True))
    assert outcome.made == 2
    assert not outcome.errors
    return place


def kept(folder: Path) -> list[Conversation]:
    with open_store(folder) as store:
        return list(kept_conversations(store))


def test_both_sides_are_played_by_the_model(folder: Path) -> None:
    with open_store(folder) as store:
        asked = {row["request_hash"]: row for row in store.rows(sql.select(replies))}
    assert {row["judge"] for row in asked.values()} == {"small", "user"}
    for one in kept(folder):
        assert one.ended in ("turns", "user left", "truncated", "empty")
        assert one.spoken
        for turn in one.spoken:
            assert asked[turn.reply_request]["text"].strip() == turn.reply
            assert bool(turn.user_request) == (turn.number > 1)


def test_each_variant_is_played_as_itself(folder: Path) -> None:
    with open_store(folder) as store:
        rows = store.rows(sql.select(replies).where(replies.c.judge == "user"))
    prompts = [Request.of(row["request"]).messages[0].content for row in rows]
    played = {one.variant for one in kept(folder) if len(one.spoken) > 1 or one.ended == "user left"}
    for variant, who in (("age=teen", "You are 15"), ("age=adult", "You are 42")):
        assert any(who in prompt for prompt in prompts) or variant not in played
    assert all(("You are 15" in prompt) != ("You are 42" in prompt) for prompt in prompts)


def test_the_same_command_again_holds_nothing_again(folder: Path) -> None:
    suite = bench(folder, metric("m1", scenarios=[scenario("s1", moves=[])]), turns=TURNS)
    players = cast({"system": "small", **SMALL}, user={"user": "sim", **SMALL})
    before = kept(folder)
    with open_store(folder) as store:
        assert asyncio.run(simulate(suite, store, players, unreviewed=True)).made == 0
    assert kept(folder) == before


def test_it_judges_what_it_said(folder: Path) -> None:
    suite = bench(folder, metric("m1", scenarios=[scenario("s1", moves=[])]), turns=TURNS)
    small = {
        "model": SMALL["model"],
        "endpoint": SMALL["endpoint"],
        "parameters": {"max_tokens": 20, "temperature": 0},
    }
    outcome, verdicts = judged(folder, suite, "local", judge="small-judge", **small)
    assert outcome.made == len(verdicts) == 2
    assert {row["item_id"] for row in verdicts} == {one.id for one in kept(folder)}
    with open_store(folder) as store:
        asked = {row["request_hash"]: row for row in store.rows(sql.select(replies))}
    for row in verdicts:
        assert row["status"] in ("ok", "unparsed", "truncated")
        assert (row["label"] in ("present", "absent")) == (row["status"] == "ok")
        prompt = asked[row["requests"][-1]]["request"]
        assert "Secret rubric" in prompt
        assert not [word for word in ("Secret title", "negative", "You are 15", "setting") if word in prompt]
