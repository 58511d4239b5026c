"""By how much the judge errs towards its own or its family's outputs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from voirdire.checks.contest import preferences
from voirdire.checks.contestants import systems_named
from voirdire.checks.context import Context
from voirdire.decide.kinship import kin_of
from voirdire.decide.self_preference_result import Preference
from voirdire.gate.cases import about, chosen
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register
from voirdire.stats.estimate import Estimate, undefined

__all__ = ["SelfPreferenceMeasure"]


@register("measure", "self_preference")
class SelfPreferenceMeasure:
    """The judge's error on its own (or its family's) outputs minus that on others', as a share of the scale.

    0 is none, above 0 it favours its own. A judge that is no kin of any system passes; where no item names
    its system there is no case, and the rule cannot be told.
    """

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a judge, metric and kin."""
        judges, metrics = chosen(context, rule)
        systems = systems_named(context)
        found = preferences(context)
        for judge in judges if systems else ():
            rater = context.study.raters[judge]
            kin = kin_of(rater, systems)
            if not kin.every:
                yield Measured(about(context, judge), passes=True, reason="no system is its kin")
            tests = [one for one in found.tests if one.judge == rater.id] if found else []
            if kin.every and not tests:
                yield Measured(about(context, judge), undefined("no_labels"))
            for one in tests:
                if set(one.metrics) <= set(metrics) and (
                    not rule.systems or set(one.systems) & set(rule.systems)
                ):
                    metric = one.metrics[0] if len(one.metrics) == 1 else ""
                    words = f"{about(context, judge, metric)}, {one.kind} ({', '.join(one.systems)})"
                    yield Measured(
                        words, _share(one), reason=one.reason, n=one.n_own, unit="own outputs with labels"
                    )


def _share(one: Preference) -> Estimate:
    """The difference as a share of the distance between the lowest and the highest label."""
    if one.difference is None or not one.difference.has_interval:
        return undefined("insufficient_items", n_items=one.n_own)
    found = one.difference
    return replace(found, value=found.value / one.span, low=found.low / one.span, high=found.high / one.span)
