"""Simulator audit: whether the user who was simulated said what was scripted and stayed in their role."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from voirdire.bench.conversation import Spoken
from voirdire.bench.dialogue import End
from voirdire.bench.suite import Case

__all__ = ["SIGNS", "simulator_audit", "simulator_failed"]

SHARED = 1 / 3
"""The share of a move's longer words that must come back where it is put in other words."""
ALIKE = 0.9
"""How alike two messages are that count as the same."""
FEW = 4
"""Words below which a message may come again: yes, ok, and thanks."""
LONG = 4
"""Letters of a word that carries meaning."""
MODEL = r"(?:AI|artificial intelligence|(?:large )?language model)"
FIRST = r"\bI(?:'m| am|’m)\b"
SIGNS: Mapping[str, re.Pattern[str]] = {
    "says it is a model": re.compile(
        rf"\bas an? {MODEL}\b|{FIRST} (?:just |only )?an? (?:{MODEL}|chatbot|bot)\b",
        re.IGNORECASE,
    ),
    "speaks as the assistant": re.compile(
        rf"\bhow (?:can|may) I (?:help|assist) you\b|{FIRST} here to (?:help|assist)\b"
        r"|\b(?:is there )?anything else (?:that )?I can (?:help|assist)\b"
        r"|\bI(?:'d|’d| would) be happy to (?:help|assist)\b|^\s*(?:assistant|AI)\s*:",
        re.IGNORECASE,
    ),
    "says it plays a part": re.compile(
        r"\b(?:in|out of|break(?:ing)?|stay(?:ing)? in) character\b|\brole-?play(?:ing)?\b"
        r"|\bmy (?:role|persona|character) (?:is|as)\b|\bsimulated user\b"
        rf"|{FIRST} (?:playing|simulating|pretending)\b",
        re.IGNORECASE,
    ),
}
"""By the sign's name what tells that a message is not one of the person who is played."""


def simulator_audit(case: Case, end: End, *, improvised: bool, plays_role: bool) -> dict[str, Any]:
    """What the user of a conversation did, as plain values.

    ``improvised`` says that messages were a model's own words where nothing is scripted, which alone can fall
    out of role; ``plays_role`` that the role was played and not only what the variant says. ``planned`` and
    ``delivered`` are the turns of moves, of which ``missed`` are those that were due and not said: a move
    after a system could not go on is not due. ``early`` says that the user left, or could not go on, before
    the last move.
    """
    planned = {move.turn: move.say for move in case.scenario.moves}
    delivered = [turn.number for turn in end.spoken if _delivers(planned.get(turn.number, ""), turn.user)]
    held = len(end.spoken)
    own_end = end.ended == "user left" or end.failed == "user"
    due = [turn for turn in planned if own_end or turn <= held]
    signs = sorted({sign for sign, _ in _signs(case, end.spoken)}) if improvised else []
    return {
        "opening": not end.spoken or end.spoken[0].user == case.opening,
        "persona": plays_role or not case.variant.who or _says_who(case, end.spoken),
        "planned": sorted(planned),
        "delivered": delivered,
        "missed": sorted(set(due) - set(delivered)),
        "in_role": not signs,
        "signs": signs,
        "early": own_end and held < max(planned, default=0),
        "failed": end.failed,
    }


def simulator_failed(audit: Mapping[str, Any]) -> bool:
    """Whether the simulated user, and not the system, went wrong; False where nothing was simulated.

    >>> simulator_failed({"in_role": True, "opening": True, "persona": True, "missed": [4], "early": False})
    True
    >>> simulator_failed({})
    False
    """
    if not audit:
        return False
    whole = audit["in_role"] and audit["opening"] and audit["persona"]
    return not whole or bool(audit["missed"]) or audit["early"] or audit.get("failed") == "user"


def _says_who(case: Case, spoken: Sequence[Spoken]) -> bool:
    says = case.variant.says
    return not spoken or (bool(says) and says in spoken[0].user)


def _delivers(move: str, message: str) -> bool:
    """Whether ``message`` says ``move``: its words, or enough of those that carry meaning."""
    if not move:
        return False
    wanted, given = _words(move), _words(message)
    if " ".join(wanted) in " ".join(given):
        return True
    longer = {word for word in wanted if len(word) >= LONG}
    return bool(longer) and len(longer & set(given)) >= SHARED * len(longer)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _signs(case: Case, spoken: Sequence[Spoken]) -> Iterator[tuple[str, int]]:
    """Each sign of a fall out of role with its turn; what is scripted shows none."""
    scripted = {case.opening, *(move.say for move in case.scenario.moves)}
    said: list[str] = []
    for place, turn in enumerate(spoken):
        if turn.user not in scripted:
            yield from ((name, turn.number) for name, sign in SIGNS.items() if sign.search(turn.user))
            if any(_alike(turn.user, before) for before in said):
                yield "repeats itself", turn.number
            if place and _alike(turn.user, spoken[place - 1].reply):
                yield "repeats the system", turn.number
        said.append(turn.user)


def _alike(one: str, other: str) -> bool:
    first, second = _words(one), _words(other)
    if min(len(first), len(second)) < FEW:
        return False
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= ALIKE
