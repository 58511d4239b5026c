"""The share of a judge's replies without a usable verdict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.shares import share_of
from voirdire.gate.cases import about, chosen
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register

__all__ = ["Unparsed"]


@register("measure", "unparsed")
class Unparsed:
    """Replies that were unparsed, refused, cut, invalid or failed, as a share of all replies of a judge."""

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a judge, over the rule's metrics."""
        judges, metrics = chosen(context, rule)
        study = context.study
        wanted = np.isin(study.ratings.metric, [study.metric_index(name) for name in metrics])
        for judge in judges:
            rows = np.flatnonzero(wanted & (study.ratings.rater == judge))
            if len(rows):
                groups = study.items.units(study.ratings.item[rows].astype(np.intp))
                share = share_of(
                    study.ratings.label[rows] < 0, cluster=groups.astype(np.intp), level=context.options.level
                )
                yield Measured(about(context, judge), share, n=len(rows), unit="replies")
