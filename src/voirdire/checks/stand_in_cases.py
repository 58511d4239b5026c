"""The evidence for the stand-in verdicts: judge-person and person-person agreement, metric by metric, policy by policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.panels import several, stack
from voirdire.checks.scales import weights
from voirdire.stats import Coded, Estimate, JudgePerson, judge_against_people, judge_agreement
from voirdire.study import Policy

__all__ = ["Case", "case", "cases", "pooled", "stacked"]


@dataclass(frozen=True, eq=False)
class Case:
    """One judge on one metric that both it and people labelled.

    ``compared`` holds judge, people and difference on the items with several people, one entry a policy;
    ``rated_items`` have a person and a verdict, ``single_rated`` of them one person; ``n_people`` rated them.
    """

    judge: int
    metric: str
    compared: dict[str, JudgePerson]
    n_items: int
    n_people: int
    rated_items: int
    single_rated: int

    def differences(self, level: float) -> list[Estimate]:
        """Judge minus person agreement at ``level``, one estimate a policy."""
        return [pair.difference_at(level) for pair in self.compared.values()]


def cases(context: Context) -> tuple[Case, ...]:
    """Every judge on every metric that it and people labelled, judge by judge, in declared order of the metrics."""
    return context.once("cases", _cases)


def case(context: Context, judge: int, metric: str) -> Case:
    """The evidence on one judge and one metric."""
    policy = context.policies(metric)[0]
    people = context.people(metric, policy)
    given = context.verdicts(metric, judge, policy).given
    raters = people.raters_per_item[given]
    both = given & several(people.coded)
    compared = {}
    if both.any():
        for each in context.policies(metric):
            compared[each.name] = _compare(context, judge, metric, each)
    on_shared = both[people.coded.item] if both.any() else given[people.coded.item]
    return Case(
        judge,
        metric,
        compared,
        int(both.sum()),
        len(np.unique(people.coded.rater[on_shared])),
        int(given.sum()),
        int((raters == 1).sum()),
    )


def pooled(context: Context, judge: int, metrics: Sequence[str]) -> dict[str, Estimate]:
    """Judge-person agreement over all items of ``metrics``, which share one scale; one estimate a policy."""
    found = {}
    for policy in context.policies(metrics[0]):
        coded, shares = stacked(context, judge, metrics, policy)
        scale, _ = policy.apply(context.study.metric(metrics[0]).scale)
        found[policy.name] = judge_agreement(
            coded, shares, **weights(scale), level=context.options.level
        ).coefficient
    return found


def _cases(context: Context) -> tuple[Case, ...]:
    study = context.study
    audited = set(context.audited())
    pairs = [(judge, name) for name in context.judged() if name in audited for judge in study.judges_of(name)]
    return tuple(case(context, judge, name) for judge, name in sorted(pairs, key=lambda pair: pair[0]))


def _compare(context: Context, judge: int, metric: str, policy: Policy) -> JudgePerson:
    panel, verdicts = context.people(metric, policy), context.verdicts(metric, judge, policy)
    return judge_against_people(
        panel.coded,
        verdicts.shares,
        **weights(panel.scale),
        level=context.options.level,
        resamples=context.options.resamples,
        rng=context.rng(f"stand in {context.study.raters[judge].id} {metric} {policy.name}"),
    )


def stacked(
    context: Context, judge: int, metrics: Sequence[str], policy: Policy
) -> tuple[Coded, NDArray[np.float64]]:
    """The people's labels on several metrics as one panel, and the judge's shares on its items."""
    coded, _ = stack([context.people(name, policy) for name in metrics], context.study.items.cluster)
    return coded, np.concatenate([context.verdicts(name, judge, policy).shares for name in metrics])
