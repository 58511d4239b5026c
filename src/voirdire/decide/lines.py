"""A small table as lines of text, for what a decision prints on a terminal."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence

__all__ = ["aligned", "assumed", "folded", "printable"]

WIDTH = 100
"""Columns of prose, as in the audit's summary; a table is as wide as its cells."""
MOST_ASSUMED = 5


def aligned(rows: Sequence[Sequence[str]], *, numbers: Sequence[int] = ()) -> list[str]:
    """Lines (n,) in which the cells of each column start below each other; columns in ``numbers`` end so.

    The first row is the heading. Control characters in a cell become blanks.

    >>> aligned([["system", "n"], ["small", "7"], ["tiny", "12"]], numbers=[1])
    ['system   n', 'small    7', 'tiny    12']
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padded = []
        for k, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blank = " " * (width - _width(cell))
            padded.append(blank + cell if k in numbers else cell + blank)
        lines.append("  ".join(padded).rstrip())
    return lines


def folded(text: str, *, bullet: str = "") -> list[str]:
    """Lines of ``text`` (n,), at most 100 columns each; ``bullet`` stands before the first.

    >>> folded("judge " * 20, bullet="- ")[1]
    '  judge judge judge judge'
    """
    later = " " * len(bullet)
    return textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=bullet,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )


def assumed(notes: Sequence[str]) -> list[str]:
    """Lines (n,) that say what was assumed of the source, the last first, as the audit says it.

    >>> assumed(["No study.yaml.", "The scale of 'label' is taken as nominal."])
    ['', 'Assumed', "- The scale of 'label' is taken as nominal.", '- No study.yaml.']
    """
    if not notes:
        return []
    more = f", and {len(notes) - MOST_ASSUMED:,} more in --json" if len(notes) > MOST_ASSUMED else ""
    shown = list(reversed(notes))[:MOST_ASSUMED]
    return ["", f"Assumed{more}", *(line for note in shown for line in folded(note, bullet="- "))]


def printable(text: str) -> str:
    """One line without control characters: a name in a file may not steer a terminal."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _width(text: str) -> int:
    """Columns that a terminal gives to ``text``."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(unicodedata.combining(sign) > 0 for sign in text)
