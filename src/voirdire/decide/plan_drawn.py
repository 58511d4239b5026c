"""The rows of a label plan with the number of labels each needs: a budget split over purposes, then drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.decide.assignments import Task
from voirdire.decide.plan_designs import ENOUGH, draw_decisions, draw_fitting, draw_floors, draw_means
from voirdire.decide.plan_draw import Draw
from voirdire.decide.plan_frame import Frame
from voirdire.decide.plan_learned import Learned
from voirdire.decide.plan_options import ALL, DECISIONS, FITTING, FLOORS, MEANS, PlanOptions
from voirdire.decide.plan_raters import Pool
from voirdire.errors import UserError

__all__ = ["Drawn", "drawn"]

Floats = NDArray[np.float64]
OVERLAP_SHARE = 160 / 300
"""Of 300 labels 140 rows get one each, 40 get two and 20 get four."""
FLOORS_DEPTHS, MIXED_DEPTHS = (2, 3), (2, 4)
"""Raters of two rows in three and of the third, with the purpose floors and in a mixture."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """One task a row in the order of drawing, its purpose and stratum, and every row's ``chance`` (n,)."""

    tasks: tuple[Task, ...]
    purposes: tuple[str, ...]
    strata: tuple[str, ...]
    chance: Floats


def drawn(
    frame: Frame, pool: Pool, learned: Sequence[Learned], options: PlanOptions, *, rng: np.random.Generator
) -> Drawn:
    """Draw rows for ``options.purpose``, at most as many labels as the budget and the raters allow."""
    draw = Draw.of(~frame.labelled & (frame.able > 0), frame.chance)
    budget = min(options.budget, pool.labels)
    wanted: list[tuple[int, int, str, str]] = []

    def keep(purpose: str, start: int) -> None:
        wanted.extend((row, 1, purpose, stage) for row, stage in draw.order[start:])

    for purpose, share in _shares(frame, learned, options.purpose, budget):
        start = len(draw.order)
        if purpose == FLOORS:
            depths = FLOORS_DEPTHS if options.purpose == FLOORS else MIXED_DEPTHS
            rows = draw_floors(frame, draw, share, depths, rng=rng)
            wanted += [(row, more, FLOORS, "overlap") for row, more in rows]
            continue
        if purpose == DECISIONS:
            draw_decisions(frame, draw, over_frame(frame, learned, "gain"), share)
        elif purpose == MEANS:
            draw_means(frame, draw, over_frame(frame, learned, "spread"), share, rng=rng)
        else:
            left = budget - sum(more for _, more, _, _ in wanted)
            draw_fitting(frame, draw, left, options.design, rng=rng)
        keep(purpose, start)
    closed = _closed(frame, [row for row, *_ in wanted])
    every = range(len(pool.names))
    tasks = tuple(
        Task(row, more, tuple(r for r in every if r not in closed[row]), tuple(closed[row]))
        for row, more, _, _ in wanted
    )
    return Drawn(tasks, tuple(w[2] for w in wanted), tuple(w[3] for w in wanted), draw.chance)


def _shares(frame: Frame, learned: Sequence[Learned], purpose: str, budget: int) -> list[tuple[str, int]]:
    """Labels by purpose, in the order of drawing; fitting comes last and takes what is left."""
    if purpose != ALL:
        _check(frame, learned, purpose)
        return [(purpose, budget)]
    possible = (frame.people + frame.able > 1) & (frame.able > 0)
    overlap = [int(((frame.people > 1) & (frame.metric == m)).sum()) for m in frame.metrics]
    lacking = sum(max(ENOUGH - n, 0) for n in overlap)
    new_rows = int((~frame.labelled & (frame.able > 0)).sum())
    wanted = max(min(round(OVERLAP_SHARE * budget), 3 * lacking), budget - new_rows)
    floors = wanted if possible.any() else 0
    several = len(np.unique(frame.systems[frame.systems >= 0])) > 1
    means = (budget - floors) // 2 if learned and several else 0
    return [(FLOORS, floors), (MEANS, means), (FITTING, budget - floors - means)]


def _check(frame: Frame, learned: Sequence[Learned], purpose: str) -> None:
    """Refuse a purpose for which something is missing."""
    if purpose == FLOORS and not ((frame.people + frame.able > 1) & (frame.able > 0)).any():
        raise UserError("no item can have two raters", fix="name more people with --new-rater")
    if purpose == MEANS and not learned:
        raise UserError(
            "no map from a judge to people says what the judge leaves open",
            expected="a judge's verdicts, and about 50 judged items with a human label",
            fix="plan --for fitting first",
        )
    if purpose == DECISIONS and not any(np.isfinite(each.gain).any() for each in learned):
        raise UserError(
            "what one more label changes is not measurable",
            expected="a judge's verdicts, and 10 judged items or more with two human labels",
            fix="plan --for floors first",
        )


def over_frame(frame: Frame, learned: Sequence[Learned], name: str) -> Floats:
    """A number of each learned row on all rows (n,), NaN on the others."""
    every = np.full(len(frame), np.nan)
    for each in learned:
        every[each.rows] = getattr(each, name)
    return every


def _closed(frame: Frame, rows: Sequence[int]) -> dict[int, set[int]]:
    """The raters who may not label each of ``rows``."""
    found: dict[int, set[int]] = defaultdict(set)
    row, rater = frame.closed
    kept = np.isin(row, np.asarray(rows, dtype=np.intp))
    for one, who in zip(row[kept].tolist(), rater[kept].tolist(), strict=True):
        found[one].add(who)
    return found
