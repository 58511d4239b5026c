"""Passages of a transcript: what was said, cut where the quotes of a verdict begin and end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from voirdire.bench.conversation import Conversation
from voirdire.judges.prompts import JOINER
from voirdire.web.results.evidence import Quote

__all__ = ["Message", "Passage", "messages_of"]

MARKS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
EDGES = "\"' ."


@dataclass(frozen=True)
class Passage:
    """A stretch of text; ``numbers`` are the quotes that hold it, ``ends`` those that end with it."""

    text: str
    numbers: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


@dataclass(frozen=True)
class Message:
    """One message, numbered from 1 as citations number them, with the scripted ``move`` that was due.

    ``missed`` says that the move was not said.
    """

    number: int
    role: str
    passages: tuple[Passage, ...]
    move: str = ""
    missed: bool = False
    status: str = "ok"


def messages_of(conversation: Conversation, quotes: Sequence[Quote]) -> list[Message]:
    """The messages of ``conversation`` with the ``quotes`` that stand in them, each numbered by its place."""
    missed = set(conversation.audit.get("missed", ()))
    found: list[Message] = []
    for turn in conversation.spoken:
        if turn.user:
            number = len(found) + 1
            cut = tuple(_cut(turn.user, _of(quotes, number)))
            found.append(Message(number, "user", cut, turn.move, turn.number in missed))
        if turn.reply:
            number = len(found) + 1
            cut = tuple(_cut(turn.reply, _of(quotes, number)))
            found.append(Message(number, "assistant", cut, status=turn.status))
    return found


def _of(quotes: Sequence[Quote], number: int) -> list[tuple[int, str]]:
    """Quotes that were found and may stand in message ``number``, with their places from 1."""
    return [
        (place, quote.text)
        for place, quote in enumerate(quotes, start=1)
        if quote.found and quote.turn in (None, number)
    ]


def _cut(text: str, quotes: Sequence[tuple[int, str]]) -> Iterator[Passage]:
    spans = [(place, *span) for place, quote in quotes if (span := _span(text, quote)) is not None]
    edges = sorted({0, len(text), *(end for _, *ends in spans for end in ends)})
    for start, end in pairwise(edges):
        held = tuple(place for place, first, last in spans if first <= start and end <= last)
        ends = tuple(place for place, _, last in spans if last == end)
        yield Passage(text[start:end], held, ends)


def _span(text: str, quote: str) -> tuple[int, int] | None:
    """Where ``quote`` stands in ``text``, read as citations are checked: the shape of signs aside."""
    plain, places = _plain(text)
    wanted = _plain(quote)[0].strip(EDGES)
    start = plain.find(wanted) if wanted else -1
    return None if start < 0 else (places[start], places[start + len(wanted) - 1] + 1)


def _plain(text: str) -> tuple[str, list[int]]:
    """``text`` with its variations of form evened out, and the place in ``text`` of each character."""
    signs: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        shown = "" if sign == JOINER else sign.replace("…", "...").translate(MARKS)
        for one in unicodedata.normalize("NFKC", shown).casefold():
            blank = re.fullmatch(r"\s", one) is not None
            if not (blank and signs and signs[-1] == " "):
                signs.append(" " if blank else one)
                places.append(place)
    return "".join(signs), places
