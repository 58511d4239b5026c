"""Judge-person agreement beyond chance, under every mapping of indeterminate labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from voirdire.checks.context import Context
from voirdire.checks.limits import capped
from voirdire.gate.cases import compared
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register
from voirdire.stats.estimate import undefined

__all__ = ["JudgeAlpha"]


@register("measure", "judge_alpha")
class JudgeAlpha:
    """The judge's agreement with people beyond chance, on items that several people rated.

    Where labels are indeterminate each way of counting them is a case of its own.
    """

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a judge, metric and policy."""
        for case, words in compared(context, rule):
            if not case.compared:
                yield Measured(words, undefined("insufficient_raters", n_items=case.n_items), n=case.n_items)
            for policy, pair in case.compared.items():
                named = f"{words}, {policy}" if len(case.compared) > 1 else words
                yield Measured(named, capped(pair.judge), n=pair.n_clusters)
