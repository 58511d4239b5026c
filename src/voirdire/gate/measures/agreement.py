"""Raw judge-person agreement, which chance can raise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from voirdire.checks.context import Context
from voirdire.checks.panels import as_judge
from voirdire.checks.scales import weights
from voirdire.gate.cases import compared
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register
from voirdire.stats import judge_agreement

__all__ = ["Agreement"]


@register("measure", "agreement")
class Agreement:
    """The share of a person's labels that the judge gives too, on all items with both.

    A judge that always gives the commonest label can reach any floor where one label is common: a policy
    that sets one must also set one on ``judge_alpha`` or ``judge_minus_people``.
    """

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a judge, metric and policy."""
        for case, words in compared(context, rule):
            policies = context.policies(case.metric)
            for policy in policies:
                panel = context.people(case.metric, policy)
                said = as_judge(context.verdicts(case.metric, case.judge, policy))
                found = judge_agreement(
                    panel.coded, said, **weights(panel.scale), level=context.options.level
                ).agreement
                named = f"{words}, {policy.name}" if len(policies) > 1 else words
                yield Measured(named, found, n=found.n_clusters or found.n_items)
