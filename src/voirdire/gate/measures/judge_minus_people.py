"""Judge-person agreement less person-person agreement, as the audit's verdict uses it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from voirdire.checks.context import Context
from voirdire.gate.cases import compared
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register
from voirdire.stats.estimate import undefined

__all__ = ["JudgeMinusPeople"]


@register("measure", "judge_minus_people")
class JudgeMinusPeople:
    """How far the judge agrees with people less, or more, than people agree with each other.

    The lower end must also hold after one more item on which the judge contradicts everyone, as in the
    audit's verdict.
    """

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a judge, metric and policy."""
        for case, words in compared(context, rule):
            if not case.compared:
                yield Measured(words, undefined("insufficient_raters", n_items=case.n_items), n=case.n_items)
            differences = case.differences(context.options.level)
            for (policy, pair), difference in zip(case.compared.items(), differences, strict=True):
                named = f"{words}, {policy}" if len(case.compared) > 1 else words
                yield Measured(named, difference, n=pair.n_clusters)
