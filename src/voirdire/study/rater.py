"""Rater: a person, a judge, a program or a reference that gives labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from voirdire.study.asked import Asked

__all__ = ["RATER_KINDS", "Rater", "RaterKind"]

RaterKind = Literal["human", "judge", "program", "reference"]
RATER_KINDS: tuple[RaterKind, ...] = ("human", "judge", "program", "reference")


@dataclass(frozen=True)
class Rater:
    """One rater: ``id`` as in the ratings, ``kind``, and what is known of it; empty means not recorded.

    ``model``, ``family`` and ``asked`` are for judges; ``attributes`` are further columns that are constant
    within the rater.
    """

    id: str
    kind: RaterKind
    expertise: str = ""
    model: str = ""
    family: str = ""
    attributes: dict[str, str] = field(default_factory=dict, hash=False)
    asked: Asked | None = None
