"""One rater beside the others: agreement with and without them, and how they agree with the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.limits import capped, within
from voirdire.checks.options import AuditOptions
from voirdire.checks.panels import several, subset
from voirdire.checks.people_agreement import resampled
from voirdire.checks.scales import alpha_level, weights
from voirdire.review.agreement import labels_so_far
from voirdire.review.desk import Desk, Round
from voirdire.stats import Coded, Estimate, KrippendorffAlpha, undefined
from voirdire.stats.leave_rater_out import leave_one_rater_out
from voirdire.study import Panel

__all__ = ["OneRater", "one_rater"]


@dataclass(frozen=True)
class OneRater:
    """Krippendorff's alpha on a metric with a rater and ``without``, for these raters on new items.

    ``same`` is the share of the others' labels of the same items that are the rater's own, ``kappa`` the same
    corrected for chance. ``n_labels`` are the rater's.
    """

    metric: str
    n_labels: int
    alpha: Estimate
    without: Estimate
    same: Estimate
    kappa: Estimate


def one_rater(desk: Desk, round_: Round, rater_id: str) -> tuple[OneRater, ...]:
    """What a rater's labels do to the agreement on each metric on which they gave any."""
    study = labels_so_far(desk, round_)
    if study is None:
        return ()
    code = next((k for k, rater in enumerate(study.raters) if rater.id == rater_id), -1)
    context = Context(study, AuditOptions())
    panels = [context.people(metric.name, context.policies(metric.name)[0]) for metric in study.metrics]
    return tuple(_one(context, panel, code) for panel in panels if code in panel.raters)


def _one(context: Context, panel: Panel, code: int) -> OneRater:
    coded = panel.coded
    place = int(np.flatnonzero(panel.raters == code)[0])
    theirs = coded.rater == place
    beside = leave_one_rater_out(coded, **weights(panel.scale))
    mine = next(each for each in beside if each.rater == place)
    return OneRater(
        panel.metric.name,
        int(theirs.sum()),
        _alpha(context, panel, coded),
        _alpha(context, panel, subset(coded, ~theirs)[0]),
        within(mine.agreement),
        capped(mine.coefficient),
    )


def _alpha(context: Context, panel: Panel, coded: Coded) -> Estimate:
    if not several(coded).any():
        return undefined("no_pairable_items")
    chosen = {"alpha": KrippendorffAlpha(level=alpha_level(panel.scale))}
    return resampled(context, coded, chosen, f"people {panel.metric.name}")["alpha"]
