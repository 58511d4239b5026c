"""One bar cut into parts: how many items were seen by one person, how many by two, and so on."""

from __future__ import annotations

from dataclasses import dataclass

from voirdire.checks.finding import Table
from voirdire.report import wording

__all__ = ["Stack", "StackPart", "stack"]

STACKED = {"raters_per_item": "items"}
"""Tables that a bar stands above, with the column that gives the parts' lengths."""
TONES = ("L-s2", "L-s4", "L-s5", "L-s6", "L-s7")


@dataclass(frozen=True)
class StackPart:
    """A part of the bar: ``start`` and ``share`` from 0 to 1; the class that colours it, '' where hatched."""

    text: str
    start: float
    share: float
    tone: str


@dataclass(frozen=True)
class Stack:
    """A bar, with a ``label`` that says the same in words."""

    label: str
    parts: tuple[StackPart, ...]


def stack(table: Table) -> Stack | None:
    """The bar above ``table``, or None for a table without one or with a single part.

    What one person rated is hatched: there is something, and it cannot be checked.
    """
    key = STACKED.get(table.name)
    rows = [(str(row.cells[table.columns[0].key]), row.cells.get(key)) for row in table.rows] if key else []
    sizes = [(name.partition("\n")[0], n) for name, n in rows if isinstance(n, int) and n > 0]
    if len(sizes) < 2:
        return None
    total, before, parts = sum(n for _, n in sizes), 0, []
    checked = [name for name, _ in sizes if not name.startswith("1 ")]
    for name, n in sizes:
        place = checked.index(name) if name in checked else -1
        tone = "" if place < 0 else TONES[round(place * (len(TONES) - 1) / max(len(checked) - 1, 1))]
        parts.append(StackPart(wording.count(n), before / total, n / total, tone))
        before += n
    words = wording.listed([f"{wording.count(n)} by {name}" for name, n in sizes])
    return Stack(f"{table.columns[1].title}: {words}", tuple(parts))
