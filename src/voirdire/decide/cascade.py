"""Cascades: ask the cheapest judge first, trust it where that is safe, and pass the rest on to the next.

The promise is made for all that is trusted together, or for every judge's part by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.stats.selective import SelectiveThreshold, selective_threshold, threshold_grid, walk_down

__all__ = [
    "CascadeStage",
    "Passage",
    "Trials",
    "calibrate_each_stage",
    "calibrate_together",
    "pass_through",
    "surest",
]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
WIDE = 0.05
"""Share of the items above which one step of a walk is too many to be sent to people unseen."""


@dataclass(frozen=True, eq=False)
class Trials:
    """One judge's ``confidence`` (n,) in its verdicts on n items, their ``error`` (n,), seen or expected."""

    confidence: Floats
    error: Floats

    def take(self, rows: Flags | NDArray[np.intp]) -> Trials:
        """The trials of ``rows`` (n,) only."""
        return Trials(self.confidence[rows], self.error[rows])


@dataclass(frozen=True)
class CascadeStage:
    """One judge's part: items with confidence at ``found.threshold`` or above are trusted to it.

    ``found`` is the walk of this stage, or of the whole cascade. ``tested`` items were in the stage's own
    part at the last threshold that passed, or where none did at the one that failed, with summed ``failed``
    errors. Items below ``cut`` go on to the next judge. Those between ``cut`` and the threshold go to people:
    they are the narrow step at which the walk was seen to fail, and no later judge may be calibrated on them.
    """

    found: SelectiveThreshold
    tested: int
    failed: float
    cut: float


@dataclass(frozen=True, eq=False)
class Passage:
    """How n items pass through S stages.

    ``trusted`` (n,) is the stage that an item is trusted to, -1 for none; ``waits`` (n,) the stage whose
    judge has yet to see it, -1 for none; ``reached`` (S, n) which items a stage's judge is asked about.
    """

    trusted: NDArray[np.intp]
    waits: NDArray[np.intp]
    reached: Flags


def calibrate_together(
    tests: Sequence[Trials],
    reference: Sequence[Trials],
    *,
    alpha: float,
    delta: float = 0.1,
    method: str = "clopper_pearson",
) -> tuple[CascadeStage, ...]:
    """One threshold for all judges, cheapest first, so that what is trusted is wrong in ``alpha`` at most.

    ``tests`` are each stage's trials on the same independent items, ``reference`` its expected errors on
    other items, for the grid (NaN where not known). At a threshold an item is trusted to the first judge
    that is as sure; one walk over thresholds tests everything trusted, so nothing is split or used twice.
    The judges' confidences must mean the same.

    >>> rng = np.random.default_rng(1)
    >>> sure, other = rng.random((2, 400)), rng.random((2, 1000))
    >>> tests = [Trials(c, rng.random(400) < (1 - c) / 2) for c in sure]
    >>> stages = calibrate_together(tests, [Trials(c, (1 - c) / 2) for c in other], alpha=0.2)
    >>> [(round(stage.found.threshold, 2), stage.tested) for stage in stages]
    [(0.3, 272), (0.3, 103)]
    """
    sure, errors = (np.stack([getattr(test, name) for test in tests]) for name in ("confidence", "error"))
    top, n = surest(reference), sure.shape[1]
    grid = threshold_grid(top.confidence, n=n, alpha=alpha, delta=delta, method=method, risk=top.error)

    def parts(level: float) -> Floats:
        """How many items each stage is trusted with (S,), and their errors (S,)."""
        able = sure >= level
        first = able & (np.cumsum(able, axis=0) == 1)
        return np.stack([first.sum(axis=1), (first * errors).sum(axis=1)])

    def whole(level: float) -> tuple[int, float]:
        m, wrong = parts(level).sum(axis=1).tolist()
        return int(m), float(wrong)

    found = walk_down(grid, whole, n=n, alpha=alpha, delta=delta, method=method)
    tested, failed = parts(found.last.threshold).tolist() if found.last else ([0.0] * len(tests),) * 2
    return tuple(
        CascadeStage(found, int(m), wrong, found.threshold) for m, wrong in zip(tested, failed, strict=True)
    )


