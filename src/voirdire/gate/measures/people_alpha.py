"""Human-human agreement beyond chance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from voirdire.checks.context import Context
from voirdire.checks.people_agreement import agreed
from voirdire.gate.cases import chosen
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register
from voirdire.stats.estimate import undefined

__all__ = ["PeopleAlpha"]


@register("measure", "people_alpha")
class PeopleAlpha:
    """Krippendorff's alpha among people on each metric; not measurable with one rater an item."""

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a metric that people rated."""
        _, metrics = chosen(context, rule)
        found = agreed(context)
        for name in context.audited():
            if name in metrics:
                alpha = found[name].alpha if name in found else undefined("insufficient_raters")
                n = alpha.n_clusters or alpha.n_pairable_items or alpha.n_items
                yield Measured(
                    context.study.metric(name).label, alpha, n=n, unit="items that several people rated"
                )
