"""Conversations: what was said turn by turn, who played, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import sqlalchemy as sql

from voirdire.judges.call import content_hash
from voirdire.judges.records import now
from voirdire.store.bench_schema import conversations, turns
from voirdire.store.sql import Store

__all__ = [
    "Conversation",
    "Ended",
    "Spoken",
    "conversation_row",
    "kept_conversations",
    "spoken_of",
    "turn_row",
]

Ended = Literal["turns", "user left", "refused", "truncated", "empty", "error"]
"""turns: all were held; user left: the user had what it wanted; else what the last call came to."""
AT_A_TIME = 500


@dataclass(frozen=True)
class Spoken:
    """One turn: the user's words, the move that was due, and the system's reply with its ``status``.

    ``status`` is ok, empty, truncated or refusal. The requests name the kept calls behind both, empty for
    scripts.
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

    ``audit`` says how the simulated user did, as :func:`~voirdire.bench.simulator_audit.simulator_audit` has
    it; it is empty where nobody was simulated.
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
            if turn.user:
                messages.append({"role": "user", "content": turn.user})
            if turn.reply:
                messages.append({"role": "assistant", "content": turn.reply})
        return json.dumps(messages, ensure_ascii=False)

    @property
    def transcript_hash(self) -> str:
        """Of what was said."""
        return content_hash(self.transcript)


def kept_conversations(store: Store, ids: Sequence[str] | None = None) -> Iterator[Conversation]:
    """The ended conversations in ``store``, all or those of ``ids``, in order of their ids.

    Of one that ended in an error and was taken up again the last end counts. Some hundred are in memory at a
    time.
    """
    known = _ended_ids(store) if ids is None else sorted(set(ids))
    for start in range(0, len(known), AT_A_TIME):
        chunk = known[start : start + AT_A_TIME]
        query = sql.select(conversations).where(conversations.c.conversation.in_(chunk))
        last = {row["conversation"]: row for row in store.rows(query.order_by(conversations.c.retry))}
        said = spoken_of(store, chunk)
        for name in chunk:
            if name in last:
                yield _conversation(last[name], said.get(name, ()))


def spoken_of(store: Store, ids: Sequence[str]) -> dict[str, tuple[Spoken, ...]]:
    """The turns that are kept of each of the conversations ``ids``, ended or not; none where nothing is."""
    if not ids:
        return {}
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


def _ended_ids(store: Store) -> list[str]:
    names = sql.select(conversations.c.conversation).distinct().order_by(conversations.c.conversation)
    with store.reading() as connection:
        return list(connection.scalars(names))


def turn_row(conversation: str, turn: Spoken) -> dict[str, Any]:
    """The row of ``turns`` for one turn of a conversation."""
    return {
        "conversation": conversation,
        "number": turn.number,
        "user_text": turn.user,
        "move": turn.move,
        "user_request": turn.user_request,
        "reply": turn.reply,
        "reply_status": turn.status,
        "reply_request": turn.reply_request,
        "created_at": now(),
    }


def conversation_row(conversation: Conversation, retry: int) -> dict[str, Any]:
    """The row of ``conversations`` for one that ended, after ``retry`` ends in an error."""
    plain = {field.name: getattr(conversation, field.name) for field in fields(conversation)}
    spoken = plain.pop("spoken")
    return {
        **plain,
        "conversation": plain.pop("id"),
        "retry": retry,
        "n_turns": len(spoken),
        "transcript_hash": conversation.transcript_hash,
        "audit": dict(conversation.audit),
        "created_at": now(),
    }


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
