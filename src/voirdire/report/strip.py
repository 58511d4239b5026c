"""A cell's strip from floor to ceiling: base rates, the judge as it is and aligned, and the best possible."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from voirdire.checks.finding import Cell, FloorToCeiling
from voirdire.report import wording
from voirdire.report.marks import Axis

__all__ = ["KEY", "Strip", "strip", "strip_axis"]

WIDTH = 150
KEY = (
    "Floor to ceiling: the probability given to the label that a person chose. Upright lines: base rates and "
    "the best possible by model. Diamonds: the judge, hollow as it is, filled aligned."
)


@dataclass(frozen=True)
class Strip:
    """Places in pixels: ``floor`` and ``ceiling`` as lines, ``raw`` and ``aligned`` as diamonds.

    ``raw`` and ``ceiling`` are None where there is none. ``words`` say the same.
    """

    floor: float
    ceiling: float | None
    raw: float | None
    aligned: float
    interval: tuple[float, float] | None
    words: str


def strip_axis(cells: Iterable[Cell]) -> Axis | None:
    """The axis of a column of strips: from 0 to the next 10 % above all of them, or None."""
    best = [_most(cell) for cell in cells if isinstance(cell, FloorToCeiling)]
    if not best:
        return None
    top = min(1.0, math.floor(10 * max(best) + 1) / 10)
    return Axis(0, top, ((0, "0"), (top, wording.number(top, "share"))), WIDTH)


def strip(cell: FloorToCeiling, on: Axis) -> Strip:
    """The marks of one cell, each a probability given to the label that a person chose: exp(-log score)."""
    mine = cell.aligned
    ends = (on.x(math.exp(-mine.high)), on.x(math.exp(-mine.low))) if mine.has_interval else None
    return Strip(
        _place(cell.floor, on) or 0.0,
        _place(cell.ceiling, on),
        _place(cell.raw, on),
        on.x(math.exp(-mine.value)),
        ends,
        _words(cell),
    )


def _place(nats: float, on: Axis) -> float | None:
    return None if math.isnan(nats) else on.x(math.exp(-nats))


def _most(cell: FloorToCeiling) -> float:
    nats = [cell.floor, cell.raw, cell.ceiling, cell.aligned.value, cell.aligned.low]
    return math.exp(-min(each for each in nats if math.isfinite(each)))


def _words(cell: FloorToCeiling) -> str:
    mine, cases = cell.aligned, cell.aligned.n_items
    said = [("base rates", cell.floor), ("the judge as it is", cell.raw), ("aligned", mine.value)]
    said.append(("best possible", cell.ceiling))
    parts = [f"{name} {_share(nats, cases)}" for name, nats in said if math.isfinite(nats)]
    if mine.has_interval:
        parts.append(f"interval {_share(mine.high, cases)} to {_share(mine.low, cases)}")
    return "probability given to the label that a person chose: " + ", ".join(parts)


def _share(nats: float, cases: int) -> str:
    return wording.number(math.exp(-nats), "share", cases=cases)
