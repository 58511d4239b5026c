"""Present or absent: which label of a metric's scale says that a behaviour was there."""

from __future__ import annotations

from voirdire.errors import UserError
from voirdire.study.metric import Metric

__all__ = ["PresenceLabels", "presence_labels"]

PresenceLabels = tuple[str, str]
"""The labels for present and for absent."""
PAIRS = (("present", "absent"), ("yes", "no"), ("true", "false"), ("1", "0"))
PASSING = (("pass", "fail"), ("passed", "failed"))


def presence_labels(metric: Metric, *, present: str = "", absent: str = "") -> PresenceLabels:
    """The metric's labels for present and absent: as named, or present/absent, yes/no, true/false, 1/0.

    For pass and fail the polarity decides, and only here: a wanted behaviour passes when it is present, an
    unwanted one when it is absent. Where neither tells is a user's error.

    >>> from voirdire.study.scale import Scale
    >>> presence_labels(Metric("kind", Scale("binary", ("fail", "pass")), polarity="negative"))
    ('fail', 'pass')
    """
    known = {label.casefold(): label for label in metric.scale.labels}
    if present and absent:
        unknown = [label for label in (present, absent) if label.casefold() not in known]
        if unknown:
            raise UserError(
                f"metric '{metric.name}' has no label '{unknown[0]}'",
                expected=f"one of {', '.join(metric.scale.labels)}",
            )
        return known[present.casefold()], known[absent.casefold()]
    for yes, no in PAIRS:
        if yes in known and no in known:
            return known[yes], known[no]
    for good, bad in PASSING:
        if good in known and bad in known and metric.polarity:
            there, away = (good, bad) if metric.polarity == "positive" else (bad, good)
            return known[there], known[away]
    raise UserError(
        f"cannot tell which label of metric '{metric.name}' says present",
        expected="labels present and absent, yes and no, or pass and fail with a polarity",
        fix="name them under the recipe's options: present and absent",
    )
