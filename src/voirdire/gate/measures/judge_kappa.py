"""Judge-person agreement beyond chance, under every mapping of indeterminate labels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from voirdire.checks.context import Context
from voirdire.checks.limits import capped
from voirdire.gate.cases import compared
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register
from voirdire.stats.estimate import Estimate, undefined

__all__ = ["JudgeKappa"]


@register("measure", "judge_kappa")
class JudgeKappa:
    """The judge's agreement with people beyond chance, on items that several people rated.

    It weighs disagreement as the audit's judge-person figure does. Where labels are indeterminate each way of
    counting them is a case of its own. A judge that never contradicted anyone leaves no spread to build an
    interval from: its lower end is then that after one more item on which it contradicts everyone.
    """

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a judge, metric and policy."""
        for case, words in compared(context, rule):
            if not case.compared:
                yield Measured(words, undefined("insufficient_raters", n_items=case.n_items), n=case.n_items)
            for policy, pair in case.compared.items():
                named = f"{words}, {policy}" if len(case.compared) > 1 else words
                found = capped(_with_end(pair.judge, case.harder[policy].judge))
                yield Measured(named, found, n=pair.n_clusters)


def _with_end(judge: Estimate, harder: Estimate) -> Estimate:
    """The judge's figure; without spread, with the lower end that one more contradiction would leave."""
    if judge.has_interval or math.isnan(judge.value) or not harder.has_interval:
        return judge
    return replace(judge, low=harder.low, high=judge.value, no_interval=None, method="one contradiction more")
