"""The stand-in verdicts as tables, and what to do about those that cannot tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from voirdire.checks.context import Context
from voirdire.checks.finding import Action, Column, Evidence, Missing, Row, Table
from voirdire.checks.stand_in_cases import Case, cases, pooled
from voirdire.checks.stand_in_rule import ONE_RATER, reach_needed
from voirdire.checks.verdict import StandIn
from voirdire.checks.words import capital, count, listing, number, percent
from voirdire.stats.proportion import clopper_pearson_interval

__all__ = ["settling_actions", "verdict_tables"]

MOST_ACTIONS = 3
"""Metrics for which more labels are asked, those that need fewest first."""


def verdict_tables(context: Context, verdicts: Sequence[StandIn]) -> Iterator[Table]:
    """Every verdict with its evidence, and the single-rated metrics one by one."""
    columns = (
        Column("judge", "Judge"),
        Column("metric", "Metric"),
        Column("answer", "May it stand in?", "verdict"),
        Column("reason", "Because", "text"),
        Column("difference", "Judge minus person", "difference"),
        Column("judge_person", "Judge–person κ", "coefficient"),
        Column("person_person", "Person–person κ", "coefficient"),
        Column("settle", "What would settle it", "text"),
    )
    rows = [
        Row(
            {
                "judge": one.judge or Missing("none", "no judge"),
                "metric": _names(context, one),
                "answer": one.answer,
                "reason": one.reason,
                "difference": one.difference,
                "judge_person": one.judge_person,
                "person_person": one.person_person,
                "settle": one.settle,
            },
            one.evidence,
        )
        for one in verdicts
    ]
    yield Table(
        "verdicts",
        "The verdict on each metric and its evidence",
        columns,
        tuple(rows),
        ("judge_person",),
        folded=True,
    )
    alone = [one for one in cases(context) if not one.compared and one.rated_items]
    if len(alone) > 1:
        yield _one_by_one(context, alone)


def _one_by_one(context: Context, alone: Sequence[Case]) -> Table:
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("same", "Matches its person"),
        Column("kappa", "Judge–person κ", "coefficient"),
    )
    rows = []
    for one in alone:
        policy = context.study.metric(one.metric).policy
        people, verdicts = context.people(one.metric, policy), context.verdicts(one.metric, one.judge, policy)
        given = verdicts.given[people.coded.item]
        same = int((verdicts.codes[people.coded.item] == people.coded.label)[given].sum())
        kappa, n = pooled(context, one.judge, [one.metric])[policy.name], int(given.sum())
        low, _ = clopper_pearson_interval(same, n, level=context.options.level)
        sure = (
            f"all {n:,} agree, so resampling cannot show doubt; exact agreement is at least "
            f"{percent(float(low))}"
        )
        rows.append(
            Row(
                {
                    "metric": context.study.metric(one.metric).label,
                    "judge": context.study.raters[one.judge].id,
                    "same": f"{same:,} of {n:,}",
                    "kappa": kappa,
                },
                Evidence(metric=one.metric),
                sure if same == n else "",
            )
        )
    return Table(
        "one_by_one",
        f"The {len(alone):,} single-rated metrics, one by one",
        columns,
        tuple(rows),
        ("kappa",),
        folded=True,
    )


def _names(context: Context, one: StandIn) -> str:
    return listing([context.study.metric(name).label for name in one.metrics], most=4)


def settling_actions(context: Context, verdicts: Sequence[StandIn]) -> Iterator[Action]:
    """What would settle open verdicts: second raters, then the metrics that need fewest labels."""
    open_ones = [one for one in verdicts if one.answer == "cannot tell" and one.labels_to_settle]
    for one in open_ones:
        if one.reason == ONE_RATER:
            what = f"Second rater, blind, on {count(one.rated_items, 'single-rated item')}"
            why = f"Makes person–person agreement measurable on {count(len(one.metrics), 'metric')}."
            yield _settling(one, what, why)
    several = sorted(
        (one for one in open_ones if one.reason != ONE_RATER), key=lambda one: one.labels_to_settle
    )
    several_judges = len({one.judge for one in several}) > 1
    for one in several[:MOST_ACTIONS]:
        now = f"the answer now rests on {count(one.n_items, 'item')}."
        judge = f", for {one.judge}" if several_judges else ""
        what = f"More labels on {_names(context, one)}{judge}"
        _, settles = reach_needed(one.difference.defined, one.n_items, context.options.margin)
        would = (
            "would settle it, if the difference stays as it is"
            if settles
            else f"would narrow the difference to within {number(context.options.margin or 0.10)}"
        )
        yield _settling(one, what, f"{capital(one.settle)} {would}; {now}")


def _settling(one: StandIn, what: str, why: str) -> Action:
    labels = one.labels_to_settle
    return Action(what, why, count(labels, "label"), gain=len(one.metrics) * min(1.0, 100 / labels))
