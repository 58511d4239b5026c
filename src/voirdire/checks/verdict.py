"""StandIn: the audit's verdict on one judge and one metric, or several that share it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from voirdire.checks.finding import Bounds, Evidence

__all__ = ["Answer", "StandIn"]

Answer = Literal["yes", "no", "cannot tell"]


@dataclass(frozen=True)
class StandIn:
    """May ``judge`` stand in for people on ``metrics``, one or several with the same answer and reason?

    ``judge_person``, ``person_person`` and ``difference`` hold one estimate a policy; their intervals have
    ``level``, which is corrected over metrics. ``n_items`` are the items with several people and a verdict,
    ``single_rated`` of ``rated_items`` had one person. ``labels_to_settle`` is what ``settle`` would cost,
    0 where it cannot be said.
    """

    judge: str
    metrics: tuple[str, ...]
    answer: Answer
    reason: str
    settle: str
    judge_person: Bounds
    person_person: Bounds
    difference: Bounds
    level: float
    n_items: int
    n_people: int
    rated_items: int
    single_rated: int
    evidence: Evidence | None = None
    labels_to_settle: int = 0
