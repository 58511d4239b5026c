"""Human-human agreement on each metric, its labels as given: measured once for every check that needs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from voirdire.checks.context import Context
from voirdire.checks.limits import capped
from voirdire.checks.panels import Pairs, same_label_pairs, several, values_of
from voirdire.checks.scales import alpha_level
from voirdire.stats import (
    NEW_RATERS,
    Coded,
    Estimate,
    FleissKappa,
    GwetAC,
    KrippendorffAlpha,
    KrippendorffAlphaSets,
    agreement,
)
from voirdire.stats.coefficient import Coefficient
from voirdire.stats.icc import intraclass_correlation
from voirdire.study import Panel

__all__ = ["MOST_LABELS", "Agreed", "agreed", "resampled"]

MOST_ICC = 20_000
"""Ratings of one metric beyond which ICC, the slowest coefficient by far, is not computed."""
MOST_LABELS = 30
"""Labels of a scale beyond which coefficients that count each label are left out."""


@dataclass(frozen=True, eq=False)
class Agreed:
    """Human-human agreement on one metric: ``alpha`` for these raters, ``new`` for other raters too."""

    metric: str
    n_items: int
    n_raters: int
    pairs: Pairs
    alpha: Estimate
    new: Estimate | None
    others: dict[str, Estimate]


def agreed(context: Context) -> dict[str, Agreed]:
    """Agreement on every metric that has an item with two people or more, by name."""
    return context.once("agreed", _agreed)


def resampled(
    context: Context, coded: Coded, chosen: Mapping[str, Coefficient], name: str
) -> dict[str, Estimate]:
    """Coefficients with the interval that the size of the panel calls for; ``name`` seeds the resamples."""
    resamples = context.resamples(coded.n_items)
    return agreement(
        coded,
        chosen,
        interval="percentile" if resamples else "jackknife",
        level=context.options.level,
        resamples=resamples,
        rng=context.rng(name),
    )


def _agreed(context: Context) -> dict[str, Agreed]:
    found = {}
    for name in context.audited():
        panel = context.people(name, context.policies(name)[0])
        if several(panel.coded).any():
            found[name] = _measure(context, panel)
    return found


def _measure(context: Context, panel: Panel) -> Agreed:
    coded, options, name = panel.coded, context.options, panel.metric.name
    chosen: dict[str, Coefficient] = {"alpha": KrippendorffAlpha(level=alpha_level(panel.scale))}
    if coded.q <= MOST_LABELS:
        chosen |= {"ac1": GwetAC(), "fleiss": FleissKappa()}
    if panel.scale.has_sets and coded.q <= MOST_LABELS:
        chosen["sets"] = KrippendorffAlphaSets(sets=tuple(map(panel.scale.members, panel.scale.labels)))
    figures = resampled(context, coded, chosen, f"people {name}")
    new = None
    if coded.n_raters >= 3:
        found = agreement(coded, {"alpha": chosen["alpha"]}, target=NEW_RATERS, level=options.level)
        new = capped(found["alpha"])
    alpha = figures.pop("alpha")
    values = values_of(panel.scale)
    if values is not None and panel.scale.kind in ("ordinal", "numeric") and coded.n_ratings <= MOST_ICC:
        figures["icc"] = intraclass_correlation(
            coded.item, coded.rater, values[coded.label], level=options.level
        ).absolute
    both = several(coded)
    raters = len(set(coded.rater[both[coded.item]].tolist()))
    return Agreed(name, int(both.sum()), raters, same_label_pairs(coded), alpha, new, figures)
