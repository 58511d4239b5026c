"""People two by two, and people against their own earlier labels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Row, Table
from voirdire.checks.limits import capped
from voirdire.checks.panels import same_label_pairs, several, unanimous
from voirdire.checks.people_agreement import MOST_LABELS
from voirdire.checks.scales import weights
from voirdire.checks.stability import repeats
from voirdire.checks.words import listing, share
from voirdire.stats import FleissKappa, agreement
from voirdire.stats.cohen import cohen_kappa
from voirdire.stats.two_rater import contingency_table
from voirdire.study import Panel

__all__ = ["pair_table", "repeat_table"]

MOST_RATERS = 8
MOST_ROWS = 120


def pair_table(context: Context, metrics: Sequence[str]) -> Table:
    """Cohen's κ of every two people on one metric, where they are few enough to read."""
    rows: list[Row] = []
    for name in metrics:
        panel = context.people(name, context.policies(name)[0])
        if 2 <= len(panel.raters) <= MOST_RATERS and panel.scale.kind != "numeric" and len(rows) < MOST_ROWS:
            rows += _pairs(context, panel)
    columns = (
        Column("metric", "Metric"),
        Column("first", "Person"),
        Column("second", "and person"),
        Column("items", "Items", "count"),
        Column("same", "Same label"),
        Column("kappa", "Cohen's κ", "coefficient"),
    )
    return Table("rater_pairs", "People two by two", columns, tuple(rows), ("kappa",), folded=len(rows) > 6)


def repeat_table(context: Context) -> Table:
    """How often people gave their own earlier label again: reliability, not correctness."""
    rows = []
    for rater in context.study.raters_of("human"):
        for one in repeats(context, rater):
            cells: dict[str, Cell] = {
                "rater": context.study.raters[rater].id,
                "labels": listing(one.scale.labels),
                "items": one.coded.n_items,
                "same": share(int(unanimous(one.coded).sum()), int(several(one.coded).sum())),
                "pairs": same_label_pairs(one.coded).total,
            }
            if one.coded.q <= MOST_LABELS:
                options = {"it": FleissKappa()}
                found = agreement(one.coded, options, interval="jackknife", level=context.options.level)
                cells["kappa"] = capped(found["it"])
            rows.append(Row(cells, Evidence(raters=(context.study.raters[rater].id,))))
    columns = (
        Column("rater", "Person"),
        Column("labels", "Labels"),
        Column("items", "Rated again", "count"),
        Column("same", "Same label each time"),
        Column("kappa", "κ with themselves", "coefficient"),
    )
    return Table(
        "intra_rater",
        "People against their own labels in another run: reliability, not correctness",
        columns,
        tuple(rows),
    )


def _pairs(context: Context, panel: Panel) -> list[Row]:
    coded = panel.coded
    labels = np.full((coded.n_raters, coded.n_items), -1, dtype=np.int64)
    labels[coded.rater, coded.item] = coded.label
    names = [context.study.raters[code].id for code in panel.raters]
    chosen = weights(panel.scale)["weights"]
    rows = []
    for a, b in combinations(range(coded.n_raters), 2):
        table = contingency_table(labels[a], labels[b], coded.q)
        n, same = int(table.sum()), int(np.trace(table))
        if n:
            kappa = cohen_kappa(table, weights=chosen, level=context.options.level)
            cells: dict[str, Cell] = {"metric": panel.metric.label, "first": names[a], "second": names[b]}
            cells |= {"items": n, "same": share(same, n), "kappa": kappa.estimate}
            rows.append(Row(cells, Evidence(panel.metric.name, (names[a], names[b]))))
    return rows
