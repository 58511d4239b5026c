"""The evidence for the verdicts: judge-person and person-person agreement under every policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.limits import capped
from voirdire.checks.one_more import cautious, one_more
from voirdire.checks.panels import as_judge, several, stack, values_of
from voirdire.checks.scales import weights
from voirdire.stats import (
    Coded,
    Estimate,
    JudgePerson,
    judge_against_people,
    judge_agreement,
    undefined,
)
from voirdire.study import Policy, Verdicts

__all__ = ["Case", "case", "cases", "pooled", "pooled_pairs", "stacked"]

MOST_OUTSIDE = 0.95
"""A judge with as large a share of verdicts outside what people say answers on another scale."""


@dataclass(frozen=True, eq=False)
class Case:
    """One judge on one metric that both it and people labelled.

    ``compared`` holds judge, people and difference on the items with several people, one entry a policy;
    ``rated_items`` have a person and a verdict, ``single_rated`` of them one person; ``n_people`` rated them,
    typically ``people_per_item`` an item where several did.
    ``harder`` is the same after one more item on which the judge contradicts everyone. Where the judge
    answers on another scale (``other_scale``) its agreement is undefined: such labels can agree with nobody.
    """

    judge: int
    metric: str
    compared: dict[str, JudgePerson]
    n_items: int
    n_people: int
    people_per_item: int
    rated_items: int
    single_rated: int
    harder: dict[str, JudgePerson]
    other_scale: bool = False

    def differences(self, level: float) -> list[Estimate]:
        """Judge minus person agreement at ``level``, one estimate a policy; see :func:`cautious`."""
        return [cautious(pair, self.harder[name], level) for name, pair in self.compared.items()]


def cases(context: Context) -> tuple[Case, ...]:
    """Every judge on every metric that it and people labelled, in the order of judges and metrics."""
    return context.once("cases", _cases)


def case(context: Context, judge: int, metric: str) -> Case:
    """The evidence on one judge and one metric."""
    policy = context.policies(metric)[0]
    people = context.people(metric, policy)
    given = context.verdicts(metric, judge, policy).given
    raters = people.raters_per_item[given]
    both = given & several(people.coded)
    compared: dict[str, JudgePerson] = {}
    harder: dict[str, JudgePerson] = {}
    if both.any():
        for each in context.policies(metric):
            compared[each.name], harder[each.name] = _compare(context, judge, metric, each)
    on_shared = both[people.coded.item] if both.any() else given[people.coded.item]
    return Case(
        judge,
        metric,
        compared,
        int(both.sum()),
        len(np.unique(people.coded.rater[on_shared])),
        round(float(people.raters_per_item[both].mean())) if both.any() else 0,
        int(given.sum()),
        int((raters == 1).sum()),
        harder,
        _on_another_scale(context, judge, metric),
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


def _compare(context: Context, judge: int, metric: str, policy: Policy) -> tuple[JudgePerson, JudgePerson]:
    panel, verdicts = context.people(metric, policy), context.verdicts(metric, judge, policy)
    said, weighing, level = as_judge(verdicts), weights(panel.scale), context.options.level
    pair = judge_against_people(
        panel.coded,
        said,
        **weighing,
        level=level,
        resamples=context.resamples(panel.coded.n_items),
        rng=context.rng(f"stand in {context.study.raters[judge].id} {metric} {policy.name}"),
    )
    harder = one_more(panel.coded, said, weighing, level=level)
    if _on_another_scale(context, judge, metric):
        return _not_comparable(pair), _not_comparable(harder)
    return pair, harder


def _on_another_scale(context: Context, judge: int, metric: str) -> bool:
    """Whether nearly all verdicts are labels that no person gave, for numbers beyond the range of people's.

    Both sides must have used two labels: one label that only a judge gives may be of the same scale.
    """
    people, verdicts = context.people(metric), context.verdicts(metric, judge)
    said, given = verdicts.codes[verdicts.given], people.coded.label
    if len(np.unique(said)) < 2 or len(np.unique(given)) < 2:
        return False
    values = values_of(people.scale)
    if values is None:
        outside = ~np.isin(said, given)
    else:
        outside = (values[said] < values[given].min()) | (values[said] > values[given].max())
    return bool(outside.mean() >= MOST_OUTSIDE)


def _not_comparable(pair: JudgePerson) -> JudgePerson:
    nothing = undefined("scale_mismatch", n_items=pair.n_items, n_ratings=pair.n_ratings)
    return replace(pair, judge=nothing, difference=nothing, judge_agreement=nothing)


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

    return context.once(("pooled", judge, tuple(metrics)), compute)


def stacked(
    context: Context, judge: int, metrics: Sequence[str], policy: Policy
) -> tuple[Coded, NDArray[np.int64] | NDArray[np.float64]]:
    """The people's labels on several metrics as one panel, and the judge's codes or shares on its items."""
    coded, _ = stack([context.people(name, policy) for name in metrics], context.study.items.cluster)
    verdicts = [context.verdicts(name, judge, policy) for name in metrics]
    starts = np.cumsum([0, *(one.n_items for one in verdicts)]).tolist()
    item = np.concatenate([one.item + start for one, start in zip(verdicts, starts, strict=False)])
    label = np.concatenate([one.label for one in verdicts])
    return coded, as_judge(Verdicts(judge, verdicts[0].scale, item, label, starts[-1]))
