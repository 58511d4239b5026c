"""A judge's agreement with itself over runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.panels import several, unanimous
from voirdire.checks.shares import share_of
from voirdire.checks.stability import repeats
from voirdire.gate.cases import about, chosen
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register
from voirdire.stats.estimate import undefined

__all__ = ["Retest"]


@register("measure", "retest")
class Retest:
    """The share of items on which all runs of a judge gave one verdict: reliability, not correctness."""

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a judge and scale; without repeats it is not measurable."""
        judges, _ = chosen(context, rule)
        for judge in judges:
            found = repeats(context, judge)
            if not found:
                yield Measured(
                    about(context, judge), undefined("no_pairable_items"), unit="items judged twice"
                )
            for one in found:
                used = several(one.coded)
                groups = None if one.coded.cluster is None else one.coded.cluster[used].astype(np.intp)
                share = share_of(unanimous(one.coded)[used], cluster=groups, level=context.options.level)
                yield Measured(about(context, judge), share, n=int(used.sum()), unit="items judged twice")
