"""Hundreds of metrics with one answer read as one row: the same answer and scale, pooled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.finding import Bounds, Evidence
from voirdire.checks.limits import capped
from voirdire.checks.stand_in_cases import pooled_pairs
from voirdire.checks.verdict import Answer, StandIn
from voirdire.checks.words import number

__all__ = ["MOST_LISTED", "grouped"]

MOST_LISTED = 60
"""Metrics with several raters that a judge's verdicts are listed for one by one."""


def grouped(context: Context, verdicts: Sequence[StandIn]) -> Iterator[StandIn]:
    """The verdicts as they are, or a judge's metrics of one answer and scale as one where they are many."""
    listed = Counter(one.judge for one in verdicts if one.n_items)
    many = {judge for judge, n in listed.items() if n > MOST_LISTED}
    together: dict[tuple[str, Answer, tuple[str, ...]], list[StandIn]] = {}
    for one in verdicts:
        if one.n_items and one.judge in many:
            labels = context.study.metric(one.metrics[0]).scale.labels
            together.setdefault((one.judge, one.answer, labels), []).append(one)
    for members in together.values():
        yield members[0] if len(members) == 1 else _pooled(context, members)
    yield from (one for one in verdicts if not (one.n_items and one.judge in many))


def _pooled(context: Context, members: Sequence[StandIn]) -> StandIn:
    first = members[0]
    names = tuple(one.metrics[0] for one in members)
    judge = next(code for code, rater in enumerate(context.study.raters) if rater.id == first.judge)
    pairs = pooled_pairs(context, judge, names)
    people = np.unique(np.concatenate([context.people(name).raters for name in names]))
    reasons = {
        "yes": f"on each the difference lies above {number(-context.options.margin)}",
        "no": "on each the difference lies below 0",
        "cannot tell": "on each the interval is too wide",
    }
    return StandIn(
        judge=first.judge,
        metrics=names,
        answer=first.answer,
        reason=reasons[first.answer],
        settle="" if first.answer != "cannot tell" else "more items on each metric, as listed below",
        judge_person=Bounds({name: capped(pair.judge) for name, pair in pairs.items()}),
        person_person=Bounds({name: capped(pair.people) for name, pair in pairs.items()}),
        difference=Bounds({name: pair.difference_at(first.level) for name, pair in pairs.items()}),
        level=first.level,
        n_items=sum(one.n_items for one in members),
        n_people=len(people),
        rated_items=sum(one.rated_items for one in members),
        single_rated=sum(one.single_rated for one in members),
        evidence=Evidence(raters=(first.judge,)),
    )