def surest(stages: Sequence[Trials]) -> Trials:
    """Each item's trial at the stage that is surest of it, the first such."""
    confidence = np.nan_to_num(np.stack([stage.confidence for stage in stages]), nan=-np.inf)
    at = confidence.argmax(axis=0), np.arange(confidence.shape[1])
    top = np.where(np.isinf(confidence[at]), np.nan, confidence[at])
    return Trials(top, np.stack([stage.error for stage in stages])[at])


def calibrate_each_stage(
    tests: Sequence[Trials],
    reference: Sequence[Trials],
    *,
    alpha: float,
    delta: float = 0.1,
    method: str = "clopper_pearson",
) -> tuple[CascadeStage, ...]:
    """One threshold a judge, cheapest first, so that what each is trusted with is wrong in ``alpha`` at most.

    The arguments are those of :func:`calibrate_together`. With probability ``1 - delta`` the promise holds
    for every stage, and so for everything trusted.

    Each of S stages may fail with probability delta / S. A later stage is calibrated on every item that was
    passed on to it. That choice has looked at one step of the earlier walk, the one that failed. Where the
    step is narrow, its items go to people, and the items below it are untouched. Where it is wide (ties, or
    the strictest threshold), its items are passed on, and the later stages' share of delta is divided by the
    number of wide steps and one, which pays for every place where the walk might have stopped.

    >>> rng = np.random.default_rng(1)
    >>> sure, other = rng.random((2, 400)), rng.random((2, 1000))
    >>> tests = [Trials(c, rng.random(400) < (1 - c) / 2) for c in sure]
    >>> stages = calibrate_each_stage(tests, [Trials(c, (1 - c) / 2) for c in other], alpha=0.2)
    >>> [round(stage.found.threshold, 2) for stage in stages]
    [0.28, 0.61]
    """
    left = np.ones(len(tests[0].error), dtype=np.bool_)
    others = np.ones(len(reference[0].error), dtype=np.bool_)
    share = delta / len(tests)
    stages = []
    for test, known in zip(tests, reference, strict=True):
        own, other = test.take(left), known.take(others)
        grid = threshold_grid(
            other.confidence, n=len(own.error), alpha=alpha, delta=share, method=method, risk=other.error
        )
        found = selective_threshold(
            own.confidence, own.error, thresholds=grid, alpha=alpha, delta=share, method=method
        )
        wide = _wide(grid, other.confidence)
        last = found.last
        stage = CascadeStage(found, last.n if last else 0, last.errors if last else 0.0, _cut(found, wide))
        left, others = left & ~(test.confidence >= stage.cut), others & ~(known.confidence >= stage.cut)
        share /= 1 + int(wide.sum())
        stages.append(stage)
    return tuple(stages)


def pass_through(
    stages: Sequence[CascadeStage], confidence: Sequence[Floats], asked: Sequence[Flags]
) -> Passage:
    """Send items through ``stages``: ``confidence`` (n,) a stage, and where its judge was ``asked`` (n,).

    An item without the verdict of a judge that it reaches waits there.
    """
    n = len(confidence[0])
    trusted, waits = np.full(n, -1, dtype=np.intp), np.full(n, -1, dtype=np.intp)
    left = np.ones(n, dtype=np.bool_)
    reached = []
    for k, (stage, sure, known) in enumerate(zip(stages, confidence, asked, strict=True)):
        reached.append(left)
        waits[left & ~known] = k
        trusted[left & known & (sure >= stage.found.threshold)] = k
        left = left & known & ~(sure >= stage.cut)
    return Passage(trusted, waits, np.stack(reached))


def _wide(grid: Floats, reference: Floats) -> Flags:
    """Which steps of a walk (G,) hold more than 5 % of the ``reference`` items."""
    if not len(grid):
        return np.zeros(0, dtype=np.bool_)
    above = (reference >= grid[:, None]).mean(axis=1)
    wide: Flags = np.diff(above, prepend=0.0) > WIDE
    return wide


def _cut(found: SelectiveThreshold, wide: Flags) -> float:
    """Where items are passed on: below the step that failed, or with it where it is wide."""
    if found.failed is None or wide[len(found.steps)]:
        return found.threshold
    return found.failed.threshold
