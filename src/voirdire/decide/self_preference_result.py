"""Self-preference as a result: what was found, what it could have found, and what it would take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from voirdire.align.plain import plain
from voirdire.decide.lines import aligned
from voirdire.stats.estimate import Estimate

__all__ = ["Preference", "SelfPreference"]


@dataclass(frozen=True)
class Preference:
    """One judge on ``systems`` that are ``itself`` or its ``family``, against all others.

    ``difference`` is its error (judge minus people) on own outputs minus that on others', in units of the
    score, whose labels lie ``span`` apart; its interval speaks of these systems on new items.
    ``any_systems`` allows for biases that differ between systems without kinship. On pairs ``beyond`` is the
    bias towards own that the judge's decisiveness leaves unexplained. ``p`` is two-sided, ``p_adjusted``
    corrected for all tests (Benjamini & Yekutieli). ``detectable`` is the smallest difference that so many
    outputs show with the asked power; ``needed`` how many labelled own outputs show the smallest one worth
    finding, with others' in the same proportion. ``reason`` says why it is not testable, else empty.
    ``by_name`` marks a family known by names alone.
    """

    judge: str = ""
    metrics: tuple[str, ...] = ()
    kind: str = ""
    systems: tuple[str, ...] = ()
    by_name: bool = False
    n_own: int = 0
    n_other: int = 0
    span: float = 1.0
    difference: Estimate | None = None
    any_systems: Estimate | None = None
    beyond: Estimate | None = None
    p: float = math.nan
    p_adjusted: float = math.nan
    detectable: float = math.nan
    needed: float = math.nan
    reason: str = ""

    @property
    def metric(self) -> str:
        """The metric, or how many are taken together."""
        return self.metrics[0] if len(self.metrics) == 1 else f"{len(self.metrics):,} metrics together"

    def answer(self, smallest: float, level: float) -> str:
        """``for`` or ``against`` own where shown, ``leans for`` or ``leans against`` where it is no more than
        biases differ between other systems anyway; ``not shown`` where one of ``smallest`` would have been
        found, else ``cannot tell`` or ``not testable``.
        """
        if self.difference is None or not self.difference.has_interval:
            return "not testable"
        if self.p_adjusted <= 1 - level:
            side = "for" if self.difference.value > 0 else "against"
            wide = self.any_systems
            apart = wide is not None and wide.has_interval and not wide.low <= 0 <= wide.high
            return side if apart else f"leans {side}"
        return "not shown" if self.detectable <= smallest * self.span else "cannot tell"


@dataclass(frozen=True)
class SelfPreference:
    """Every test of a judge's error on own outputs; ``smallest`` is a share of the labels' span."""

    tests: tuple[Preference, ...]
    smallest: float
    power: float
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain lists, numbers and text, for JSON."""
        said: dict[str, Any] = plain(
            {
                "tests": self.tests,
                "answers": [one.answer(self.smallest, self.level) for one in self.tests],
                "smallest": self.smallest,
                "power": self.power,
                "level": self.level,
            }
        )
        return said

    def __str__(self) -> str:
        if not self.tests:
            return "No judge is also a system, or of a system's family."
        heads = [
            "judge",
            "metric",
            "own",
            "outputs",
            "others'",
            "error on own minus others'",
            "answer",
            "needed",
        ]
        rows = [
            [
                one.judge,
                one.metric,
                f"{one.kind}: {', '.join(one.systems)}",
                f"{one.n_own:,}",
                f"{one.n_other:,}",
                str(one.difference) if one.difference else one.reason,
                one.answer(self.smallest, self.level),
                "" if not math.isfinite(one.needed) else f"{one.needed:,.0f}",
            ]
            for one in self.tests
        ]
        how = (
            f"needed: labelled own outputs that show a difference of {self.smallest:g} of the labels' span "
            f"with a chance of {self.power:g}. Intervals: {100 * self.level:g} %, these raters and systems, "
            "new items."
        )
        return "\n".join([*aligned([heads, *rows]), how])
