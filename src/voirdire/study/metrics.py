"""The metrics of a study: what is declared of each, on the scale that its labels have."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from fnmatch import fnmatchcase

from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.study.config import MetricConfig, StudyConfig
from voirdire.study.faults import Faults
from voirdire.study.long import Long
from voirdire.study.metric import Metric, Polarity
from voirdire.study.policy import KEPT_APART, Policy, policies
from voirdire.study.scale import Scale

__all__ = ["declare_metrics"]


def declare_metrics(
    long: Long, scales: Sequence[Scale], polarity: Column | None, config: StudyConfig
) -> tuple[Metric, ...]:
    """Every metric of the ratings, in order of first appearance; ``polarity`` has one value a metric.

    A declared metric without a rating, a policy or a tie that the scale does not know are users' errors.
    """
    names = long.columns["metric"].values
    _check_declared(names, list(config.metrics))
    metrics = []
    for code, (name, scale) in enumerate(zip(names, scales, strict=True)):
        declared = config.metric(name)
        metrics.append(
            Metric(
                name=name,
                scale=scale,
                title=declared.title,
                policy=_policy(name, scale, declared),
                tie=_tie(name, scale, declared),
                polarity=declared.polarity or _polarity(None if polarity is None else polarity[code]),
                rubric=declared.rubric,
                present=tuple(declared.present),
                absent=tuple(declared.absent),
                group=declared.group,
                forced=_forced(name, names, declared),
            )
        )
    return tuple(metrics)


def _check_declared(names: Sequence[str], declared: Sequence[str]) -> None:
    faults = Faults()
    known = set(names)
    for pattern in declared:
        if pattern == "*" or pattern in known or any(fnmatchcase(name, pattern) for name in names):
            continue
        near = difflib.get_close_matches(pattern, names, n=1)
        faults.add(
            f"no rating is on metric '{pattern}'",
            where="metrics",
            expected=f"one of {', '.join(names[:20])}",
            fix=f"did you mean '{near[0]}'?" if near else "",
        )
    faults.check()


def _policy(name: str, scale: Scale, declared: MetricConfig) -> Policy:
    known = [policy.name for policy in policies(scale)]
    chosen = declared.policy or KEPT_APART
    if chosen not in known:
        raise UserError(
            f"no policy '{chosen}'", where=f"metric '{name}'", expected=f"one of {', '.join(known)}"
        )
    return Policy(chosen)


def _tie(name: str, scale: Scale, declared: MetricConfig) -> str | None:
    if declared.tie and declared.tie not in scale.labels:
        raise UserError(
            f"tie names '{declared.tie}', which the scale does not list",
            where=f"metric '{name}'",
            expected=f"one of {', '.join(scale.labels)}",
        )
    return declared.tie or None


def _forced(name: str, names: Sequence[str], declared: MetricConfig) -> str:
    if declared.forced and (declared.forced == name or declared.forced not in names):
        others = [other for other in names if other != name]
        near = difflib.get_close_matches(declared.forced, others, n=1)
        raise UserError(
            f"forced names '{declared.forced}', which is no other metric",
            where=f"metric '{name}'",
            expected=f"one of {', '.join(others[:20]) or 'none'}",
            fix=f"did you mean '{near[0]}'?" if near else "",
        )
    return declared.forced


def _polarity(text: str | None) -> Polarity:
    if text == "positive":
        return "positive"
    return "negative" if text == "negative" else ""
