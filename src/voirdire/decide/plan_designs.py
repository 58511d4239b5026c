"""Which rows to label, by what the labels are for: a map, floors, systems' means or single decisions."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from voirdire.decide.plan_draw import Draw, fill_evenly
from voirdire.decide.plan_frame import Frame

__all__ = ["draw_decisions", "draw_fitting", "draw_floors", "draw_means", "mean_sizes"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
PURE = 0.2
"""Of labels to fit on at least this share is drawn at random from all rows, whatever the design."""
PER_METRIC, PER_LABEL = 10, 5
"""Labelled rows that a metric, and a label of the judges, should have at least."""
ENOUGH = 100
"""Rows of a metric with two raters beyond which more tell little about how far people agree."""
DEFENSIVE = 0.25
"""No row's size is below this part of the mean: a judge that is sure and wrong must be found out."""
DEEP_EVERY = 3


def draw_fitting(frame: Frame, draw: Draw, n: int, design: str, *, rng: np.random.Generator) -> None:
    """``n`` rows to fit a map on: a fifth at random, then what metrics and judge labels lack, then the rest.

    The rest is random, or with the design ``balanced`` spread evenly over the judges' labels by metric.
    """
    every = np.ones(len(frame), dtype=np.bool_)
    left = min(n, int(draw.free.sum()))
    left -= len(draw.uniform(every, int(np.ceil(PURE * left)), "random", rng=rng))
    for group, least, stage in _quotas(frame):
        lacks = max(least - _have(frame, draw, group), 0)
        left -= len(draw.uniform(group, min(lacks, left), stage, rng=rng))
    if design == "random":
        draw.uniform(every, left, "random", rng=rng)
        return
    strata = [(frame.metric == m) & (frame.said == c) for m in frame.metrics for c in _labels(frame, m)]
    have_now = [_have(frame, draw, group) for group in strata]
    most = [int((group & draw.free).sum()) for group in strata]
    for group, more in zip(strata, fill_evenly(have_now, most, left), strict=True):
        draw.uniform(group, more, "balanced", rng=rng)


def _quotas(frame: Frame) -> list[tuple[Flags, int, str]]:
    """Groups of rows with the number of labelled rows that each should have."""
    metrics = [(frame.metric == m, PER_METRIC, "metric") for m in frame.metrics]
    spoken = np.unique(frame.said[frame.asked]).tolist()
    return [*metrics, *((frame.said == c, PER_LABEL, "judge label") for c in spoken)]


def _labels(frame: Frame, metric: int) -> list[int]:
    found: list[int] = np.unique(frame.said[frame.metric == metric]).tolist()
    return found


def _have(frame: Frame, draw: Draw, group: Flags) -> int:
    """Rows of ``group`` that have a label or are drawn."""
    taken = frame.labelled.copy()
    taken[[row for row, _ in draw.order]] = True
    return int((taken & group).sum())


def draw_floors(
    frame: Frame, draw: Draw, budget: int, depths: tuple[int, int], *, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Random rows with the number of further labels each needs, of ``budget`` labels in all.

    ``depths`` are raters a row: of every three rows one has the second number. Metrics with the fewest rows
    that two people labelled come first. Rows with one label are taken first where labelled rows are a
    random sample, for they need one label less. Rows that too few raters can label are passed over.
    """
    queues = {m: _queue(frame, draw, m, depths, rng) for m in frame.metrics}
    have = {m: int(((frame.metric == m) & (frame.people > 1)).sum()) for m in frame.metrics}
    chosen: list[tuple[int, int]] = []
    while budget > 0 and any(queues.values()):
        m = min((m for m in queues if queues[m]), key=lambda m: have[m])
        row = queues[m][0]
        depth = depths[1] if have[m] % DEEP_EVERY == DEEP_EVERY - 1 else depths[0]
        more = min(depth, int(frame.people[row] + frame.able[row])) - int(frame.people[row])
        if more > budget:
            more = max(depths[0] - int(frame.people[row]), 1)
        if more > budget:
            break
        queues[m].popleft()
        chosen.append((row, more))
        have[m] += 1
        budget -= more
    _record(frame, draw, np.array([row for row, _ in chosen], dtype=np.intp))
    return chosen


def _queue(
    frame: Frame, draw: Draw, metric: int, depths: tuple[int, int], rng: np.random.Generator
) -> deque[int]:
    """The metric's rows that can have the lower depth, in the order in which they are taken."""
    possible = (frame.metric == metric) & (frame.people + frame.able >= depths[0]) & (frame.able > 0)
    once = np.flatnonzero(possible & frame.labelled & (frame.people < depths[0]))
    fresh = np.flatnonzero(possible & draw.free)
    first = [] if frame.uneven else rng.permutation(once).tolist()
    return deque([*first, *rng.permutation(fresh).tolist()])


def _record(frame: Frame, draw: Draw, chosen: NDArray[np.intp]) -> None:
    """Take the new rows of ``chosen`` out of the free ones, and raise the chance of all they stand for."""
    fresh = chosen[draw.free[chosen]]
    for metric in frame.metrics:
        group = frame.metric == metric
        mine = fresh[group[fresh]]
        if len(mine):
            added = len(mine) / int((group & draw.free).sum())
            draw.chance[group] = 1 - (1 - draw.chance[group]) * (1 - added)
    draw.free[fresh] = False
    draw.order.extend((row, "overlap") for row in chosen.tolist())


def mean_sizes(frame: Frame, spread: Floats) -> Floats:
    """Sizes (n,) for sampling: sqrt(Var(residual | x)) over the number of rows of its system and metric.

    ``spread`` (n,) are the residuals' standard deviations, NaN where not predicted: such rows are not drawn.
    With chances in proportion the sum over systems of the variance of their means is the smallest that so
    many labels allow (Neyman's allocation). No size is below a quarter of its system's mean, so that a
    judge that is sure and wrong is found out. A row that counts for two systems has the root of both squares.
    """
    size = np.zeros(len(frame))
    known = np.isfinite(spread) & frame.asked
    n_systems = int(frame.systems.max(initial=0)) + 1
    for side in range(frame.systems.shape[1]):
        own = known & (frame.systems[:, side] >= 0)
        cell = frame.metric[own] * n_systems + frame.systems[own, side]
        _, cell, rows = np.unique(cell, return_inverse=True, return_counts=True)
        mean = np.bincount(cell, weights=spread[own]) / rows
        size[own] += (np.maximum(spread[own], DEFENSIVE * mean[cell]) / rows[cell]) ** 2
    root: Floats = np.sqrt(size)
    return root


def draw_means(frame: Frame, draw: Draw, spread: Floats, n: int, *, rng: np.random.Generator) -> None:
    """``n`` rows for systems' means, with chances in proportion to :func:`mean_sizes`."""
    draw.proportional(mean_sizes(frame, spread), n, "proportional", rng=rng)


def draw_decisions(frame: Frame, draw: Draw, gain: Floats, n: int) -> list[int]:
    """The ``n`` rows with the largest expected ``gain`` (n,) from one more label; fewer where none has one.

    Labelled rows count too. The others have a chance of 1 now: what they stand for is themselves alone.
    """
    worth = np.where((frame.able > 0) & np.isfinite(gain), gain, 0.0)
    best = np.argsort(-worth, kind="stable")[:n]
    best = best[worth[best] > 0]
    draw.certain(best[draw.free[best]], "decision")
    again = best[~np.isin(best, [row for row, _ in draw.order])]
    draw.order.extend((row, "decision") for row in again.tolist())
    return best.tolist()  # type: ignore[no-any-return]
