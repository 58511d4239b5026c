"""One conversation: the user speaks, the system replies, and each turn is kept before the next begins."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from voirdire.bench.conversation import Ended, Spoken
from voirdire.bench.suite import Case
from voirdire.judges.call import Reply

__all__ = ["End", "Part", "Said", "Speaker", "due", "hold", "said"]

SaidStatus = Literal["ok", "empty", "truncated", "refusal", "error", "left"]
ENDED: dict[str, Ended] = {
    "left": "user left",
    "empty": "empty",
    "truncated": "truncated",
    "refusal": "refused",
    "error": "error",
}
"""How a conversation ends that cannot go on after what was said."""


@dataclass(frozen=True)
class Part:
    """A conversation to hold: a case with one system, once; ``id`` is a hash of all that goes into it.

    ``cue`` is what only a script or a transcript knows of it: what is to be said.
    """

    id: str
    case: Case
    system: str
    family: str
    repeat: int
    user_version: str
    target_version: str
    cue: Any = None


@dataclass(frozen=True, slots=True)
class Said:
    """What one side said, whether it is whole, the call behind it, and why it failed where it did."""

    text: str
    status: SaidStatus = "ok"
    request: str = ""
    reason: str = ""


class Speaker(Protocol):
    """One side of a conversation: the user hears nothing new, the system the user's words."""

    async def say(self, part: Part, spoken: Sequence[Spoken], heard: str) -> Said:
        """What it says after ``spoken``, and after ``heard`` where it replies."""


@dataclass(frozen=True)
class End:
    """How a conversation ended, what was said, and which side could not go on, with the reason."""

    ended: Ended
    spoken: tuple[Spoken, ...]
    failed: Literal["", "user", "system"] = ""
    reason: str = ""


Keep = Callable[[Spoken], Awaitable[Spoken]]


async def hold(
    part: Part, sides: tuple[Speaker, Speaker], keep: Keep, *, turns: int, spoken: Sequence[Spoken] = ()
) -> End:
    """Hold ``part`` between a user and a system up to ``turns`` turns, on from ``spoken``.

    ``keep`` is given each turn and returns what is kept, which is what the conversation goes on from. A turn
    whose call ended in an error is not kept: it is made again when the conversation is taken up.
    """
    user, system = sides
    so_far = list(spoken)
    while True:
        if so_far and so_far[-1].status != "ok":
            return End(ENDED[so_far[-1].status], tuple(so_far), "system")
        if len(so_far) >= turns:
            return End("turns", tuple(so_far))
        words = await user.say(part, so_far, "")
        if words.status != "ok":
            failed: Literal["", "user"] = "" if words.status == "left" else "user"
            return End(ENDED[words.status], tuple(so_far), failed, words.reason)
        reply = await system.say(part, so_far, words.text)
        if reply.status == "error":
            return End("error", tuple(so_far), "system", reply.reason)
        so_far.append(await keep(_turn(part, len(so_far) + 1, words, reply)))


def _turn(part: Part, number: int, words: Said, reply: Said) -> Spoken:
    return Spoken(
        number,
        words.text,
        reply.text,
        due(part.case, number),
        reply.status,
        words.request,
        reply.request,
    )


def due(case: Case, number: int) -> str:
    """The name of the move that is due at turn ``number``, empty where there is none."""
    return next((move.name for move in case.scenario.moves if move.turn == number), "")


def said(reply: Reply) -> Said:
    """A model's reply as what it said; one without any words is empty."""
    text = reply.text.strip()
    status: SaidStatus = "empty" if reply.status == "ok" and not text else reply.status
    return Said(text, status, reply.request_hash, reply.error)
