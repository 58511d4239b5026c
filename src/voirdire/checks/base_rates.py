"""How often judge and people give each label on the same items: what agreement must be read beside."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Row, Table
from voirdire.checks.stand_in_cases import Case
from voirdire.stats.estimate import Estimate

__all__ = ["base_rate_table"]

MOST_LABELS = 12


def base_rate_table(context: Context, every: Sequence[Case]) -> Table:
    """One row a metric, judge and label: its share of the people's labels and of the judge's verdicts."""
    rows = []
    for one in every:
        metric = context.study.metric(one.metric)
        if len(metric.scale.labels) > MOST_LABELS:
            continue
        policy = context.policies(one.metric)[0]
        panel, verdicts = context.people(one.metric, policy), context.verdicts(one.metric, one.judge, policy)
        n = int(verdicts.given.sum())
        if not n:
            continue
        # every item weighs the same, whatever its number of people
        weight = (verdicts.given / np.maximum(panel.raters_per_item, 1))[panel.coded.item]
        people = np.bincount(panel.coded.label, weight, minlength=panel.coded.q) / n
        judge = verdicts.shares.sum(axis=0) / n
        for code, label in enumerate(panel.scale.labels):
            cells: dict[str, Cell] = {
                "metric": metric.label,
                "judge": context.study.raters[one.judge].id,
                "label": label,
                "people": Estimate(float(people[code]), n_items=n),
                "said": Estimate(float(judge[code]), n_items=n),
                "items": n,
            }
            rows.append(Row(cells, Evidence(metric=one.metric)))
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("label", "Label"),
        Column("people", "People give it", "share"),
        Column("said", "The judge gives it", "share"),
        Column("items", "Items", "count"),
    )
    return Table(
        "base_rates",
        "How often each label is given on the same items",
        columns,
        tuple(rows),
        plot=("people", "said"),
        folded=len(rows) > 8,
    )
