"""Measure: a figure with its interval, on each case that a rule is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from voirdire.checks.context import Context
from voirdire.gate.policy import Rule
from voirdire.stats.estimate import Estimate

__all__ = ["Measure", "Measured"]


@dataclass(frozen=True)
class Measured:
    """One case of a rule: what it is about, and the figure.

    ``estimate`` is None for a test, whose answer is ``passes``, None where it could not be made for
    ``reason``. ``exact`` figures are counts of this study and need no interval. ``n`` is what would have to
    grow for a narrower interval, in ``unit``.
    """

    about: str
    estimate: Estimate | None = None
    passes: bool | None = None
    reason: str = ""
    exact: bool = False
    n: int = 0
    unit: str = "items with labels"


class Measure(Protocol):
    """What a rule may be about, registered as a class by ``@register("measure", name)``."""

    is_test: ClassVar[bool]
    """Whether it passes or not by itself, without a threshold."""

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """The figure on every case that ``rule`` names."""
