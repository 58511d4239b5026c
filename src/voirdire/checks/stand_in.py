"""May the judge stand in for people? Answered by a printed rule, metric by metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.finding import Bounds, Evidence, Finding
from voirdire.checks.limits import capped
from voirdire.checks.scales import weights_named
from voirdire.checks.stand_in_cases import Case, cases, pooled
from voirdire.checks.stand_in_groups import grouped
from voirdire.checks.stand_in_rule import (
    MEANING,
    NO_JUDGE,
    NO_PEOPLE,
    NO_SHARED,
    ONE_RATER,
    decide,
    items_needed,
    reason,
    rule,
)
from voirdire.checks.stand_in_tables import settling_actions, verdict_tables
from voirdire.checks.verdict import StandIn
from voirdire.checks.words import count, number
from voirdire.registry import register
from voirdire.stats import Estimate, undefined
from voirdire.stats.multiplicity import false_coverage_level

__all__ = ["stand_in", "stand_ins"]

ALONE = Bounds({"kept apart": undefined("insufficient_raters")})
NOTHING = Bounds({"kept apart": undefined("no_labels")})


@dataclass(frozen=True)
class _Settled:
    """What would settle an answer: in words, and in labels."""

    words: str
    labels: int


def stand_ins(context: Context) -> tuple[StandIn, ...]:
    """The verdict on every judge and metric; metrics that share answer, reason and remedy in one entry."""
    return context.once("stand_ins", lambda context: tuple(grouped(context, _one_by_one(context))))


def _one_by_one(context: Context) -> tuple[StandIn, ...]:
    """The same before metrics with several raters are put together."""
    return context.once("stand_ins one by one", lambda context: tuple(_stand_ins(context)))


@register("check", "stand_in")
def stand_in(context: Context) -> Finding | None:
    """May the judge stand in for people, on which metrics, and what is unknown?"""
    verdicts = stand_ins(context)
    if not verdicts:
        return None
    scales = {weights_named(context.study.metric(one.metric).scale) for one in cases(context)}
    beware = [MEANING]
    if scales:
        beware.append(
            "Judge–person and person–person agreement are one coefficient, observed disagreement against "
            f"that of chance: {'; '.join(sorted(scales))}."
        )
    level = verdicts[0].level
    if level > context.options.level + 1e-12:
        beware.append(
            f"Differences are shown at {number(100 * level, 2)} %, so that over all metrics at most "
            f"{number(100 * (1 - context.options.level), 0)} % of the answers given are expected to be "
            "wrong (Benjamini and Yekutieli)."
        )
    return Finding(
        check="stand_in",
        question="May the judge stand in for people?",
        answer=_tally(verdicts),
        tables=tuple(verdict_tables(context, _one_by_one(context))),
        beware=tuple(beware),
        actions=tuple(settling_actions(context, _one_by_one(context))),
        missing=tuple(_lacking(verdicts)),
        data={"level": level, "margin": context.options.margin, "rule": rule(context.options.margin)},
    )


def _lacking(verdicts: Sequence[StandIn]) -> Iterator[str]:
    for why, what in ((NO_JUDGE, "a judge's verdicts on"), (NO_PEOPLE, "people's labels on")):
        names = {name for one in verdicts if one.reason == why for name in one.metrics}
        if names:
            yield f"{what} {count(len(names), 'metric')}"


def _stand_ins(context: Context) -> Iterator[StandIn]:
    every = cases(context)
    compared = [one for one in every if one.compared]
    margin = context.options.margin

    def decisive(level: float) -> int:
        return sum(decide(one.differences(level), margin) != "cannot tell" for one in compared)

    q = 1 - context.options.level
    level = false_coverage_level(len(compared), decisive, q=q) if compared else context.options.level
    for one in compared:
        yield _verdict(context, one, level)
    yield from _single_rated(context, [one for one in every if not one.compared], level)
    yield from _one_sided(context, every, level)


def _verdict(context: Context, one: Case, level: float) -> StandIn:
    margin = context.options.margin
    differences = one.differences(level)
    people = [pair.people for pair in one.compared.values()]
    answer = decide(differences, margin)
    settled = _settle(one, differences, margin) if answer == "cannot tell" else _Settled("", 0)
    return StandIn(
        judge=context.study.raters[one.judge].id,
        metrics=(one.metric,),
        answer=answer,
        reason=reason(differences, people, one.n_items, margin),
        settle=settled.words,
        judge_person=Bounds({name: capped(pair.judge) for name, pair in one.compared.items()}),
        person_person=Bounds({name: capped(pair.people) for name, pair in one.compared.items()}),
        difference=Bounds(dict(zip(one.compared, differences, strict=True))),
        level=level,
        n_items=one.n_items,
        n_people=one.n_people,
        rated_items=one.rated_items,
        single_rated=one.single_rated,
        evidence=Evidence(metric=one.metric),
        labels_to_settle=settled.labels,
    )


def _settle(one: Case, differences: Sequence[Estimate], margin: float) -> _Settled:
    if any(each.undefined or not each.has_interval for each in differences):
        return _Settled("items on which labels differ", 0)
    errors = [pair.standard_error for pair in one.compared.values()]
    needed = items_needed(differences, errors, one.n_items, margin)
    if needed is None:
        return _Settled("no number of labels: the difference lies at the edge of the rule", 0)
    second = min(one.single_rated, needed - one.n_items)
    new = needed - one.n_items - second
    raters = max(one.people_per_item, 2)
    parts = [f"a second rater on {count(second, 'single-rated item')}"] if second else []
    parts += [f"{count(new, 'more item')} with {count(raters, 'person', 'people')} each"] if new else []
    return _Settled(" and ".join(parts), second + new * raters)


def _single_rated(context: Context, alone: Sequence[Case], level: float) -> Iterator[StandIn]:
    """Metrics with one person an item, or no item that both sides labelled: pooled by judge and scale."""
    groups: dict[tuple[int, object, bool], list[Case]] = {}
    for one in alone:
        groups.setdefault(
            (one.judge, context.study.metric(one.metric).scale.labels, one.rated_items > 0), []
        ).append(one)
    for (judge, _, rated), members in groups.items():
        names = tuple(one.metric for one in members)
        items = sum(one.rated_items for one in members)
        raters = _people_on(context, names)
        labels = items if rated else 0
        yield StandIn(
            judge=context.study.raters[judge].id,
            metrics=names,
            answer="cannot tell",
            reason=ONE_RATER if rated else NO_SHARED,
            settle=f"a second rater on {count(items, 'item')}"
            if rated
            else "verdicts on the items that people rated",
            judge_person=Bounds(pooled(context, judge, names)) if rated else NOTHING,
            person_person=ALONE,
            difference=ALONE,
            level=level,
            n_items=0,
            n_people=raters,
            rated_items=items,
            single_rated=sum(one.single_rated for one in members),
            evidence=Evidence(metric=names[0] if len(names) == 1 else ""),
            labels_to_settle=labels,
        )


def _one_sided(context: Context, every: Sequence[Case], level: float) -> Iterator[StandIn]:
    """Metrics that people rated and no judge did, and the reverse."""
    study, audited, judged = context.study, context.audited(), context.judged()
    unjudged = tuple(name for name in audited if name not in set(judged))
    if unjudged:
        yield _without(context, "", unjudged, NO_JUDGE, "a judge's verdicts on these items", level)
    by_judge: dict[int, list[str]] = {}
    for name in judged:
        if name not in set(audited):
            for judge in study.judges_of(name):
                by_judge.setdefault(judge, []).append(name)
    for judge, names in by_judge.items():
        yield _without(
            context,
            study.raters[judge].id,
            tuple(names),
            NO_PEOPLE,
            "two people on a sample of these items",
            level,
        )


def _without(
    context: Context, judge: str, names: tuple[str, ...], reason: str, settle: str, level: float
) -> StandIn:
    rated = 0 if reason == NO_PEOPLE else sum(context.people(name).coded.n_items for name in names)
    return StandIn(
        judge=judge,
        metrics=names,
        answer="cannot tell",
        reason=reason,
        settle=settle,
        judge_person=NOTHING,
        person_person=NOTHING,
        difference=NOTHING,
        level=level,
        n_items=0,
        n_people=0 if reason == NO_PEOPLE else _people_on(context, names),
        rated_items=rated,
        single_rated=0,
        evidence=Evidence(metric=names[0] if len(names) == 1 else ""),
    )


def _people_on(context: Context, names: Sequence[str]) -> int:
    return len(np.unique(np.concatenate([context.people(name).raters for name in names])))


def _tally(verdicts: Sequence[StandIn]) -> str:
    found = {
        answer: sum(len(one.metrics) for one in verdicts if one.answer == answer)
        for answer in ("yes", "no", "cannot tell")
    }
    return f"Yes {found['yes']:,}, no {found['no']:,}, cannot tell {found['cannot tell']:,}."
