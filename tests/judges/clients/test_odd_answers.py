"""An answer whose figures make no sense is still a reply, for it is paid for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from voirdire.judges.asking import Price
from voirdire.judges.clients.openai_compatible import read_completion
from voirdire.testing.fault_server import completion


@pytest.mark.parametrize("usage", [None, [], "many", {"prompt_tokens": "10"}, {"prompt_tokens": None}])
def test_tokens_that_are_no_numbers_are_not_known(usage: Any) -> None:
    reply = read_completion(json.dumps({**completion("warm"), "usage": usage}), "application/json", 0.1)
    assert (reply.status, reply.text, reply.prompt_tokens) == ("ok", "warm", None)
    assert Price(input=1, output=1).of(reply) is None


@pytest.mark.parametrize("token", [{"token": "warm", "logprob": None}, {"token": "warm"}, "warm", None])
def test_tokens_without_probabilities_are_none(token: Any) -> None:
    body = completion("warm", shares={"warm": 0.9})
    body["choices"][0]["logprobs"] = {"content": [token]}
    reply = read_completion(json.dumps(body), "application/json", 0.1)
    assert (reply.text, reply.tokens) == ("warm", ())
