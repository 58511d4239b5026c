"""Square figures: does what is predicted come about? The judge aligned, and hollow as it is."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from voirdire.checks.finding import Cell, Row, Table
from voirdire.report import wording
from voirdire.stats.estimate import Estimate

__all__ = ["SIDE", "Histogram", "Square", "histogram", "squares"]

SIDE = 220
"""Pixels a side of a square plot."""
AS_IT_IS = "as it is"

Mark = tuple[float, float, float, float]
"""x, y, and the two ends of the vertical interval (the same as y where there is none)."""


@dataclass(frozen=True)
class Square:
    """Predicted (across) against observed (up) from 0 to 1, in pixels from the top left corner.

    ``marks`` are of the judge aligned, ``hollow`` of the judge as it is.
    """

    title: str
    across: str
    up: str
    label: str
    caption: str
    marks: tuple[Mark, ...]
    hollow: tuple[Mark, ...] = ()
    side: int = SIDE


@dataclass(frozen=True)
class Histogram:
    """Shares of labels by where they fall within their predictions, in pixels from the top left corner.

    ``bars`` are x, width and the y of the top; ``bands`` x, width, and the y of both ends of what is
    expected; ``even`` is the y of an even share; ``ticks`` are y with their words.
    """

    title: str
    label: str
    caption: str
    bars: tuple[tuple[float, float, float], ...]
    bands: tuple[tuple[float, float, float, float], ...]
    even: float
    ticks: tuple[tuple[float, str], ...]
    side: int = SIDE


def squares(named: Mapping[str, Table]) -> tuple[Square, ...]:
    """The squares of the tables ``reliability`` and ``disagreement``, those that can be drawn."""
    drawn = [_reliability(named.get("reliability")), _disagreement(named.get("disagreement"))]
    return tuple(square for square in drawn if square is not None)


def histogram(table: Table | None) -> Histogram | None:
    """The figure of the table ``pit``, or None where there is none."""
    keys = ("from", "to", "least", "most")
    found = [
        (*(_number(row, key) for key in keys), seen.value)
        for row in _of(table)
        if (seen := _defined(row.cells.get("observed")))
    ]
    if not found:
        return None
    highest = max(max(most if math.isfinite(most) else 0.0, share) for _, _, _, most, share in found)
    top = math.ceil(10 * highest - 1e-9) / 10
    step = 0.05 if top <= 0.25 else 0.1 if top <= 0.5 else 0.2

    def y(share: float) -> float:
        return round(SIDE * (1 - min(max(share, 0.0), top) / top), 1)

    def across(low: float, high: float) -> tuple[float, float]:
        return round(SIDE * low, 1), round(SIDE * (high - low), 1)

    said = ", ".join(wording.number(share, "share") for *_, share in found)
    return Histogram(
        title="Do labels fall where they should?",
        label=f"Shares of labels in tenths of their predicted distributions, from the lowest: {said}.",
        caption=(
            "The judge, aligned. Level: as expected; a hill: people spread less wide; a trough: wider; a "
            "slope: higher or lower. Grey: what chance allows around the dashed line."
        ),
        bars=tuple((*across(low, high), y(share)) for low, high, *_, share in found),
        bands=tuple(
            (*across(low, high), y(most), y(least))
            for low, high, least, most, _ in found
            if math.isfinite(least)
        ),
        even=y(1 / len(found)),
        ticks=tuple((y(k * step), f"{k * step:.2g}") for k in range(int(top / step + 1e-9) + 1)),
    )


def _reliability(table: Table | None) -> Square | None:
    """The label whose predictions differ most from row to row."""
    groups: dict[str, list[Row]] = {}
    for row in _of(table):
        groups.setdefault(str(row.cells["label"]), []).append(row)
    if not groups:
        return None
    label = max(groups, key=lambda name: _spread([row for row in groups[name] if not _raw(row)]))
    said = re.sub(r"^-(?=\d)", "−", label)
    others = "" if len(groups) < 2 else " Every label is in the table “Reliability” below."
    return _square(
        groups[label],
        title=f"When it expects “{said}”, do people say it?",
        across=f"share predicted for {_short(said)}",
        up="share of people’s labels",
        more=others,
    )


def _disagreement(table: Table | None) -> Square | None:
    return _square(
        _of(table),
        title="Does it know which items people dispute?",
        across="predicted chance that two people differ",
        up="pairs of people who differ",
        more="",
    )


def _square(rows: Sequence[Row], *, title: str, across: str, up: str, more: str) -> Square | None:
    aligned, raw = _points(rows, raw=False), _points(rows, raw=True)
    if not aligned:
        return None
    sizes = wording.span([seen.n_items for _, seen in aligned], "count")
    groups = f"{len(aligned)} groups of {sizes} rows" if len(aligned) > 1 else f"one group of {sizes} rows"
    hollow = f" The judge as it is: {_said(raw)}." if raw else ""
    filled = f"Filled: the judge, aligned ({groups}). Hollow: as it is." if raw else ""
    return Square(
        title=title,
        across=across,
        up=up,
        label=f"{title} {_said(aligned)}.{hollow}",
        caption=(
            f"{filled or f'The judge, aligned: {groups}.'} On the dashed line, what is predicted comes about."
            f"{more}"
        ),
        marks=tuple(_mark(x, seen) for x, seen in aligned),
        hollow=tuple(_mark(x, seen) for x, seen in raw),
    )


def _points(rows: Sequence[Row], *, raw: bool) -> list[tuple[float, Estimate]]:
    return [
        (_number(row, "predicted"), observed)
        for row in rows
        if _raw(row) == raw and (observed := _defined(row.cells.get("observed")))
    ]


def _said(points: Sequence[tuple[float, Estimate]]) -> str:
    return "; ".join(
        f"{wording.number(x)} predicted, {wording.number(seen.value)} observed" for x, seen in points
    )


def _mark(predicted: float, seen: Estimate) -> Mark:
    ends = (seen.low, seen.high) if seen.has_interval else (seen.value, seen.value)
    return round(SIDE * predicted, 1), _up(seen.value), _up(ends[0]), _up(ends[1])


def _up(share: float) -> float:
    return round(SIDE * (1 - min(max(share, 0.0), 1.0)), 1)


def _raw(row: Row) -> bool:
    return row.cells.get("who") == AS_IT_IS


def _spread(rows: Sequence[Row]) -> tuple[float, float]:
    """How far the predictions lie apart, then how high they are."""
    predicted = [_number(row, "predicted") for row in rows]
    return max(predicted, default=0.0) - min(predicted, default=0.0), max(predicted, default=0.0)


def _short(label: str) -> str:
    return label if len(label) <= 16 else label[:15] + "…"


def _of(table: Table | None) -> Sequence[Row]:
    return table.rows if table is not None else ()


def _number(row: Row, key: str) -> float:
    cell = row.cells.get(key)
    return float(cell) if isinstance(cell, int | float) else math.nan


def _defined(cell: Cell) -> Estimate | None:
    return cell if isinstance(cell, Estimate) and cell.undefined is None else None
