"""Marks on a shared axis: where the intervals, ranges and points of a plot column stand, in pixels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from voirdire.checks.finding import Bounds, Cell, ColumnKind
from voirdire.report.wording import number
from voirdire.stats.estimate import Estimate

__all__ = ["Actor", "Axis", "Mark", "Plot", "actor", "axis", "estimates", "plot"]

Actor = Literal["judge", "people"]
WIDTH = 200
_PEOPLE = ("person", "people", "human", "expert", "rater", "majority")


@dataclass(frozen=True)
class Axis:
    """A horizontal axis from ``low`` to ``high``, ``width`` pixels wide, with ``ticks`` that have a label."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    width: int = WIDTH

    def x(self, value: float) -> float:
        """Pixels from the left, kept within the axis."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.width * min(max(share, 0.0), 1.0), 1)

    @property
    def lines(self) -> tuple[tuple[float, str, bool], ...]:
        """Each tick as its pixel, its label and whether it is zero."""
        return tuple((self.x(value), label, value == 0) for value, label in self.ticks)


@dataclass(frozen=True)
class Mark:
    """One actor's line: ``interval`` and ``range`` over policies, ``at`` the point, ``off`` past an edge."""

    actor: Actor
    y: int
    at: float
    interval: tuple[float, float] | None
    range: tuple[float, float] | None
    off: tuple[bool, bool]


@dataclass(frozen=True)
class Plot:
    """The marks of one table cell on ``axis``; ``height`` pixels."""

    axis: Axis
    marks: tuple[Mark, ...]
    height: int


def actor(key: str, check: str = "") -> Actor:
    """Who a column speaks of, by its key: the judge where named, else people, else what the check is about.

    >>> actor("judge_person"), actor("person_person"), actor("alpha", "people"), actor("rate", "rates")
    ('judge', 'people', 'people', 'judge')
    """
    word = key.casefold()
    if "judge" in word:
        return "judge"
    if any(name in word for name in _PEOPLE) or check in ("people", "raters", "coverage"):
        return "people"
    return "judge"


def estimates(cell: Cell) -> list[Estimate]:
    """The defined estimates in a cell: one, one a policy, or none."""
    if isinstance(cell, Bounds):
        return cell.defined
    return [cell] if isinstance(cell, Estimate) and cell.undefined is None else []


def axis(kind: ColumnKind, cells: Iterable[Cell], width: int = WIDTH) -> Axis:
    """The axis that holds every interval of ``cells``: 0 to 1 for shares, to 1 for coefficients."""
    shown = [estimate for cell in cells for estimate in estimates(cell)]
    ends = [end for e in shown for end in (e.low, e.value, e.high) if math.isfinite(end)] or [0.0]
    if kind in ("share", "rate"):
        return Axis(0, 1, tuple((tick, number(tick, "share")) for tick in (0, 0.5, 1)), width)
    if kind == "coefficient":
        low = max(-1.0, math.floor(10 * min(0, *ends)) / 10)
        return Axis(low, 1, tuple((tick, f"{tick:g}") for tick in (0, 0.5, 1)), width)
    low, high = min(0, *ends), max(0, *ends)
    step = _step(high - low)
    first, last = math.floor(low / step), max(math.ceil(high / step), math.floor(low / step) + 1)
    scale = 100 if kind == "points" else 1
    ticks = tuple(
        (place * step, f"{scale * place * step:g}".replace("-", "−")) for place in range(first, last + 1)
    )
    return Axis(first * step, last * step, ticks, width)


def plot(cells: Sequence[tuple[Actor, Cell]], on: Axis) -> Plot:
    """The marks of one row, judge above people, each on its own line even where the other is missing."""
    lines = sorted(cells, key=lambda cell: cell[0] != "judge")
    if len(lines) == 1:
        places, height = [11], 22
    else:
        places, height = [11 + 14 * place for place in range(len(lines))], 22 + 14 * (len(lines) - 1)
    marks = [
        _mark(who, y, shown, on)
        for (who, cell), y in zip(lines, places, strict=True)
        if (shown := estimates(cell))
    ]
    return Plot(on, tuple(marks), height)


def _mark(who: Actor, y: int, shown: list[Estimate], on: Axis) -> Mark:
    values = [estimate.value for estimate in shown]
    low, high = min(values), max(values)
    ends = [end for estimate in shown if estimate.has_interval for end in (estimate.low, estimate.high)]
    every = [*ends, low, high]
    return Mark(
        actor=who,
        y=y,
        at=on.x((low + high) / 2),
        interval=(on.x(min(every)), on.x(max(every))) if ends else None,
        range=(on.x(low), on.x(high)) if on.x(high) - on.x(low) >= 1 else None,
        off=(min(every) < on.low, max(every) > on.high),
    )


def _step(extent: float) -> float:
    rough = (extent or 1.0) / 4
    magnitude = 10.0 ** math.floor(math.log10(rough))
    return float(next(step for m in (1, 2, 2.5, 5, 10) if (step := m * magnitude) >= rough))
