"""A label plan's tables: a row a label with its rater, each row's chance, counts by purpose and rater."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.decide.assignments import Assigned
from voirdire.decide.plan_drawn import Drawn
from voirdire.decide.plan_frame import Frame
from voirdire.decide.plan_raters import Pool
from voirdire.decide.plan_result import Part, RaterLoad
from voirdire.study.column import Column
from voirdire.study.study import Study
from voirdire.writers.columns import Table

__all__ = ["assignment_table", "chance_table", "loads_of", "parts_of"]

Positions = NDArray[np.intp]


def assignment_table(
    study: Study, frame: Frame, pool: Pool, drawn: Drawn, assigned: Assigned, *, rng: np.random.Generator
) -> Table:
    """A row a label, in the order in which to ask: rows at random, for decisions the most worthwhile first.

    Labels of one row stand together, so that a plan that is stopped early leaves whole rows.
    """
    place = rng.permutation(len(drawn.tasks))
    certain = np.array([stratum == "decision" for stratum in drawn.strata], dtype=np.bool_)
    place[certain] = np.arange(len(place))[certain] - len(place)
    order = np.argsort(place[assigned.task], kind="stable")
    task, rater = assigned.task[order], assigned.rater[order]
    row = np.array([each.row for each in drawn.tasks], dtype=np.intp)[task]
    strata = [_stratum(frame, drawn, k) for k in range(len(drawn.tasks))]
    columns = {
        **_names(study, frame, row),
        "rater_id": Column(rater.astype(np.int32), pool.names),
        "purpose": Column.of([drawn.purposes[k] for k in task.tolist()]),
        "stratum": Column.of([strata[k] for k in task.tolist()]),
        "order": Column.of([str(k + 1) for k in range(len(row))]),
    }
    return Table(columns, {"sampling_probability": drawn.chance[row]})


def chance_table(study: Study, frame: Frame, drawn: Drawn) -> Table:
    """The sampling probability of every row that has a label or will have one."""
    planned = np.zeros(len(frame), dtype=np.bool_)
    planned[[task.row for task in drawn.tasks]] = True
    rows = np.flatnonzero(frame.labelled | planned)
    return Table(_names(study, frame, rows), {"sampling_probability": drawn.chance[rows]})


def parts_of(drawn: Drawn, assigned: Assigned) -> tuple[Part, ...]:
    """Rows and labels by purpose and way of drawing, in the order of drawing."""
    labels = np.bincount(assigned.task, minlength=len(drawn.tasks))
    pairs = list(zip(drawn.purposes, drawn.strata, strict=True))
    found = []
    for pair in dict.fromkeys(pairs):
        mine = np.array([each == pair for each in pairs]) & (labels > 0)
        found.append(Part(*pair, int(mine.sum()), int(labels[mine].sum())))
    return tuple(found)


def loads_of(frame: Frame, pool: Pool, drawn: Drawn, assigned: Assigned) -> tuple[RaterLoad, ...]:
    """What each rater is asked for, the most labels first."""
    row = np.array([task.row for task in drawn.tasks], dtype=np.intp)[assigned.task]
    shared = (np.bincount(assigned.task)[assigned.task] > 1) | frame.labelled[row]
    mine = np.bincount(assigned.rater[shared], minlength=len(pool.names))
    order = np.argsort(-assigned.load, kind="stable")
    return tuple(
        RaterLoad(pool.names[r], int(assigned.load[r]), int(mine[r]))
        for r in order.tolist()
        if assigned.load[r]
    )


def _stratum(frame: Frame, drawn: Drawn, k: int) -> str:
    """How the row was drawn; from which group, where it was one of a judge's label."""
    stratum = drawn.strata[k]
    if stratum in ("balanced", "judge label"):
        return f"{stratum}: {frame.labels[frame.said[drawn.tasks[k].row]]}"
    return stratum


def _names(study: Study, frame: Frame, rows: Sequence[int] | Positions) -> dict[str, Column]:
    return {
        "item_id": Column(frame.item[rows].astype(np.int32), study.items.ids),
        "metric": Column(frame.metric[rows].astype(np.int32), tuple(each.name for each in study.metrics)),
    }
