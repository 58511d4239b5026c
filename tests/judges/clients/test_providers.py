"""Another provider's answers, errors and refusals arrive as those of any endpoint."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path
from typing import Any

import pytest

from conftest import missing
from judges.studies import JUDGE, kept, write_study
from voirdire.errors import UserError
from voirdire.judges.call import Message, Request
from voirdire.judges.clients.providers import Providers
from voirdire.judges.judge import load_judge
from voirdire.judges.planning import make_plan
from voirdire.judges.runner import Outcome, run_plan
from voirdire.opening import open as open_study
from voirdire.store.schema import replies, verdicts
from voirdire.store.sql import open_store
from voirdire.testing.fault_server import FaultServer

EXPECTED = {
    "too_many": ("ok", 2),
    "too_many_for_a_second": ("ok", 2),
    "no_money": ("error", 1),
    "wrong_key": ("error", 1),
    "http_500": ("ok", 2),
    "reset": ("ok", 2),
    "filtered_prompt": ("refusal", 1),
    "filtered_reply": ("refusal", 1),
    "no_choices": ("ok", 2),
    "truncated": ("truncated", 1),
    "html": ("ok", 2),
}
"""The verdict after a first call that meets the fault, and how many calls were made."""


@pytest.fixture(autouse=True)
def any_llm() -> None:
    if importlib.util.find_spec("any_llm") is None:
        missing("the package any-llm-sdk")


def judged(folder: Path, server: FaultServer, model: str = "openai:small") -> Outcome:
    async def work() -> Outcome:
        async with server:
            endpoint = f'endpoint: {{client: providers, url: "{server.url}", key: PROVIDER_KEY}}'
            text = JUDGE.replace('endpoint: {url: "http://127.0.0.1:9/v1"}', endpoint)
            (folder / "tone.yaml").write_text(text.replace("model: small", f"model: '{model}'"))
            with open_store(folder) as store:
                plan = make_plan(open_study(folder), load_judge(folder / "tone.yaml"), store, limit=1)
                return await run_plan(plan, store)

    return asyncio.run(work())


@pytest.mark.parametrize("fault", sorted(EXPECTED))
def test_a_fault_ends_in_one_recorded_status(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROVIDER_KEY", "planted")
    server = FaultServer(answer=lambda body: "warm", script=[fault])
    judged(write_study(tmp_path / "study", items=1), server)
    ((verdict,), (reply,)) = kept(tmp_path / "study", verdicts), kept(tmp_path / "study", replies)
    status, calls = EXPECTED[fault]
    assert (verdict["status"], reply["attempts"], len(server.bodies)) == (status, calls, calls)
    assert set(server.keys) == {"bearer planted"}
    assert "planted" not in str([verdict, reply])
    assert {body["model"] for body in server.bodies} == {"small"}


def test_the_answer_is_kept_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROVIDER_KEY", "planted")
    server = FaultServer(answer=lambda body: "warm")
    assert judged(write_study(tmp_path / "study"), server).statuses == {"ok": 1}
    (reply,) = kept(tmp_path / "study", replies)
    assert (reply["prompt_tokens"], reply["completion_tokens"], reply["finish_reason"]) == (10, 1, "stop")
    assert '"warm"' in reply["response"]
    (body,) = server.bodies
    assert (body["temperature"], body["top_logprobs"]) == (0, 5)


def once(model: str, key: str | None = "k") -> Any:
    client = Providers("http://127.0.0.1:9/v1", key)
    return asyncio.run(client.complete(Request("", model, (Message("user", "x"),)), timeout=1))


@pytest.mark.parametrize("model", ["small", "nobody:small", "bedrock:small"])
def test_a_model_that_cannot_be_had_stops_the_run(model: str) -> None:
    with pytest.raises(UserError) as problem:
        once(model)
    assert "\n" not in str(problem.value)


def test_a_missing_key_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(UserError, match="ANTHROPIC_API_KEY"):
        once("anthropic:small", None)


def test_a_users_error_ends_the_run_with_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROVIDER_KEY", "planted")
    with pytest.raises(UserError, match="no provider"):
        judged(write_study(tmp_path / "study"), FaultServer(), "small")
    assert kept(tmp_path / "study", replies) == []
