"""A scripted judge: the first rule whose words are there decides, and quotes them with their turn."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from voirdire.judges.call import Failure, Message, Request
from voirdire.judges.clients.script import Script
from voirdire.judges.prompts import spelled
from voirdire.judges.recipe import JudgedItem, Turn

TURNS = (
    Turn(1, "user", "Write it."),
    Turn(2, "assistant", "Here: is\nthe WHOLE text."),
    Turn(3, "user", "Bye."),
)


def asked(rules: Any, question: str = "Does it?", turns: tuple[Turn, ...] = TURNS) -> dict[str, Any]:
    content = f"{question}\nExample: the secret words.\n{spelled([JudgedItem('a', {}, turns=turns)])}\nReply."
    request = Request("script", "rules", (Message("user", content),), {"rules": rules})
    reply = asyncio.run(Script("", None).complete(request, timeout=1.0))
    assert reply.status == "ok"
    found: dict[str, Any] = json.loads(reply.text)
    return found


def test_the_words_decide_and_are_quoted_as_they_stand() -> None:
    found = asked([{"when": "the whole text", "verdict": "present"}])
    assert (found["verdict"], found["citations"]) == ("present", [{"turn": 2, "quote": "the WHOLE text"}])


def test_without_a_rule_that_fits_it_is_absent() -> None:
    assert asked([{"when": "another", "verdict": "present"}])["verdict"] == "absent"


def test_only_what_is_judged_is_looked_through() -> None:
    assert asked([{"when": "secret words", "verdict": "present"}])["verdict"] == "absent"
    assert asked([{"asked": "whole text", "verdict": "present"}])["verdict"] == "absent"


def test_the_first_rule_that_fits_counts_and_may_look_at_the_question() -> None:
    rules = [
        {"asked": "occasion", "when": "weather", "verdict": "absent"},
        {"asked": "occasion", "verdict": "present"},
    ]
    assert asked(rules, "Was there an occasion?")["verdict"] == "present"
    off = (Turn(1, "user", "Hm."), Turn(2, "assistant", "The weather is fine."))
    assert asked(rules, "Was there an Occasion?", off)["citations"] == [{"turn": 2, "quote": "weather"}]
    assert asked(rules)["verdict"] == "absent"


def test_a_word_is_a_word_and_no_pattern() -> None:
    assert asked([{"when": "W.*e", "verdict": "present"}])["verdict"] == "absent"


@pytest.mark.parametrize(
    "rules", [None, [], [{"when": "x"}], [{"when": "x", "verdict": "pass"}], [{"wen": "x"}]]
)
def test_rules_that_cannot_be_meant_fail_once_with_the_reason(rules: Any) -> None:
    with pytest.raises(Failure, match="scripted judge") as problem:
        asked(rules)
    assert not problem.value.again
