"""Whether the judge may replace one of the people, by labels or by distribution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from voirdire.checks.context import Context
from voirdire.decide.replacement import replacement_tests
from voirdire.decide.replacement_options import ReplacementOptions
from voirdire.decide.replacement_result import Replacement
from voirdire.errors import UserError
from voirdire.gate.cases import chosen
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register

__all__ = ["ReplacementByDistribution", "ReplacementByLabels"]


def _tests(context: Context, rule: Rule) -> Iterator[tuple[str, Replacement]]:
    judges, metrics = chosen(context, rule)
    options = ReplacementOptions(
        metrics=metrics,
        judges=tuple(context.study.raters[code].id for code in judges),
        level=context.options.level,
        seed=context.options.seed,
        **rule.options,
    )
    key = ("replacement tests", options)
    for one in context.once(key, lambda context: replacement_tests(context.study, options)).tests:
        yield f"{one.judge} on {context.study.metric(one.metric).label}", one


@register("measure", "replaces_a_person_by_labels")
class ReplacementByLabels:
    """The alternative annotator test: it rewards a judge that always gives the commonest label.

    A policy should ask for ``replaces_a_person_by_distribution`` too.
    """

    is_test: ClassVar[bool] = True

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a judge and metric."""
        try:
            for words, one in _tests(context, rule):
                yield Measured(words, passes=one.passes, reason=one.no_labels)
        except UserError as problem:
            yield Measured("every judge", reason=str(problem))


@register("measure", "replaces_a_person_by_distribution")
class ReplacementByDistribution:
    """Whether the judge's aligned distribution is worth more than one more person's label."""

    is_test: ClassVar[bool] = True

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a judge and metric."""
        try:
            for words, one in _tests(context, rule):
                yield Measured(words, passes=one.passes_by_distribution, reason=one.no_distribution)
        except UserError as problem:
            yield Measured("every judge", reason=str(problem))
