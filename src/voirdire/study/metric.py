"""Metric: one criterion with its scale, its rubric and its polarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from voirdire.study.policy import KEPT_APART, Policy
from voirdire.study.scale import Scale

__all__ = ["Metric", "Polarity"]

UNMAPPED = Policy(KEPT_APART)
Polarity = Literal["positive", "negative", ""]


@dataclass(frozen=True)
class Metric:
    """One criterion: ``name`` is its id in the ratings, ``title`` what a reader sees.

    ``policy`` is the declared mapping of indeterminate labels; ``forced`` the metric on which the same people
    named one verdict of all that they accept on this one, empty where there is none; ``tie`` is the verdict
    that a tied majority counts as, or None where ties are left out. ``rubric``, ``present`` and ``absent``
    are the written criterion and its examples, empty where not recorded. ``polarity`` is positive where the
    behaviour is wanted, empty where not declared.
    """

    name: str
    scale: Scale
    title: str = ""
    policy: Policy = UNMAPPED
    tie: str | None = None
    polarity: Polarity = ""
    rubric: str = ""
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    group: str = ""
    forced: str = ""

    @property
    def label(self) -> str:
        """What a reader sees: the title, or the name where none was given."""
        return self.title or self.name
