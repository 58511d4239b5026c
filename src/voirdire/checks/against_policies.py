"""Agreement under each mapping of indeterminate labels, pooled over the metrics that share a scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.coverage_notes import pools_model_sets
from voirdire.checks.finding import Cell, Column, Evidence, Missing, Row, Table
from voirdire.checks.limits import capped
from voirdire.checks.majorities import against_majority
from voirdire.checks.panels import several
from voirdire.checks.scales import weights
from voirdire.checks.stand_in_cases import Case, pooled_pairs, stacked
from voirdire.checks.words import count, share
from voirdire.stats import judge_agreement
from voirdire.stats.cohen import cohen_kappa
from voirdire.study import KEPT_APART, Policy

__all__ = ["policy_tables"]

ALL, SEVERAL, ONE = "all", "several people", "one person"


def policy_tables(context: Context, every: Sequence[Case]) -> Iterator[Table]:
    """One table a judge and scale, where labels can be mapped in several ways or metrics pooled."""
    groups: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for one in every:
        metric = context.study.metric(one.metric)
        if metric.scale.kind != "numeric":
            groups.setdefault((one.judge, metric.scale.labels), []).append(one.metric)
    for (judge, _), metrics in groups.items():
        if len(metrics) > 1 or len(context.policies(metrics[0])) > 1:
            yield _table(context, judge, metrics)


def _table(context: Context, judge: int, metrics: Sequence[str]) -> Table:
    several_policies = len(context.policies(metrics[0])) > 1
    columns = [
        Column("policy", "Indeterminate labels"),
        Column("part", "Items with"),
        Column("items", "Items", "count"),
        Column("judge_person", "Judge–person κ", "coefficient"),
        Column("person_person", "Person–person κ", "coefficient"),
        Column("majority", "κ with majority", "coefficient"),
        Column("same", "Same as majority"),
    ][0 if several_policies else 1 :]
    rows = [row for policy in context.policies(metrics[0]) for row in _rows(context, judge, metrics, policy)]
    who = context.study.raters[judge].id
    name = f"policies_{judge}_{metrics[0]}"
    under = " under each mapping of indeterminate labels" if several_policies else ""
    over = f", {count(len(metrics), 'metric')} pooled" if len(metrics) > 1 else ""
    return Table(
        name,
        f"{who}{under}{over}",
        tuple(columns),
        tuple(rows),
        ("judge_person",),
    )


def _rows(context: Context, judge: int, metrics: Sequence[str], policy: Policy) -> Iterator[Row]:
    coded, verdicts = stacked(context, judge, metrics, policy)
    scale, _ = policy.apply(context.study.metric(metrics[0]).scale)
    many, level = several(coded), context.options.level
    given = verdicts >= 0 if verdicts.ndim == 1 else verdicts.sum(axis=1) > 0
    declared = context.study.metric(metrics[0]).policy == policy
    used = " (default)" if policy.name == KEPT_APART else " (declared)"
    title = f"{policy.name}{used if declared and len(context.policies(metrics[0])) > 1 else ''}"
    evidence = Evidence(metric=metrics[0] if len(metrics) == 1 else "", raters=())
    if (many & given).any():
        pair = pooled_pairs(context, judge, metrics)[policy.name]
        cells: dict[str, Cell] = {"judge_person": capped(pair.judge), "person_person": capped(pair.people)}
        cells |= {"policy": title, "part": SEVERAL, "items": int((many & given).sum())}
        yield Row(cells | _majority(context, judge, metrics, policy, SEVERAL), evidence)
    if (~many & given).any():
        alone = judge_agreement(
            coded.select(~many[coded.item]), verdicts, **weights(scale), level=level
        ).coefficient
        cells = {
            "judge_person": capped(alone),
            "person_person": Missing("not measurable", "one rater per item"),
        }
        cells |= {"policy": title, "part": ONE, "items": int((~many & given).sum())}
        yield Row(cells | {"majority": Missing("none", "one expert: not a majority")}, evidence)
    if (many & given).any() and (~many & given).any():
        cells = {
            "policy": title,
            "part": "several or one: majority, or the one expert",
            "items": int(given.sum()),
        }
        pools = pools_model_sets(context, metrics)
        yield Row(cells | _majority(context, judge, metrics, policy, ALL), evidence, pools)


def _majority(
    context: Context, judge: int, metrics: Sequence[str], policy: Policy, part: str
) -> dict[str, Cell]:
    """κ and raw agreement with the majority, summed over metrics."""
    scale = context.study.metric(metrics[0]).scale
    if policy.name == KEPT_APART and scale.indeterminate:
        return {"majority": Missing("undefined", "an indeterminate majority is no verdict")}
    found = [
        against_majority(context, judge, name, policy=policy, inside=_inside(context, name, policy, part))
        for name in metrics
    ]
    table: NDArray[np.int64] = np.sum([one.table for one in found], axis=0)
    n, same, ties = (sum(getattr(one, key) for one in found) for key in ("n", "same", "ties"))
    mapped, _ = policy.apply(scale)
    kappa = cohen_kappa(table, weights=weights(mapped)["weights"], level=context.options.level).estimate
    tail = f"; {count(ties, 'tie')} left out" if ties else ""
    return {"majority": kappa, "same": f"{share(same, n)}{tail}"}


def _inside(context: Context, metric: str, policy: Policy, part: str) -> NDArray[np.bool_]:
    coded = context.people(metric, policy).coded
    return several(coded) if part == SEVERAL else np.ones(coded.n_items, dtype=bool)
