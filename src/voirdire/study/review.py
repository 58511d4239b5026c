"""Review: what an expert said about a metric itself, beside the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ADEQUACY", "Adequacy", "Review"]

Adequacy = Literal["adequate", "uncertain", "inadequate"]
ADEQUACY: tuple[Adequacy, ...] = ("adequate", "uncertain", "inadequate")


@dataclass(frozen=True)
class Review:
    """One construct review: does the metric measure what it claims? ``metric`` is empty if not recorded."""

    adequacy: Adequacy
    metric: str = ""
    rater: str = ""
    rename: bool = False
    comment: str = ""
