"""Conversations: what was said turn by turn, who played, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import sqlalchemy as sql

from voirdire.judges.call import content_hash
from voirdire.store.bench_schema import conversations, turns
from voirdire.store.sql import Store

__all__ = ["Conversation", "Ended", "Spoken", "kept_conversations"]

Ended = Literal["turns", "user left", "refused", "truncated", "empty", "error"]
"""turns: all were held; user left: the user had what it wanted; else what the last call came to."""
AT_A_TIME = 500


@dataclass(frozen=True)
class Spoken:
    """One turn: the user's words, the move they deliver, and the system's reply.

    The requests name the kept calls behind both, empty for scripts.
    """

    number: int
    user: str
    reply: str
    move: str = ""
    status: str = "ok"
    user_request: str = ""
    reply_request: str = ""


@dataclass(frozen=True)
class Conversation:
    """A conversation that has ended; ``id`` is a hash of all that went into it.

    ``audit`` says how the simulated user did: ``in_role``, ``delivered`` and ``planned`` moves by turn,
    ``early``.
    """

    id: str
    metric: str
    scenario: str
    variant: str
    system: str
    family: str
    repeat: int
    case_hash: str
    user_version: str
    target_version: str
    ended: Ended
    spoken: tuple[Spoken, ...]
    audit: Mapping[str, Any] = field(default_factory=dict)

    @property
    def transcript(self) -> str:
        """The messages as JSON, as a judge and a rater are shown them."""
        messages = []
        for turn in self.spoken:
            messages.append({"role": "user", "content": turn.user})
            if turn.status != "error":
                messages.append({"role": "assistant", "content": turn.reply})
        return json.dumps(messages, ensure_ascii=False)

    @property
    def transcript_hash(self) -> str:
        """Of what was said."""
        return content_hash(self.transcript)


def kept_conversations(store: Store, ids: Sequence[str] | None = None) -> Iterator[Conversation]:
    """The ended conversations in ``store``, all or those of ``ids``; some hundred are in memory at a time."""
    query = sql.select(conversations).order_by(conversations.c.conversation)
    rows = store.rows(query)
    wanted = None if ids is None else set(ids)
    rows = [row for row in rows if wanted is None or row["conversation"] in wanted]
    for start in range(0, len(rows), AT_A_TIME):
        chunk = rows[start : start + AT_A_TIME]
        said = _spoken(store, [row["conversation"] for row in chunk])
        for row in chunk:
            yield _conversation(row, said.get(row["conversation"], ()))


def _spoken(store: Store, ids: Sequence[str]) -> dict[str, tuple[Spoken, ...]]:
    query = (
        sql.select(turns).where(turns.c.conversation.in_(ids)).order_by(turns.c.conversation, turns.c.number)
    )
    found: dict[str, list[Spoken]] = {}
    for row in store.rows(query):
        one = Spoken(
            row["number"],
            row["user_text"],
            row["reply"],
            row["move"],
            row["reply_status"],
            row["user_request"],
            row["reply_request"],
        )
        found.setdefault(row["conversation"], []).append(one)
    return {name: tuple(said) for name, said in found.items()}


def _conversation(row: Mapping[str, Any], spoken: tuple[Spoken, ...]) -> Conversation:
    return Conversation(
        id=row["conversation"],
        metric=row["metric"],
        scenario=row["scenario"],
        variant=row["variant"],
        system=row["system"],
        family=row["family"],
        repeat=row["repeat"],
        case_hash=row["case_hash"],
        user_version=row["user_version"],
        target_version=row["target_version"],
        ended=row["ended"],
        spoken=spoken,
        audit=row["audit"],
    )
