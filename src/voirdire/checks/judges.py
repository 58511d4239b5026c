"""Several judges side by side: on the same items, paired; with each other; and together as a panel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.against_people import most_labels
from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Finding, Missing, Row, Table
from voirdire.checks.limits import capped
from voirdire.checks.majorities import AgainstMajority, against_majority
from voirdire.checks.scales import weights
from voirdire.checks.words import count, listing, percent, points, share
from voirdire.registry import register
from voirdire.stats import Estimate, agreement_weights, judge_agreement
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.cohen import cohen_kappa
from voirdire.stats.two_rater import contingency_table

__all__ = ["judged_metrics", "judges", "panel_vote"]


@register("check", "judges")
def judges(context: Context) -> Finding | None:
    """Each judge against people, two judges on the same items, and judges against each other."""
    groups = judged_metrics(context)
    if not groups:
        return None
    rows = tuple(row for name, who in groups.items() for row in _beside(context, name, who))
    paired = tuple(row for name, who in groups.items() for row in _paired(context, name, who))
    several = any(len(who) > 1 for who in groups.values())
    if not several and not any("bounds" in row.cells for row in rows):
        return None
    tables = (_beside_table(rows), _paired_table(paired))
    return Finding(
        check="judges",
        question="Which judge is nearest to people?" if several else "What did unparsed replies cost?",
        answer=_answer(paired) if several else _unparsed(context, groups),
        tables=tuple(table for table in tables if table.rows),
        beware=tuple(_bewares(context)),
        data={"compared": len(paired), "unparsed": _unparsed_shares(context, groups)},
    )


def panel_vote(context: Context, metric: str, who: Sequence[int]) -> NDArray[np.intp]:
    """The label that most judges gave each item (n_items,), −1 on a tie or with a verdict missing."""
    codes = np.array([context.verdicts(metric, judge).codes for judge in who])
    q = len(context.people(metric).scale.labels)
    votes = np.stack([(codes == code).sum(axis=0) for code in range(q)], axis=1)
    tied = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return np.where(tied | (codes < 0).any(axis=0), -1, votes.argmax(axis=1))


def judged_metrics(context: Context) -> dict[str, tuple[int, ...]]:
    """The judges of each metric that people rated and that has labels rather than continuous scores."""
    judged = set(context.judged())
    return {
        name: context.study.judges_of(name)
        for name in context.audited()
        if name in judged and most_labels(context, name)
    }


def _beside(context: Context, metric: str, who: Sequence[int]) -> Iterator[Row]:
    for judge in who:
        codes = context.verdicts(metric, judge).codes
        against = against_majority(context, judge, metric)
        row = _row(context, metric, context.study.raters[judge].id, codes, against)
        if against.unparsed:
            low, high = against.bounds
            total = against.n + against.unparsed
            bounds = f"{against.unparsed:,}: {percent(low, total)} to {percent(high, total)} of {total:,}"
            row = Row({**row.cells, "bounds": bounds}, row.evidence)
        yield row
    if len(who) > 2:
        vote = panel_vote(context, metric, who)
        against = against_majority(context, who[0], metric, codes=vote)
        yield _row(context, metric, f"vote of {count(len(who), 'judge')}", vote, against)


def _row(context: Context, metric: str, name: str, codes: NDArray[np.intp], against: AgainstMajority) -> Row:
    panel = context.people(metric)
    found = judge_agreement(panel.coded, codes, **weights(panel.scale), level=context.options.level)
    cells: dict[str, Cell] = {
        "metric": panel.metric.label,
        "judge": name,
        "items": found.coefficient.n_items,
        "judge_person": capped(found.coefficient),
    }
    if against.n:
        cells |= {"majority": against.kappa, "same": share(against.same, against.n)}
    else:
        cells["majority"] = Missing("none", "no item has a majority of several people")
    return Row(cells, Evidence(metric=metric))


def _beside_table(rows: tuple[Row, ...]) -> Table:
    columns = [
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("items", "Items", "count"),
        Column("judge_person", "Judge–person κ", "coefficient"),
        Column("majority", "κ with majority", "coefficient"),
        Column("same", "Same as majority"),
    ]
    if any("bounds" in row.cells for row in rows):
        columns.append(Column("bounds", "Unparsed: all wrong to all right"))
    caption = "Judges beside each other, parsed replies; an unparsed reply is never a class"
    return Table("judges", caption, tuple(columns), rows, ("judge_person",), folded=len(rows) > 20)


def _paired(context: Context, metric: str, who: Sequence[int]) -> Iterator[Row]:
    panel = context.people(metric)
    coded = panel.coded
    w = agreement_weights(coded, **weights(panel.scale))
    counts = coded.counts()
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    codes = {judge: context.verdicts(metric, judge).codes for judge in who}
    for a, b in combinations(who, 2):
        both = (codes[a] >= 0) & (codes[b] >= 0)
        if not both.any():
            continue
        gain = ((w[codes[a][both]] - w[codes[b][both]]) * shares[both]).sum(axis=1)
        cluster = None if coded.cluster is None else np.unique(coded.cluster[both], return_inverse=True)[1]
        difference = clustered_mean(gain, cluster=cluster, level=context.options.level)
        table = contingency_table(codes[a][both], codes[b][both], coded.q)
        each = cohen_kappa(
            table, weights=weights(panel.scale)["weights"], level=context.options.level
        ).estimate
        names = context.study.raters[a].id, context.study.raters[b].id
        cells: dict[str, Cell] = {
            "metric": panel.metric.label,
            "first": names[0],
            "second": names[1],
            "items": int(both.sum()),
            "difference": difference,
            "each_other": each,
            "same": share(int(np.trace(table)), int(both.sum())),
        }
        yield Row(cells, Evidence(metric, names))


def _paired_table(rows: tuple[Row, ...]) -> Table:
    columns = (
        Column("metric", "Metric"),
        Column("first", "Judge"),
        Column("second", "minus judge"),
        Column("items", "Same items", "count"),
        Column("difference", "Difference in agreement with people", "points"),
        Column("each_other", "κ of the two judges", "coefficient"),
        Column("same", "Same verdict"),
    )
    caption = (
        "Two judges on the same items: raw agreement with people, paired; and how far they agree with "
        "each other"
    )
    return Table("judge_pairs", caption, columns, rows, ("difference",), folded=len(rows) > 20)


def _answer(paired: Sequence[Row]) -> str:
    if not paired:
        return "It cannot be said: no two judges rated the same items."
    apart, near = [], 0
    for row in paired:
        gap = row.cells["difference"]
        if isinstance(gap, Estimate) and gap.has_interval and not gap.low <= 0 <= gap.high:
            apart.append((gap, row))
        else:
            near += 1
    if not apart:
        return f"It cannot be told: every interval of the {count(near, 'paired difference')} holds 0."
    gap, row = max(apart, key=lambda pair: abs(pair[0].value))
    names = (
        (row.cells["first"], row.cells["second"])
        if gap.value > 0
        else (row.cells["second"], row.cells["first"])
    )
    low, high = sorted((abs(gap.low), abs(gap.high)))
    flipped = Estimate(100 * abs(gap.value), 100 * low, 100 * high)
    lead = (
        f"{names[0]} agrees more with people than {names[1]}, by {points(flipped)}, on the same items "
        f"of {row.cells['metric']}"
    )
    if len(paired) == 1:
        return f"{lead}."
    n = count(len(paired), "paired difference")
    return f"The intervals of {len(apart):,} of {n} leave out 0; the largest: {lead}."


def _unparsed_shares(context: Context, groups: dict[str, tuple[int, ...]]) -> dict[str, dict[str, float]]:
    """Agreement with the majority on parsed replies, and its bounds, of each judge with unparsed ones."""
    found = {}
    for name, who in groups.items():
        for judge in who:
            against = against_majority(context, judge, name)
            if against.unparsed and against.n:
                low, high = against.bounds
                figures = {
                    "unparsed": float(against.unparsed),
                    "parsed": against.same / against.n,
                    "low": low,
                    "high": high,
                }
                found[f"{name}: {context.study.raters[judge].id}"] = figures
    return found


def _unparsed(context: Context, groups: dict[str, tuple[int, ...]]) -> str:
    found = [against_majority(context, judge, name) for name, who in groups.items() for judge in who]
    unparsed, n, same = (sum(getattr(one, key) for one in found) for key in ("unparsed", "n", "same"))
    total = n + unparsed
    return (
        f"{count(unparsed, 'reply', 'replies')} of {total:,} gave no verdict: agreement with the majority "
        f"lies between {percent(same / total, total)} and {percent((same + unparsed) / total, total)}."
    )


def _bewares(context: Context) -> Iterator[str]:
    models: dict[str, list[str]] = {}
    for code in context.study.raters_of("judge"):
        rater = context.study.raters[code]
        models.setdefault(rater.model or rater.id, []).append(rater.id)
    for model, ids in models.items():
        if len(ids) > 1:
            yield f"{listing(ids)} are the same model, {model}; they are kept apart."
    yield (
        "A panel's vote needs every judge's verdict and no tie; agreement between judges is not "
        "agreement with people."
    )
