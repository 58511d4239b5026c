"""The judges and metrics that a rule is about."""

from __future__ import annotations

from collections.abc import Iterator

from voirdire.checks.context import Context
from voirdire.checks.stand_in_cases import Case, cases
from voirdire.errors import UserError
from voirdire.gate.policy import Rule

__all__ = ["about", "chosen", "compared"]


def chosen(context: Context, rule: Rule) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Positions of the rule's judges and names of its metrics; an unknown one is a user's error."""
    study = context.study
    judges = study.raters_of("judge")
    names = {study.raters[code].id: code for code in judges}
    unknown = [name for name in rule.judges if name not in names]
    if unknown:
        raise UserError(
            f"no judge named '{unknown[0]}'",
            where=f"rule on {rule.measure}",
            expected=f"one of {', '.join(names)}",
        )
    for name in rule.metrics:
        study.metric_index(name)
    metrics = rule.metrics or tuple(metric.name for metric in study.metrics)
    return tuple(names[name] for name in rule.judges) or judges, metrics


def compared(context: Context, rule: Rule) -> Iterator[tuple[Case, str]]:
    """Every judge and metric of the rule that people rated too, with the words for it."""
    judges, metrics = chosen(context, rule)
    for case in cases(context):
        if case.judge in judges and case.metric in metrics:
            yield case, about(context, case.judge, case.metric)


def about(context: Context, judge: int, metric: str = "") -> str:
    """A judge on a metric in words; the judge alone where there is one metric."""
    name = context.study.raters[judge].id
    return f"{name} on {context.study.metric(metric).label}" if metric else name
