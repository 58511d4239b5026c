"""Agreement within slices: where a pooled coefficient hides that people hardly agree within any group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from voirdire.checks.by_slice import Part, by_slice
from voirdire.checks.context import Context
from voirdire.checks.finding import Column, Evidence, Row, Table
from voirdire.checks.limits import capped
from voirdire.checks.people_agreement import agreed
from voirdire.checks.scales import alpha_level
from voirdire.checks.words import listing, number
from voirdire.stats import Estimate, KrippendorffAlpha, agreement
from voirdire.study import Panel

__all__ = ["Spread", "hidden", "spread_table", "spreads"]

HIDES = 0.10
"""How far the pooled coefficient must lie above the slices' mean before it is called out."""
FEWEST_ITEMS = 5
"""Items of a slice below which its coefficient says nothing about the pooled one."""
MOST_METRICS = 60


@dataclass(frozen=True, eq=False)
class Spread:
    """α on one metric within the values of one attribute, beside the pooled α."""

    metric: str
    title: str
    attribute: str
    pooled: Estimate
    within: tuple[tuple[Part, Estimate], ...]

    @property
    def measured(self) -> list[tuple[Part, Estimate]]:
        """The slices that have a value and enough items."""
        return [
            (part, alpha)
            for part, alpha in self.within
            if not math.isnan(alpha.value) and (alpha.n_pairable_items or 0) >= FEWEST_ITEMS
        ]

    @property
    def defined(self) -> list[float]:
        """The values of the slices that have a value and enough items."""
        return [alpha.value for _, alpha in self.measured]

    @property
    def hides(self) -> bool:
        """Whether the pooled α, itself above 0, lies above every slice's, and clearly above their mean."""
        values = self.defined
        if len(values) < 2 or not self.pooled.has_interval or self.pooled.low <= 0:
            return False
        return self.pooled.value > max(values) and self.pooled.value - sum(values) / len(values) > HIDES


def spreads(context: Context) -> tuple[Spread, ...]:
    """α within each slice of every metric that several people rated, 60 metrics at most."""
    return context.once("spreads", lambda context: tuple(_spreads(context)))


def hidden(spread: Spread) -> str:
    """The call-out for a pooled coefficient that hides low agreement within slices."""
    within = listing([f"{number(alpha.value)} ({part.value})" for part, alpha in spread.measured])
    return (
        f"{spread.title}: pooled α is {number(spread.pooled.value)}, and within {spread.attribute} it is "
        f"{within}. People agree that the groups differ, much less on items of one group."
    )


def spread_table(context: Context, found: Sequence[Spread]) -> Table:
    """One row a metric and slice."""
    columns = (
        Column("metric", "Metric"),
        Column("attribute", "By"),
        Column("value", "Slice"),
        Column("items", "Items", "count"),
        Column("alpha", "α within", "coefficient"),
        Column("pooled", "α pooled", "coefficient"),
    )
    rows = [
        Row(
            {
                "metric": one.title,
                "attribute": one.attribute,
                "value": part.value,
                "items": alpha.n_pairable_items if alpha.n_pairable_items is not None else alpha.n_items,
                "alpha": alpha,
                "pooled": one.pooled,
            },
            Evidence(metric=one.metric, where=part.where),
        )
        for one in found
        for part, alpha in one.within
    ]
    return Table(
        "people_slices",
        "Agreement among people within slices",
        columns,
        tuple(rows),
        ("alpha",),
        folded=len(rows) > 12,
    )


def _spreads(context: Context) -> list[Spread]:
    found = []
    names = list(agreed(context))
    for name in names[:MOST_METRICS]:
        panel = context.people(name, context.policies(name)[0])
        # the jackknife costs no resampling, which matters with hundreds of slices
        within = [
            (part, alpha)
            for part, alpha in by_slice(context, panel, lambda one: _alpha(context, one))
            if alpha.n_pairable_items
        ]
        for attribute, group in groupby(within, key=lambda pair: pair[0].attribute):
            found.append(
                Spread(name, panel.metric.label, attribute, agreed(context)[name].alpha, tuple(group))
            )
    return found


def _alpha(context: Context, panel: Panel) -> Estimate:
    options = {"alpha": KrippendorffAlpha(level=alpha_level(panel.scale))}
    return capped(agreement(panel.coded, options, interval="jackknife", level=context.options.level)["alpha"])
