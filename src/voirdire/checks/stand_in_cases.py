"""The evidence for the stand-in verdicts: judge-person and person-person agreement, metric by metric,
policy by policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.limits import capped
from voirdire.checks.panels import as_judge, several, stack
from voirdire.checks.scales import weights
from voirdire.stats import (
    Coded,
    Estimate,
    JudgePerson,
    agreement_weights,
    judge_against_people,
    judge_agreement,
)
from voirdire.study import Policy, Verdicts

__all__ = ["Case", "case", "cases", "pooled", "pooled_pairs", "stacked", "without_disagreement"]


@dataclass(frozen=True, eq=False)
class Case:
    """One judge on one metric that both it and people labelled.

    ``compared`` holds judge, people and difference on the items with several people, one entry a policy;
    ``rated_items`` have a person and a verdict, ``single_rated`` of them one person; ``n_people`` rated them.
    ``chance`` is the judge's disagreement by chance under those policies where it never disagreed with
    anybody.
    """

    judge: int
    metric: str
    compared: dict[str, JudgePerson]
    n_items: int
    n_people: int
    rated_items: int
    single_rated: int
    chance: dict[str, float]

    def differences(self, level: float) -> list[Estimate]:
        """Judge minus person agreement at ``level``, one estimate a policy."""
        return [
            without_disagreement(pair, self.chance[name], level)
            if name in self.chance
            else pair.difference_at(level)
            for name, pair in self.compared.items()
        ]


def cases(context: Context) -> tuple[Case, ...]:
    """Every judge on every metric that it and people labelled, judge by judge, in declared order of the
    metrics.
    """
    return context.once("cases", _cases)


def case(context: Context, judge: int, metric: str) -> Case:
    """The evidence on one judge and one metric."""
    policy = context.policies(metric)[0]
    people = context.people(metric, policy)
    given = context.verdicts(metric, judge, policy).given
    raters = people.raters_per_item[given]
    both = given & several(people.coded)
    compared: dict[str, JudgePerson] = {}
    chance: dict[str, float] = {}
    if both.any():
        for each in context.policies(metric):
            compared[each.name] = pair = _compare(context, judge, metric, each)
            if pair.judge_agreement.value == 1 and pair.judge.undefined is None:
                chance[each.name] = _chance_disagreement(context, judge, metric, each)
    on_shared = both[people.coded.item] if both.any() else given[people.coded.item]
    return Case(
        judge,
        metric,
        compared,
        int(both.sum()),
        len(np.unique(people.coded.rater[on_shared])),
        int(given.sum()),
        int((raters == 1).sum()),
        chance,
    )


def without_disagreement(pair: JudgePerson, chance: float, level: float) -> Estimate:
    """The difference where judge and people never disagreed: 0, with an exact interval.

    No resample of such items has a spread, yet n items without one disagreement allow a disagreement of up to
    1 - (alpha / 2)^(1/n) (Clopper & Pearson 1934), which over the ``chance`` disagreement bounds the
    coefficients.
    """
    most = (1 - ((1 - level) / 2) ** (1 / max(pair.n_clusters, 1))) / chance
    return replace(
        pair.difference,
        low=-most,
        high=most,
        level=level,
        method="exact, no disagreement seen",
        no_interval=None,
    )


def pooled(context: Context, judge: int, metrics: Sequence[str]) -> dict[str, Estimate]:
    """Judge-person agreement over all items of ``metrics``, which share one scale; one estimate a policy."""
    found = {}
    for policy in context.policies(metrics[0]):
        coded, shares = stacked(context, judge, metrics, policy)
        scale, _ = policy.apply(context.study.metric(metrics[0]).scale)
        one = judge_agreement(coded, shares, **weights(scale), level=context.options.level)
        found[policy.name] = capped(one.coefficient)
    return found


def _cases(context: Context) -> tuple[Case, ...]:
    study = context.study
    audited = set(context.audited())
    pairs = [(judge, name) for name in context.judged() if name in audited for judge in study.judges_of(name)]
    return tuple(case(context, judge, name) for judge, name in sorted(pairs, key=lambda pair: pair[0]))


def _chance_disagreement(context: Context, judge: int, metric: str, policy: Policy) -> float:
    panel, shares = context.people(metric, policy), context.verdicts(metric, judge, policy).shares
    items = several(panel.coded) & (shares.sum(axis=1) > 0)
    counts = panel.coded.counts()[items]
    people = (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
    v = 1 - agreement_weights(panel.coded, **weights(panel.scale))
    return float(shares[items].mean(axis=0) @ v @ people)


def _compare(context: Context, judge: int, metric: str, policy: Policy) -> JudgePerson:
    panel, verdicts = context.people(metric, policy), context.verdicts(metric, judge, policy)
    return judge_against_people(
        panel.coded,
        as_judge(verdicts),
        **weights(panel.scale),
        level=context.options.level,
        resamples=context.resamples(panel.coded.n_items),
        rng=context.rng(f"stand in {context.study.raters[judge].id} {metric} {policy.name}"),
    )


def pooled_pairs(context: Context, judge: int, metrics: Sequence[str]) -> dict[str, JudgePerson]:
    """Judge and people over all items of ``metrics`` with several people, one comparison a policy."""

    def compute(context: Context) -> dict[str, JudgePerson]:
        found = {}
        for policy in context.policies(metrics[0]):
            coded, shares = stacked(context, judge, metrics, policy)
            scale, _ = policy.apply(context.study.metric(metrics[0]).scale)
            found[policy.name] = judge_against_people(
                coded,
                shares,
                **weights(scale),
                level=context.options.level,
                resamples=context.resamples(coded.n_items),
                rng=context.rng(f"pooled {judge} {metrics[0]} {policy.name}"),
            )
        return found

    return context.once(f"pooled {judge} {' '.join(metrics)}", compute)


def stacked(
    context: Context, judge: int, metrics: Sequence[str], policy: Policy
) -> tuple[Coded, NDArray[np.int64] | NDArray[np.float64]]:
    """The people's labels on several metrics as one panel, and the judge's codes or shares on its items."""
    coded, _ = stack([context.people(name, policy) for name in metrics], context.study.items.cluster)
    verdicts = [context.verdicts(name, judge, policy) for name in metrics]
    return coded, as_judge(
        Verdicts(judge, verdicts[0].scale, np.concatenate([one.counts for one in verdicts]))
    )
