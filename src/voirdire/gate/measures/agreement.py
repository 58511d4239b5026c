"""Raw judge-person agreement, which chance can raise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.panels import as_judge
from voirdire.checks.shares import share_of
from voirdire.gate.cases import compared
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register
from voirdire.stats.coded import Coded
from voirdire.stats.estimate import undefined

__all__ = ["Agreement"]


@register("measure", "agreement")
class Agreement:
    """The share of an item's labels that the judge gives too, mean over all items with both.

    Only the same label counts, on ordered and numeric scales too.

    A judge that always gives the commonest label can reach any floor where one label is common: a policy
    that sets one must also set one on ``judge_kappa`` or ``judge_minus_people``.
    """

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a judge, metric and policy."""
        for case, words in compared(context, rule):
            if case.other_scale:
                yield Measured(words, undefined("scale_mismatch"))
                continue
            policies = context.policies(case.metric)
            for policy in policies:
                panel = context.people(case.metric, policy)
                verdicts = context.verdicts(case.metric, case.judge, policy)
                same = _same(panel.coded, as_judge(verdicts))
                both = verdicts.given & ~np.isnan(same)
                groups = None if panel.coded.cluster is None else panel.coded.cluster[both].astype(np.intp)
                found = share_of(same[both], cluster=groups, level=context.options.level)
                named = f"{words}, {policy.name}" if len(policies) > 1 else words
                yield Measured(named, found, n=found.n_clusters or found.n_items)


def _same(coded: Coded, judge: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of each item's labels that are the judge's, (n_items,), NaN where nobody labelled it."""
    hit = judge[coded.item] == coded.label if judge.ndim == 1 else judge[coded.item, coded.label]
    n = coded.ratings_per_item()
    with np.errstate(invalid="ignore"):
        return np.bincount(coded.item, hit, minlength=coded.n_items) / n
