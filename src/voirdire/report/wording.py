"""How numbers are written for a reader: true minus, spaces that do not break, digits that the data carry."""

from __future__ import annotations

import math
from collections.abc import Sequence

from voirdire.checks.finding import ColumnKind
from voirdire.checks.words import percent_digits
from voirdire.stats.estimate import REASONS

__all__ = ["NBSP", "count", "interval", "listed", "number", "reason_word", "span"]

NBSP = "\N{NO-BREAK SPACE}"
MANY_CASES = 1000
"""Above this many cases a percentage gets one decimal, below it none."""

_NOT_MEASURABLE = ("insufficient_raters", "no_pairable_items", "insufficient_items", "no_labels")


def count(value: float) -> str:
    """A count with thousands set apart.

    >>> count(48540)
    '48,540'
    """
    return _minus(f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}")


def number(value: float, kind: ColumnKind = "coefficient", *, cases: int = 0, unit: bool = True) -> str:
    """``value`` as a column of ``kind`` shows it; ``cases`` decides the decimals of a percentage.

    >>> number(0.8334, "share", cases=162), number(-0.307, "difference"), number(0.0004, "p")
    ('83\\xa0%', '−0.31', '<\\xa00.001')
    >>> number(0.0917, "points"), number(0.825, "share", cases=240)
    ('+9.2\\xa0points', '83\\xa0%')
    """
    if kind == "count":
        return count(value)
    if kind in ("share", "rate"):
        digits = percent_digits(value, cases) if unit else int(cases > MANY_CASES)
        return _minus(f"{_away(100 * value):.{digits}f}") + (f"{NBSP}%" if unit else "")
    if kind == "p":
        return f"<{NBSP}0.001" if value < 0.001 else f"{value:.3f}"
    if kind == "difference":
        return _minus(f"{_away(value):+.2f}")
    if kind == "points":
        return _minus(f"{_away(100 * value):+.1f}") + (f"{NBSP}points" if unit else "")
    return _minus(f"{_away(value):.2f}" if abs(value) < 1000 else f"{value:,.0f}")


def interval(low: float, high: float, kind: ColumnKind = "coefficient", *, cases: int = 0) -> str:
    """An interval in square brackets, that never breaks over two lines.

    >>> interval(-0.19, 0.59)
    '[−0.19,\\xa00.59]'
    """
    lower, upper = (number(value, kind, cases=cases, unit=False) for value in (low, high))
    return f"[{lower},{NBSP}{upper}]"


def span(values: Sequence[float], kind: ColumnKind = "coefficient", *, cases: int = 0) -> str:
    """The range that ``values`` cover, or the one figure that they share once rounded.

    >>> span([0.171, 0.268, 0.2]), span([0.5, 0.501])
    ('0.17 to 0.27', '0.50')
    """
    low, high = (number(value, kind, cases=cases) for value in (min(values), max(values)))
    return low if low == high else f"{number(min(values), kind, cases=cases, unit=False)} to {high}"


def reason_word(reason: str) -> tuple[str, str]:
    """The word for a number that does not exist, and why it does not.

    >>> reason_word("insufficient_raters")
    ('not measurable', 'fewer than two raters')
    """
    word = "not measurable" if reason in _NOT_MEASURABLE else "undefined"
    return word, REASONS[reason]


def listed(parts: Sequence[str]) -> str:
    """Words in a row, the last joined by "and".

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def _away(value: float) -> float:
    """A half is rounded away from 0, as the findings' sentences round it."""
    return value + math.copysign(1e-9, value)


def _minus(text: str) -> str:
    rounds_to_zero = not any(digit in text for digit in "123456789")
    return text.lstrip("-+") if rounds_to_zero else text.replace("-", "−")
