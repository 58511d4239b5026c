"""The rows of corrected rates: one a system, metric and quantity, and one a difference of two systems."""

from __future__ import annotations

from dataclasses import dataclass

from voirdire.stats.estimate import Estimate

__all__ = ["ALL", "THESE_ITEMS", "Difference", "JudgeRate", "Rank", "Rate"]

ALL = "all systems"
THESE_ITEMS = "these raters, these items"


@dataclass(frozen=True, slots=True)
class JudgeRate:
    """What ``judge`` alone says: its ``naive`` rate, ``missing`` verdicts apart, and Rogan and Gladen's
    correction of it, for metrics with two labels; ``clipped`` where that left 0 to 1.
    """

    judge: str
    naive: Estimate
    missing: int
    rogan_gladen: Estimate | None = None
    clipped: bool = False


@dataclass(frozen=True, slots=True)
class Rank:
    """Ranks from ``low`` to ``high`` that a system may hold, 1 being the highest value."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Rate:
    """What people would say of ``system`` on ``metric``: ``corrected`` for these raters and new items.

    ``these_items`` is the same for the judged items themselves, ``new_raters`` for other people too (without
    an interval where it borrows); ``labels_alone`` is without the judge.
    ``gain`` is how many times the labels would be needed without it. ``n_items`` were judged, ``n_labelled``
    of them carry ``n_labels`` labels of ``n_raters`` people. ``method`` is ``direct``, or ``pooled`` where
    the system borrows from others, ``tuning`` the weight of the predictions.
    """

    metric: str
    system: str
    quantity: str
    corrected: Estimate
    these_items: Estimate
    new_raters: Estimate
    labels_alone: Estimate
    judges: tuple[JudgeRate, ...]
    n_items: int
    n_labelled: int
    n_labels: int
    n_raters: int
    method: str
    tuning: float
    gain: float
    rank: Rank | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much ``first`` lies above ``second``, paired where they share clusters.

    ``simultaneous`` holds for all pairs of the metric together, and decides the ranks.
    """

    metric: str
    first: str
    second: str
    quantity: str
    difference: Estimate
    simultaneous: Estimate
