"""A table's cells as a reader sees them: main text, second line, and how they are drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from voirdire.checks.finding import (
    Bounds,
    Cell,
    Column,
    ColumnKind,
    FloorToCeiling,
    LabelCounts,
    LabelShares,
    Missing,
)
from voirdire.report import wording
from voirdire.report.marks import Axis
from voirdire.report.palette import LabelPart, label_parts, share_parts
from voirdire.report.strip import Strip, strip, strip_axis
from voirdire.stats.estimate import REASONS, Estimate
from voirdire.study import Scale

__all__ = ["NUMERIC", "VERDICTS", "Shown", "show"]

Form = Literal["text", "number", "missing", "verdict", "squares", "bar", "strip", "prose", "blank"]
NUMERIC: tuple[ColumnKind, ...] = ("count", "share", "coefficient", "difference", "points", "rate", "p")
VERDICTS = {
    "yes": ("v-yes", "Yes"),
    "no": ("v-no", "No"),
    "cannot tell": ("v-na", "Cannot tell"),
    "withheld": ("v-na", "Withheld"),
}
LONG_WORD = 24
SQUARES_BELOW = 8
"""Fewer labels than this are drawn one by one, more as a bar."""


@dataclass(frozen=True)
class Shown:
    """A cell ready to print: ``text``, a ``second`` line, and what its ``form`` needs further.

    ``caution`` marks a figure that is less certain than it looks; ``mark`` is the class of a verdict.
    """

    form: Form
    text: str = ""
    second: str = ""
    numeric: bool = False
    caution: bool = False
    mark: str = ""
    parts: tuple[LabelPart, ...] = ()
    strip: Strip | None = None

    @property
    def long(self) -> bool:
        """Whether a word is so long that it must break, lest it widen its table."""
        return max(map(len, self.text.split()), default=0) > LONG_WORD

    @property
    def plain(self) -> str:
        """The cell in one line of text, as a terminal or a screen reader gets it."""
        return f"{self.text} {self.second}".strip()


def show(
    cell: Cell,
    column: Column,
    *,
    with_n: bool = False,
    scale: Scale | None = None,
    on: Axis | None = None,
) -> Shown:
    """``cell`` as ``column`` shows it; ``with_n`` adds the number of items where no other column has it.

    ``scale`` gives labels their order and colour, the same in every row, and ``on`` is the axis of strips. In
    a cell that is text, what follows the first line break is its second line (prose stays whole).

    >>> from voirdire.stats.estimate import Estimate
    >>> show(Estimate(0.6, 0.5, 0.7, n_items=36), Column("a", "α", "coefficient")).plain
    '0.60 [0.50,\\xa00.70]'
    """
    numeric = column.kind in NUMERIC
    if cell is None or cell == "":
        return Shown("blank", numeric=numeric)
    if isinstance(cell, Missing):
        return Shown("missing", cell.word, cell.reason, numeric)
    if isinstance(cell, LabelCounts):
        return _labels(cell, scale)
    if isinstance(cell, LabelShares):
        parts = share_parts(cell.shares, scale)
        words = ", ".join(f"{part.label} {wording.number(part.share, 'share')}" for part in parts)
        return Shown("bar", f"expected: {words}", parts=parts)
    if isinstance(cell, FloorToCeiling):
        drawn = strip(cell, on or strip_axis([cell]) or Axis(0, 1, ()))
        return Shown("strip", drawn.words, strip=drawn)
    if isinstance(cell, Estimate | Bounds):
        return replace(_figure(cell, column.kind, with_n), numeric=True)
    return _plain(cell, column, numeric)


def _plain(cell: str | int | float, column: Column, numeric: bool) -> Shown:
    if isinstance(cell, bool):
        return Shown("text", "yes" if cell else "no")
    if isinstance(cell, int):
        return Shown("number", wording.count(cell), numeric=True)
    if isinstance(cell, float):
        if cell != cell:
            return Shown("missing", "undefined", "no value", numeric)
        return Shown("number", wording.number(cell, column.kind), numeric=True)
    if column.kind == "prose":
        return Shown("prose", cell)
    text, _, second = cell.partition("\n")
    if column.kind == "verdict" and text.casefold() in VERDICTS:
        mark, word = VERDICTS[text.casefold()]
        return Shown("verdict", word, second, mark=mark)
    return Shown("text", re.sub(r"^-(?=\d[\d.]*$)", "−", text), second, numeric)


def _figure(cell: Estimate | Bounds, kind: ColumnKind, with_n: bool) -> Shown:
    every = [cell] if isinstance(cell, Estimate) else list(cell.by_policy.values())
    shown = [estimate for estimate in every if estimate.undefined is None]
    if not shown:
        return (
            Shown("missing", *wording.reason_word(every[0].undefined or "no_labels"))
            if every
            else Shown("blank")
        )
    cases = max(estimate.n_items for estimate in shown)
    with_interval = [estimate for estimate in shown if estimate.has_interval]
    parts = []
    if with_interval:
        low, high = min(e.low for e in with_interval), max(e.high for e in with_interval)
        parts.append(wording.interval(low, high, kind, cases=cases))
    elif reason := next((e.no_interval for e in shown if e.no_interval), None):
        parts.append(f"no interval: {REASONS[reason]}")
    if with_n and cases:
        parts.append(f"n{wording.NBSP}{wording.count(cases)}")
    if len(shown) < len(every):
        parts.append(f"undefined under {len(every) - len(shown)} of {len(every)} mappings")
    return Shown(
        "number",
        wording.span([estimate.value for estimate in shown], kind, cases=cases),
        ", ".join(parts),
        caution=any(estimate.caution for estimate in shown),
    )


def _labels(cell: LabelCounts, scale: Scale | None) -> Shown:
    parts = label_parts(cell.counts, scale)
    total = sum(part.n for part in parts)
    if not parts:
        return Shown("missing", "none", "no label")
    words = ", ".join(f"{part.n} {part.label}" for part in parts)
    people = "1 person" if total == 1 else f"{wording.count(total)} people"
    return Shown("squares" if total < SQUARES_BELOW else "bar", f"{people}: {words}", parts=parts)
