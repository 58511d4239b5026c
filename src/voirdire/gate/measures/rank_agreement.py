"""How alike the judge and people rank systems: Kendall's tau-b."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from voirdire.checks.context import Context
from voirdire.checks.systems import ranked_systems
from voirdire.gate.cases import about, chosen
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register

__all__ = ["RankAgreement"]


@register("measure", "rank_agreement")
class RankAgreement:
    """Kendall's tau-b of the judge's ranking of systems and people's, on the items that both labelled.

    Its interval takes every pair of systems that is not told apart by both as open: few systems, or close
    ones, need many labels before it clears a floor.
    """

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a judge and metric on which two systems have enough items."""
        judges, metrics = chosen(context, rule)
        known = {context.study.raters[code].id: code for code in judges}
        found = ranked_systems(context)
        for one in found.judged if found else ():
            if one.judge in known and len(one.metrics) == 1 and one.metrics[0] in metrics:
                yield Measured(about(context, known[one.judge], one.metrics[0]), one.tau, n=one.n_rows)
