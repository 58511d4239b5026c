"""The model in the same process answers as an endpoint does, and fails as one, once."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import missing
from voirdire.errors import UserError
from voirdire.judges.call import Failure, Message, Reply, Request
from voirdire.judges.clients.local import Local, weights_of
from voirdire.judges.wording import held, reply_schema

pytestmark = pytest.mark.model
FRUIT = "Name a fruit."


@pytest.fixture(scope="module")
def local() -> Iterator[Local]:
    try:
        weights_of("")
    except UserError as problem:
        missing(f"the local model ({problem})")
    client = Local("", None)
    yield client
    asyncio.run(client.close())


def ask(client: Local, text: str, **parameters: Any) -> Reply:
    request = Request("local", "m", (Message("user", text),), {"max_tokens": 6, **parameters})
    return asyncio.run(client.complete(request, timeout=60))


def test_twenty_likeliest_tokens_come_with_each(local: Local) -> None:
    reply = ask(local, FRUIT, temperature=0, logprobs=True, top_logprobs=20)
    assert reply.completion_tokens == len(reply.tokens) == 6
    assert reply.status == "truncated"
    assert "".join(token.text for token in reply.tokens).strip() == reply.text.strip()
    for token in reply.tokens:
        assert len(token.top) == 20
        assert math.fsum(math.exp(logprob) for _, logprob in token.top) <= 1 + 1e-6
        assert token.logprob == max(logprob for _, logprob in token.top)


def test_a_grammar_holds_the_reply_and_leaves_the_probabilities(local: Local) -> None:
    seen = {"temperature": 0, "logprobs": True, "top_logprobs": 20}
    free = ask(local, FRUIT, **seen)
    reply = ask(local, FRUIT, **seen, **held("grammar", ["quince", "medlar"]))
    assert reply.text in ("quince", "medlar")
    assert dict(reply.tokens[0].top) == pytest.approx(dict(free.tokens[0].top), abs=0.01)


def test_a_schema_holds_the_reply(local: Local) -> None:
    form = reply_schema("answer", {"score": {"type": "integer", "minimum": 1, "maximum": 5}})
    said = json.loads(ask(local, FRUIT, temperature=0, max_tokens=40, response_format=form).text)
    assert list(said) == ["score"]
    assert said["score"] in range(1, 6)


def test_a_seed_repeats_a_sample(local: Local) -> None:
    drawn = [ask(local, FRUIT, temperature=1.5, max_tokens=12, seed=seed).text for seed in (1, 1, 2, 3)]
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) > 1


@pytest.mark.parametrize(
    ("parameters", "text", "said"),
    [
        ({}, "x " * 20_000, "context"),
        ({"grammar": "root ::= nonsense"}, FRUIT, "grammar"),
        ({"top_logprobs": 5, "logprobs": False}, FRUIT, "logprobs"),
        ({"max_tokens": -3}, FRUIT, "max_tokens"),
    ],
)
def test_a_call_that_cannot_succeed_is_not_made_again(
    local: Local, parameters: dict[str, Any], text: str, said: str
) -> None:
    with pytest.raises(Failure, match=said) as problem:
        ask(local, text, **parameters)
    assert not problem.value.again


def test_no_path_of_the_machine_is_kept(local: Local) -> None:
    reply = ask(local, FRUIT, max_tokens=1)
    assert reply.model == weights_of("").name
    assert str(weights_of("").parent) not in str(reply.raw)


def test_other_files_are_refused(local: Local, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        Local(str(tmp_path / "none.gguf"), None)
    (tmp_path / "junk.gguf").write_bytes(b"junk" * 100)
    with pytest.raises(UserError, match="GGUF"):
        ask(Local(str(tmp_path / "junk.gguf"), None), FRUIT)
