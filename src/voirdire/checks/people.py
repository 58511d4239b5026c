"""How far do people agree? Human-human agreement by metric, read on its interval, and where it varies."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from voirdire.checks.context import Context
from voirdire.checks.finding import Bounds, Cell, Column, Evidence, Finding, Missing, Row, Table
from voirdire.checks.limits import capped
from voirdire.checks.people_agreement import Agreed, agreed, resampled
from voirdire.checks.people_spread import Spread, hidden, spread_table, spreads
from voirdire.checks.reading import TITLES, band, reading
from voirdire.checks.scales import alpha_level
from voirdire.checks.words import count, listing, number, percent, spoken
from voirdire.registry import register
from voirdire.stats import Estimate, KrippendorffAlpha
from voirdire.study import Policy

__all__ = ["people"]


@register("check", "people")
def people(context: Context) -> Finding | None:
    """Human-human agreement by metric; one-rater metrics are said to be not measurable."""
    if not context.audited():
        return None
    found, spread = agreed(context), spreads(context)
    alone = [name for name in context.audited() if name not in found]
    tables = [_table(context, list(found.values()), alone)]
    tables += [
        table for table in (_policies(context, list(found)), spread_table(context, spread)) if table.rows
    ]
    return Finding(
        check="people",
        question="How far do people agree?",
        answer=_answer(context, list(found.values()), alone),
        tables=tuple(tables),
        beware=tuple(_bewares(context, list(found.values()), spread)),
        missing=(f"a second rater on {count(len(alone), 'metric')}",) if alone else (),
        data={name: {"same_pairs": one.pairs.same, "pairs": one.pairs.total} for name, one in found.items()},
    )


def _table(context: Context, found: Sequence[Agreed], alone: Sequence[str]) -> Table:
    columns = [
        Column("metric", "Metric"),
        Column("items", "Items", "count"),
        Column("raters", "People", "count"),
        Column("pairs", "Same label, pairs"),
        Column("alpha", "α", "coefficient"),
        Column("reading", f"Reading ({TITLES[context.options.reading]})"),
        Column("new", "α for new raters too", "coefficient"),
    ]
    titles = {"ac1": "AC1", "fleiss": "Fleiss κ", "icc": "ICC(A,1)", "sets": "α, response sets (MASI)"}
    used = [key for key in titles if any(key in one.others for one in found)]
    columns += [Column(key, titles[key], "coefficient") for key in used]
    rows = [_row(context, one) for one in sorted(found, key=lambda one: _order(one.alpha))]
    if alone:
        items = sum(context.people(name, context.policies(name)[0]).coded.n_items for name in alone)
        name = (
            context.study.metric(alone[0]).label
            if len(alone) == 1
            else f"{len(alone):,} {'other ' if found else ''}metrics"
        )
        cells: dict[str, Cell] = {"metric": name, "items": items, "raters": 1}
        rows.append(
            Row(
                cells | {"alpha": Missing("not measurable", "one rater per item")},
                Evidence(alone[0] if len(alone) == 1 else ""),
            )
        )
    levels = listing(sorted({alpha_level(context.study.metric(one.metric).scale) for one in found}))
    caption = (
        f"Agreement among people, labels as given; Krippendorff's α, {levels}"
        if found
        else "Agreement among people"
    )
    return Table("people", caption, tuple(columns), tuple(rows), ("alpha",))


def _row(context: Context, one: Agreed) -> Row:
    metric = context.study.metric(one.metric)
    same = f"{one.pairs.same:,} of {one.pairs.total:,}, {percent(one.pairs.share, one.pairs.total)}"
    cells: dict[str, Cell] = {
        "metric": metric.label,
        "items": one.n_items,
        "raters": one.n_raters,
        "pairs": same,
        "alpha": one.alpha,
        "reading": reading(one.alpha, context.options.reading),
        "new": one.new or Missing("not estimated", "needs three raters"),
    }
    return Row(cells | dict(one.others), Evidence(metric=one.metric))


def _order(alpha: Estimate) -> float:
    return math.inf if math.isnan(alpha.value) else alpha.value


def _policies(context: Context, names: Sequence[str]) -> Table:
    """α under every mapping, for the metrics that have indeterminate labels."""
    rows = []
    for name in names:
        policies = context.policies(name)
        if len(policies) > 1:
            as_given = {policies[0].name: agreed(context)[name].alpha}
            by_policy = as_given | {policy.name: _alpha(context, name, policy) for policy in policies[1:]}
            cells: dict[str, Cell] = {"metric": context.study.metric(name).label, "range": Bounds(by_policy)}
            rows.append(Row(cells | dict(by_policy), Evidence(metric=name)))
    every = dict.fromkeys(policy.name for name in names for policy in context.policies(name))
    columns = [Column("metric", "Metric"), Column("range", "α, range", "coefficient")]
    columns += [Column(policy, policy.capitalize(), "coefficient") for policy in every]
    return Table(
        "people_policies",
        "α under every mapping of indeterminate labels",
        tuple(columns),
        tuple(rows),
        ("range",),
    )


def _alpha(context: Context, name: str, policy: Policy) -> Estimate:
    panel = context.people(name, policy)
    options = {"alpha": KrippendorffAlpha(level=alpha_level(panel.scale))}
    return capped(resampled(context, panel.coded, options, f"people {name} {policy.name}")["alpha"])


def _answer(context: Context, found: Sequence[Agreed], alone: Sequence[str]) -> str:
    if not found:
        return "It cannot be measured: every item has one rater."
    defined = [one.alpha for one in found if one.alpha.undefined is None]
    tail = f" On {count(len(alone), 'metric')} it cannot be measured: one rater per item." if alone else ""
    if not defined:
        return f"α is undefined: all people gave one and the same label.{tail}"
    scale = context.options.reading
    words = Counter(reading(one, scale).split(":")[0] for one in defined)
    if len(found) == 1:
        return f"α is {spoken(defined[0])}, {reading(defined[0], scale)} ({TITLES[scale]}).{tail}"
    low, high = min(one.value for one in defined), max(one.value for one in defined)
    said = listing([f"{word} on {n:,}" for word, n in words.most_common()])
    return (
        f"α runs from {number(low)} to {number(high)} over {count(len(defined), 'metric')}: {said} "
        f"({TITLES[scale]}).{tail}"
    )


def _bewares(context: Context, found: Sequence[Agreed], spread: Sequence[Spread]) -> list[str]:
    notes = [hidden(one) for one in spread if one.hides]
    skewed = [
        one
        for one in found
        if "ac1" in one.others
        and one.pairs.share >= 0.8
        and not math.isnan(one.alpha.value)
        and one.alpha.value < 0.4
    ]
    for one in skewed[:3]:
        notes.append(
            f"{context.study.metric(one.metric).label}: {percent(one.pairs.share)} of pairs agree and "
            f"α is {number(one.alpha.value)} ({band(one.alpha.value, context.options.reading)}), "
            f"because nearly all labels are the same; AC1 is {number(one.others['ac1'].value)}."
        )
    if any(one.n_raters <= 5 for one in found):
        notes.append(
            "With five raters or fewer, an interval for other raters is very wide; read the first "
            "interval as one for these raters."
        )
    return notes
