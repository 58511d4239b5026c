"""Which label of a metric is the good one, where that can be known without guessing."""

from __future__ import annotations

from voirdire.study.metric import Metric
from voirdire.study.scale import Scale

__all__ = ["passing", "present"]

PASS = ("pass", "passed", "yes", "true", "1", "good", "correct", "safe", "acceptable", "agree")
FAIL = ("fail", "failed", "no", "false", "0", "bad", "incorrect", "unsafe", "unacceptable", "disagree")
PRESENT, ABSENT = ("present",), ("absent",)


def present(scale: Scale) -> int | None:
    """Code of the verdict that says the behaviour is there, or None where the two verdicts do not say so.

    >>> present(Scale("binary", ("absent", "present")))
    1
    """
    return _which(scale, PRESENT, ABSENT)


def passing(metric: Metric) -> int | None:
    """Code of the passing verdict of a metric with two verdicts, or None where the labels do not tell.

    "present" passes on a metric with positive polarity and "absent" on one with negative polarity.

    >>> passing(Metric("warmth", Scale("binary", ("fail", "pass"))))
    1
    >>> passing(Metric("flattery", Scale("binary", ("present", "absent")), polarity="negative"))
    1
    """
    there = present(metric.scale)
    if there is not None:
        if not metric.polarity:
            return None
        other = next(
            metric.scale.code(one) for one in metric.scale.verdicts if metric.scale.code(one) != there
        )
        return there if metric.polarity == "positive" else other
    return _which(metric.scale, PASS, FAIL)


def _which(scale: Scale, yes: tuple[str, ...], no: tuple[str, ...]) -> int | None:
    verdicts = scale.verdicts
    if len(verdicts) != 2:
        return None
    low = [label.strip().casefold() for label in verdicts]
    for first, second in ((0, 1), (1, 0)):
        if low[first] in yes and low[second] in no:
            return scale.code(verdicts[first])
    return None
