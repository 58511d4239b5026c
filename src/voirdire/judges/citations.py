"""Citations: the turns and quotes that a judge relied on, each checked against what was said."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from voirdire.judges.prompts import JOINER
from voirdire.judges.recipe import Citation, JudgedItem

__all__ = ["SCHEMA", "checked"]

SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"turn": {"type": ["integer", "null"]}, "quote": {"type": "string"}},
        "required": ["turn", "quote"],
        "additionalProperties": False,
    },
}
"""The form of citations in a reply."""
LONGEST = 2000
"""Characters of a quote that are kept."""
MARKS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})


def checked(cited: Any, items: Sequence[JudgedItem]) -> tuple[Citation, ...]:
    """What ``cited`` (a reply's list) names, each with whether the quote stands where it says.

    Blanks, capitals and the shape of quotation marks do not count. A quote without a turn may stand anywhere;
    an empty one is never found. What is no citation at all is left out.
    """
    return (
        tuple(_one(entry, items) for entry in cited if _is_citation(entry)) if isinstance(cited, list) else ()
    )


def _is_citation(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("quote"), str)


def _one(entry: dict[str, Any], items: Sequence[JudgedItem]) -> Citation:
    turn = entry.get("turn")
    number = turn if isinstance(turn, int) and not isinstance(turn, bool) else None
    wanted = _plain(entry["quote"]).strip("\"' .")
    found = bool(wanted) and any(wanted in _plain(text) for text in _texts(items, number))
    return Citation(number, entry["quote"][:LONGEST], found)


def _texts(items: Sequence[JudgedItem], turn: int | None) -> Iterable[str]:
    for item in items:
        if turn is None or not item.turns:
            yield from (*item.shared.values(), *item.fields.values())
        yield from (one.text for one in item.turns if turn in (None, one.number))


def _plain(text: str) -> str:
    shown = text.replace(JOINER, "").translate(MARKS)
    even = unicodedata.normalize("NFKC", shown).casefold()
    return re.sub(r"\s+", " ", even)
