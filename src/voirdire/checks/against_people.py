"""Does the judge agree with people? Several-rater and single-rated items apart, chance-corrected first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.against_policies import policy_tables
from voirdire.checks.against_values import value_table
from voirdire.checks.base_rates import base_rate_table
from voirdire.checks.by_slice import parts
from voirdire.checks.context import Context
from voirdire.checks.finding import Bounds, Cell, Column, Evidence, Finding, Missing, Row, Table
from voirdire.checks.foreign_labels import foreign_actions, foreign_labels
from voirdire.checks.limits import capped, within
from voirdire.checks.majorities import against_majority
from voirdire.checks.panels import as_judge, several
from voirdire.checks.scales import weights, weights_named
from voirdire.checks.stand_in_cases import Case, cases, pooled
from voirdire.checks.vote_pairs import vote_pair_table
from voirdire.checks.words import count
from voirdire.registry import register
from voirdire.stats import REASONS, Estimate, judge_agreement
from voirdire.study import Policy

__all__ = ["against_people", "most_labels"]

MOST_SLICES = 400
"""Rows of the table by slice; beyond, metrics are cut from the end and the caption says so."""
MOST_LABELS = 100
MOST_ALONE = 3
"""Single-rated metrics that are listed one by one here; more are pooled, and listed with the verdicts."""


def most_labels(context: Context, metric: str) -> bool:
    """Whether a majority makes sense on the metric: labels, not a continuous score."""
    scale = context.study.metric(metric).scale
    return scale.kind != "numeric" and len(scale.labels) <= MOST_LABELS


@register("check", "against_people")
def against_people(context: Context) -> Finding | None:
    """The judge against people, by metric, part of the items, policy and slice; base rates beside."""
    every = [one for one in cases(context) if one.rated_items]
    if not every:
        return None
    tables = [
        _table(context, every),
        *policy_tables(context, every),
        base_rate_table(context, every),
        value_table(context, every),
        vote_pair_table(context, every),
        _slices(context, every),
    ]
    scales = sorted({weights_named(context.study.metric(one.metric).scale) for one in every})
    return Finding(
        check="against_people",
        question="Does the judge agree with people?",
        answer=_answer(every),
        tables=tuple(table for table in tables if table.rows),
        beware=(
            "κ compares the judge with each person, not with their majority, and corrects for chance; "
            f"{'; '.join(scales)}.",
            "Where one person rated an item, agreement with that person cannot be told from that "
            "person's own errors.",
            *foreign_labels(context, every),
        ),
        actions=tuple(foreign_actions(context, every)),
        data={"compared": len(every)},
    )


def _table(context: Context, every: Sequence[Case]) -> Table:
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("part", "Items with"),
        Column("items", "Items", "count"),
        Column("judge_person", "Judge–person κ", "coefficient"),
        Column("person_person", "Person–person κ", "coefficient"),
        Column("majority", "κ with majority", "coefficient"),
        Column("same", "Same as majority"),
    )
    alone = _groups_of_alone(context, every)
    grouped = {(judge, name) for judge, names in alone for name in names}
    rows = [row for one in every if (one.judge, one.metric) not in grouped for row in _rows(context, one)]
    rows += [_pooled_row(context, judge, names) for judge, names in alone]
    mapped = any(len(context.policies(one.metric)) > 1 for one in every)
    ranges = "; ranges are over mappings of indeterminate labels" if mapped else ""
    caption = f"Agreement of the judge with people{ranges}"
    return Table("against_people", caption, columns, tuple(rows), ("judge_person", "person_person"))


def _rows(context: Context, one: Case) -> Iterator[Row]:
    name: dict[str, Cell] = {
        "metric": context.study.metric(one.metric).label,
        "judge": context.study.raters[one.judge].id,
    }
    evidence = Evidence(metric=one.metric)
    if one.compared:
        cells = name | {
            "part": "several people",
            "items": one.n_items,
            "judge_person": Bounds({key: capped(pair.judge) for key, pair in one.compared.items()}),
            "person_person": Bounds({key: capped(pair.people) for key, pair in one.compared.items()}),
        }
        if most_labels(context, one.metric):
            with_majority = against_majority(context, one.judge, one.metric)
            ties = f"; {count(with_majority.ties, 'tie')} left out" if with_majority.ties else ""
            cells |= {"majority": with_majority.kappa, "same": f"{with_majority}{ties}"}
        yield Row(cells, evidence)
    if one.single_rated:
        by_policy = {policy.name: _alone(context, one, policy) for policy in context.policies(one.metric)}
        cells = name | {
            "part": "one person",
            "items": one.single_rated,
            "judge_person": Bounds(by_policy),
            "person_person": Missing("not measurable", "one rater per item"),
            "majority": Missing("none", "one expert: not a majority"),
        }
        yield Row(cells, evidence)


def _groups_of_alone(context: Context, every: Sequence[Case]) -> list[tuple[int, list[str]]]:
    """Metrics of one scale with one person an item, by judge, where they are too many to list."""
    groups: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for one in every:
        if not one.compared:
            key = one.judge, context.study.metric(one.metric).scale.labels
            groups.setdefault(key, []).append(one.metric)
    return [(judge, names) for (judge, _), names in groups.items() if len(names) > MOST_ALONE]


def _pooled_row(context: Context, judge: int, names: Sequence[str]) -> Row:
    verdicts = [context.verdicts(name, judge, context.policies(name)[0]) for name in names]
    cells: dict[str, Cell] = {
        "metric": f"{len(names):,} other metrics",
        "judge": context.study.raters[judge].id,
        "part": "one person",
        "items": sum(int(one.given.sum()) for one in verdicts),
        "judge_person": Bounds(pooled(context, judge, names)),
        "person_person": Missing("not measurable", "one rater per item"),
        "majority": Missing("none", "one expert: not a majority"),
    }
    return Row(cells, Evidence(raters=(context.study.raters[judge].id,)))


def _alone(context: Context, one: Case, policy: Policy) -> Estimate:
    """Judge-person agreement on the items with one person."""
    panel = context.people(one.metric, policy)
    alone = ~several(panel.coded)
    coded = panel.coded.select(alone[panel.coded.item])
    codes = _given(context, one, policy)
    found = judge_agreement(coded, codes, **weights(panel.scale), level=context.options.level)
    return capped(found.coefficient)


def _given(context: Context, one: Case, policy: Policy | None) -> NDArray[np.int64] | NDArray[np.float64]:
    return as_judge(context.verdicts(one.metric, one.judge, policy))


def _slices(context: Context, every: Sequence[Case]) -> Table:
    rows: list[Row] = []
    for one in every:
        if len(rows) >= MOST_SLICES:
            break
        panel = context.people(one.metric)
        shares = _given(context, one, None)
        for part in parts(context):
            inside = part.rows(panel)
            if not 2 <= int(inside.sum()) < len(inside):
                continue
            found = judge_agreement(
                panel.coded.select(inside), shares, **weights(panel.scale), level=context.options.level
            )
            if not found.coefficient.n_items:
                continue
            rows.append(
                Row(
                    {
                        "metric": panel.metric.label,
                        "judge": context.study.raters[one.judge].id,
                        "attribute": part.attribute,
                        "value": part.value,
                        "items": found.coefficient.n_items,
                        "judge_person": capped(found.coefficient),
                        "raw": within(found.agreement),
                    },
                    Evidence(metric=one.metric, where=part.where),
                )
            )
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("attribute", "By"),
        Column("value", "Slice"),
        Column("items", "Items", "count"),
        Column("judge_person", "Judge–person κ", "coefficient"),
        Column("raw", "Raw agreement, same weights", "share"),
    )
    caption = (
        "Agreement of the judge with people within "
        f"slices{', first rows' if len(rows) >= MOST_SLICES else ''}"
    )
    return Table("against_slices", caption, columns, tuple(rows), ("judge_person",), folded=len(rows) > 12)


def _apart(n: int) -> str:
    """On how many the interval of the difference, read alone, leaves out 0."""
    alone = "each interval read alone"
    return f"on {n:,} the difference excludes 0, {alone}" if n else f"no difference excludes 0, {alone}"


def _answer(every: Sequence[Case]) -> str:
    compared = [one for one in every if one.compared]
    if not compared:
        items = sum(one.rated_items for one in every)
        return (
            f"It can be set against one person an item ({count(items, 'item')}), and nothing says how far "
            "that person can be trusted."
        )
    gaps = [[pair.difference for pair in one.compared.values()] for one in compared]
    defined = [gap for gap in gaps if all(each.undefined is None for each in gap)]
    if not defined:
        scales = all(one.other_scale for one in compared)
        return f"Undefined: {REASONS['scale_mismatch'] if scales else 'the labels do not vary'}."
    less = sum(max(each.value for each in gap) < 0 for gap in defined)
    apart = sum(all(each.has_interval and not each.low <= 0 <= each.high for each in gap) for gap in defined)
    if len(defined) == 1:
        low, high = min(each.value for each in defined[0]), max(each.value for each in defined[0])
        how = (
            "less with people than"
            if high < 0
            else "with people as much as"
            if low >= 0
            else "with people about as much as"
        )
        some = any(each.has_interval and not each.low <= 0 <= each.high for each in defined[0])
        zero = "excludes 0" if apart else "includes 0 under some mappings" if some else "includes 0"
        return f"It agrees {how} people agree with each other; the interval of the difference {zero}."
    mapped = ", under every mapping of indeterminate labels" if any(len(gap) > 1 for gap in defined) else ""
    which = "judges and metrics" if len({one.judge for one in compared}) > 1 else "metrics"
    return (
        f"On {less:,} of {len(defined):,} {which} the judge agrees less with people than people agree with "
        f"each other{mapped}; {_apart(apart)}."
    )
