"""How many items several people rated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from voirdire.checks.context import Context
from voirdire.checks.panels import several
from voirdire.gate.cases import chosen
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register
from voirdire.stats.estimate import Estimate

__all__ = ["SeveralPeople"]


@register("measure", "several_people")
class SeveralPeople:
    """Items of each metric that two people or more rated: what agreement and ceilings rest on."""

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a metric that people rated."""
        _, metrics = chosen(context, rule)
        for name in context.audited():
            if name in metrics:
                n = int(several(context.people(name).coded).sum())
                yield Measured(context.study.metric(name).label, Estimate(float(n), n_items=n), exact=True)
