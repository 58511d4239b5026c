"""A judge or simulated user that is a system, or its kin, is flagged."""

from __future__ import annotations

from typing import Any

import pytest

from voirdire.bench.contestants import Player, contestants


@pytest.mark.parametrize(
    ("system", "who", "relation"),
    [
        (Player("a", "gpt-5", "openai"), Player("J", "gpt-5", "openai"), "itself"),
        (Player("gpt 5"), Player("J", "gpt-5"), "itself"),
        (Player("a", "gpt-5", "openai"), Player("J", "o9", "OpenAI"), "same family"),
        (Player("openai-small"), Player("J", "o9", "openai"), "same family"),
        (Player("Claude Sonnet 5"), Player("u", "claude-opus"), "name begins alike"),
        (Player("a", "gpt-5", "openai"), Player("J", "gpt-4", "other"), None),
        (Player("a", "opus", "anthropic"), Player("J", "gpt-5", "openai"), None),
        (Player("model-5"), Player("J", "model-7"), None),
    ],
)
def test_kin_is_told_by_model_family_and_name(system: Player, who: Player, relation: Any) -> None:
    for role in ("judge", "simulated user"):
        found = contestants([system], [(role, who)])
        assert [(one.role, one.relation) for one in found] == ([(role, relation)] if relation else [])
