"""Numbers and lists as a sentence says them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from voirdire.stats import REASONS, Estimate

__all__ = [
    "capital",
    "count",
    "interval",
    "listing",
    "number",
    "percent",
    "percent_digits",
    "points",
    "share",
    "spoken",
]

NO_BREAK = "\u00a0"
MANY = 1000
"""From this many cases on, a percentage has one decimal."""
MOST_DIGITS = 4


def count(n: int, noun: str, plural: str = "") -> str:
    """``n`` things with their noun.

    >>> count(1, "item"), count(1240, "item"), count(2, "reply", "replies")
    ('1 item', '1,240 items', '2 replies')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def number(value: float, digits: int = 2) -> str:
    """A figure with a true minus; one that rounds to nought has no sign.

    >>> number(-0.314), number(-0.001)
    ('−0.31', '0.00')
    """
    # a half is rounded away from 0, so that shares of a whole still add up to it
    text = f"{value + math.copysign(1e-9, value):.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def percent(part: float, n: int = 0) -> str:
    """A share as a percentage: no decimal, or one where it rests on more than 1,000 cases.

    A share that is not nought or all is never rounded to it.

    >>> percent(0.8333), percent(0.68729, 27600), percent(471 / 473)
    ('83\\xa0%', '68.7\\xa0%', '99.6\\xa0%')
    """
    return f"{number(100 * part, percent_digits(part, n))}{NO_BREAK}%"


def percent_digits(part: float, n: int = 0) -> int:
    """Decimals of a percentage that rests on ``n`` cases; see :func:`percent`."""
    digits = 1 if n > MANY else 0
    while 0 < part < 1 and digits < MOST_DIGITS and float(f"{100 * part:.{digits}f}") in (0, 100):
        digits += 1
    return digits


def share(x: int, n: int) -> str:
    """A count of a total, with its percentage where there is a total.

    >>> share(126, 162), share(0, 0)
    ('126 of 162 (78\\xa0%)', '0 of 0')
    """
    return f"{x:,} of {n:,} ({percent(x / n, n)})" if n else f"{x:,} of {n:,}"


def interval(estimate: Estimate, digits: int = 2) -> str:
    """The bounds in brackets, or nothing where there are none."""
    if not estimate.has_interval:
        return ""
    return f"[{number(estimate.low, digits)}, {number(estimate.high, digits)}]"


def spoken(estimate: Estimate) -> str:
    """An estimate as a sentence says it: value and interval, or why there is no value.

    >>> spoken(Estimate(0.667, 0.553, 0.78)), spoken(Estimate(float("nan"), undefined="no_variation"))
    ('0.67 [0.55, 0.78]', 'undefined (every label is the same)')
    """
    if estimate.undefined is not None:
        return f"undefined ({REASONS[estimate.undefined]})"
    return f"{number(estimate.value)} {interval(estimate)}".strip()


def points(estimate: Estimate) -> str:
    """A difference of percentages as a sentence says it.

    >>> points(Estimate(3.1, 1.2, 5.0))
    '3.1 points [1.2, 5.0]'
    """
    return f"{number(estimate.value, 1)} points {interval(estimate, 1)}".strip()


def listing(words: Sequence[str], *, most: int = 6) -> str:
    """Words joined as in prose; beyond ``most`` the rest are counted.

    >>> listing(["a", "b", "c"]), listing(list("abcdefgh"), most=3)
    ('a, b and c', 'a, b, c and 5 more')
    """
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most:,} more"
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def capital(sentence: str) -> str:
    """The sentence with a capital first letter, the rest untouched."""
    return sentence[:1].upper() + sentence[1:]
