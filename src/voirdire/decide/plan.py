"""Which items people should label next, by how many of them, who labels what, and what it should buy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from voirdire.decide.assignments import Assigned, assign
from voirdire.decide.plan_bought import (
    Bought,
    Change,
    before_fitting,
    of_decisions,
    of_fitting,
    of_floors,
    of_means,
)
from voirdire.decide.plan_drawn import Drawn, drawn
from voirdire.decide.plan_fitting import effective_labels
from voirdire.decide.plan_frame import Frame, frame_of
from voirdire.decide.plan_learned import Learned, learn
from voirdire.decide.plan_options import DECISIONS, FLOORS, MEANS, PlanOptions
from voirdire.decide.plan_raters import Pool, pool_of
from voirdire.decide.plan_result import LabelPlan
from voirdire.decide.plan_table import assignment_table, chance_table, loads_of, parts_of
from voirdire.errors import UserError
from voirdire.study.study import Study

__all__ = ["plan"]


def plan(
    study: Study,
    options: PlanOptions | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> LabelPlan:
    """Choose ``options.budget`` labels to ask people for, and say what they should buy.

    Labels to fit a map on, for floors and for systems' means are drawn at random with known chances, which
    :func:`voirdire.rates` uses; only for single decisions are rows chosen by what is known of them. Works
    without any human label and without a judge. A budget beyond what the raters can give is cut, saying so;
    nothing to label, unknown raters, means without a judge and decisions without kappa are users' errors.
    """
    chosen = options or PlanOptions()
    if not isinstance(study, Study) or not isinstance(chosen, PlanOptions):
        raise UserError("plan() takes a Study and PlanOptions", fix="voirdire.plan(voirdire.open(source))")
    say = progress or (lambda text: None)
    rng = np.random.default_rng(chosen.seed)
    pool = pool_of(study, chosen)
    frame = frame_of(study, pool, chosen.metrics)
    say("Learning from the labels that exist")
    learned, notes = learn(study, frame, chosen, rng=rng)
    rows = drawn(frame, pool, learned, chosen, rng=rng)
    if not rows.tasks:
        raise _nothing(study, chosen)
    say("Assigning raters")
    assigned = assign(rows.tasks, pool.capacity, rng=rng)
    change = _change(frame, rows, assigned)
    say("Saying what it should buy")
    return LabelPlan(
        assignment_table(study, frame, pool, rows, assigned, rng=rng),
        chance_table(study, frame, rows),
        parts_of(rows, assigned),
        loads_of(frame, pool, rows, assigned),
        tuple(_bought(study, frame, learned, change, rows, chosen)),
        (*_said(study, frame, pool, rows, assigned, chosen), *notes),
        chosen,
    )


def _nothing(study: Study, options: PlanOptions) -> UserError:
    """Why nothing is planned."""
    if options.purpose == DECISIONS:
        return UserError("no single further label is expected to change a decision", where=study.name)
    return UserError(
        "no item is left to label: the raters have labelled every one that these labels are for",
        where=study.name,
        fix="name people who are new with --new-rater, or add items",
    )


def _change(frame: Frame, rows: Drawn, assigned: Assigned) -> Change:
    people = frame.people.copy()
    task_row = np.array([task.row for task in rows.tasks], dtype=np.intp)
    np.add.at(people, task_row[assigned.task], 1)
    return Change((frame.people, people), (frame.chance, rows.chance))


def _bought(
    study: Study, frame: Frame, learned: Sequence[Learned], change: Change, rows: Drawn, options: PlanOptions
) -> Iterator[Bought]:
    """What the labels buy: for decisions themselves only, for they are no random sample."""
    if options.purpose == DECISIONS:
        chosen = [task.row for task in rows.tasks]
        yield from (of_decisions(each, chosen, options.level) for each in learned)
        return
    rng = np.random.default_rng(options.seed)
    for each in learned:
        yield of_fitting(each, change, options, rng=rng)
    if not learned and frame.asked.any():
        yield _first_map(study, frame, change)
    yield from of_floors(study, frame, change, options.level)
    for each in learned:
        yield from of_means(study, frame, each, change, options.level)


def _first_map(study: Study, frame: Frame, change: Change) -> Bought:
    names = [study.metrics[code].name for code in frame.metrics]
    return before_fitting(study, names, effective_labels(change.people[1].astype(np.float64)))


def _said(
    study: Study, frame: Frame, pool: Pool, rows: Drawn, assigned: Assigned, options: PlanOptions
) -> Iterator[str]:
    """What a reader must know of the plan."""
    given = len(assigned.task)
    if pool.labels < options.budget:
        yield f"The budget is {options.budget:,} labels, the raters give {pool.labels:,} at most: name more."
    elif given < options.budget:
        yield f"{options.budget - given:,} labels of the budget are not used: no row is left that needs them."
    if not pool.named:
        who = f"{pool.names[0]} to {pool.names[-1]}"
        yield f"Nobody is named: {who} stand for people. Name them with --new-rater."
    left = len(study.metrics) - len(frame.metrics)
    if left and not options.metrics:
        yield (
            f"Planned for the {len(frame.metrics):,} metrics that people have begun to label (and judges to "
            f"judge, where there are such); the others ({left:,}) are left out: name them with --metric."
        )
    if not frame.asked.any():
        yield "No judge was asked: rows are drawn from all items."
    elif (frame.people > 0).any() and not (frame.labelled & frame.asked).any():
        yield (
            f"No item has both a human label and a judge's verdict: matched 0, only labelled "
            f"{int((frame.labelled & ~frame.asked).sum()):,}, only judged "
            f"{int((frame.asked & ~frame.labelled).sum()):,}. If that is not so, check the item ids."
        )
    if options.purpose == DECISIONS:
        yield (
            "These rows were chosen by what is known of them: do not fit floors or kappa on their labels. "
            "Their sampling probability is 1, or what it was where they have labels."
        )
    elif frame.labelled.any() and not frame.uneven:
        yield "The labels that exist are taken for a random sample of each metric's rows."
    if MEANS in rows.purposes or "balanced" in rows.strata:
        yield (
            "Rows had unequal chances: keep sampling_probability beside the new labels, and join the chances "
            "of labels that exist (--chances FILE), so that voirdire rates can use them."
        )
    if FLOORS in rows.purposes:
        yield "Measure how far people agree on the rows with purpose floors: they are a random sample."
