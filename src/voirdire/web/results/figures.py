"""Numbers as the pages print them, and where their marks stand on an axis from 0 to 100."""

from __future__ import annotations

from dataclasses import dataclass

from voirdire.bench.audited import CorrectedRate
from voirdire.bench.shares import PassRate
from voirdire.report import wording
from voirdire.stats.estimate import REASONS, Estimate

__all__ = ["NONE", "Figure", "figure_of", "points", "share"]


@dataclass(frozen=True)
class Figure:
    """A number ready to print: ``text``, its interval or reason as ``second`` line, and its place 0 to 1.

    ``missing`` says that there is no number, and ``text`` is the word for that.
    """

    text: str
    second: str = ""
    missing: bool = False
    at: float | None = None
    ends: tuple[float, float] | None = None
    n: int = 0


NONE = Figure("none", missing=True)
"""Where no conversation is in the cell at all."""


def share(estimate: Estimate, *, unit: bool = True) -> Figure:
    """A share in percent.

    >>> share(Estimate(0.775, 0.758, 0.791, n_items=2760), unit=False)
    Figure(text='77.5', second='[75.8,\\xa079.1]', missing=False, at=0.775, ends=(0.758, 0.791), n=2760)
    """
    if estimate.undefined is not None:
        return Figure(*wording.reason_word(estimate.undefined), missing=True)
    n = estimate.n_items
    text = wording.number(estimate.value, "share", cases=n, unit=unit)
    if not estimate.has_interval:
        return Figure(text, f"no interval: {_why(estimate)}", at=estimate.value, n=n)
    second = wording.interval(estimate.low, estimate.high, "share", cases=n)
    return Figure(text, second, at=estimate.value, ends=(estimate.low, estimate.high), n=n)


def points(estimate: Estimate) -> Figure:
    """A difference of two shares, in points.

    >>> points(Estimate(-0.267, -0.4, -0.1, n_items=30)).text
    '−26.7'
    """
    if estimate.undefined is not None:
        return Figure(*wording.reason_word(estimate.undefined), missing=True)
    text = wording.number(estimate.value, "points", unit=False)
    if not estimate.has_interval:
        return Figure(text, f"no interval: {_why(estimate)}", n=estimate.n_items)
    low, high = (wording.number(end, "points", unit=False) for end in (estimate.low, estimate.high))
    return Figure(text, f"[{low},{wording.NBSP}{high}]", n=estimate.n_items)


def figure_of(rate: PassRate | CorrectedRate | None, *, unit: bool = True) -> Figure:
    """A rate, or the word for a cell that holds no conversation."""
    if rate is None:
        return NONE
    return share(rate.share if isinstance(rate, PassRate) else rate.corrected, unit=unit)


def _why(estimate: Estimate) -> str:
    return REASONS[estimate.no_interval or "no_interval_method"]
